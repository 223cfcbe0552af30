// Main program of the uplink, which carries rows to a broker beside the daemon: arguments, settings, one loop.

import Glibc
import Reasons
import Uplink

private let help = """
  USAGE: hearth-uplink [--config FILE] [--check]

  Sends the stored rows and the live values of a hub to a message broker. Asks
  the daemon over its socket. Runs in the foreground, and systemd starts it.
  SIGTERM stops it cleanly. hearth uplink shows how far it is.

    --config FILE   settings; default \(UplinkSettings.defaultPath)
    --check         check the settings and the files that they name, and end
    --version       print the version

  sudo -u hearth-uplink hearth-uplink --check     check as the service does

  Exit codes: 0 stopped cleanly. 1 could not start. 2 settings refused.
  64 arguments refused.

  """

private func tell(_ text: String, _ descriptor: Int32) {
  var text = text
  text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
}

@MainActor private func complain(_ error: HearthError) {
  // `hearth config check` only checks the settings of other programs.
  let mending = [Reason.configUnreadable, .configSyntax, .configUnknownKey, .configBadValue]
  let next =
    mending.contains(error.reason)
    ? "correct \(path), then hearth-uplink --check\(path == UplinkSettings.defaultPath ? "" : " --config \(path)")"
    : error.reason.text.next
  tell("hearth-uplink: \(error)\n" + (next.isEmpty ? "" : "      next: \(next)\n"), 2)
}

private var (path, checks) = (UplinkSettings.defaultPath, false)
private var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--check": checks = true
  case "--config" where !arguments.isEmpty: path = arguments.removeFirst()
  case let named where named.hasPrefix("--config="): path = String(named.dropFirst("--config=".count))
  case "--help", "-h":
    tell(help, 1)
    exit(0)
  case "--version":
    tell("\(hearthVersion)\n", 1)
    exit(0)
  default:
    tell("hearth-uplink: '\(argument)' is not understood; see hearth-uplink --help\n", 2)
    exit(64)
  }
}
// Core files are disabled, also if the unit does not do it: the memory has keys and measured values.
private var none = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
do {
  let settings = try UplinkSettings.load(path: path)
  let missing = settings.missingFiles()
  for error in missing { complain(error) }
  if checks {
    if missing.isEmpty { tell("\(path) is fine\n", 1) }
    exit(missing.isEmpty ? 0 : 2)
  }
  do { try UplinkProgram.run(settings) } catch let error as HearthError {
    complain(error)
    exit(error.reason == .configUnreadable ? 2 : 1)
  }
} catch let error as HearthError {
  complain(error)
  exit(2)
}
