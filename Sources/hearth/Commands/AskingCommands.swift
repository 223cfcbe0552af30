// Commands that ask and show.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// The clock of the machine the command runs on, which is the hub's.
func wallNow() -> WallTime {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
}

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Is the hub fine, and if not, what next.")
  @ParentCommand var root: HearthCommand

  func run() throws {
    let session = try Session(root.options)
    let status = try session.connect().status().status
    try session.show(JSON(encoding: status), code: needsAttention(status) ? 1 : 0) {
      render(status, session.hubTime(status.clock.zone), $0, verbose: root.options.verbose)
    }
  }
}

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "One wearable: show it, rename it, forget it, say whether it is emptied.",
    usage:
      """
      hearth device <name> [rename <new-name> | forget [--yes] [--yes-lose <n>] | erase yes | erase no | erase ask | \
      erase auto | listen on | listen off | listen auto | absent-after <2h> | \
      pause [--until <time> | --for <2h>] | resume]
      """
    ,
    discussion: """
      Forgetting says first what would be lost, its bond and what it holds unfetched among it, and asks at a terminal. \
      A script gives --yes, or --yes-lose with the number of items that were not fetched; exit code 7 without. A band \
      that is bound to this hub is unbound first; where it cannot be reached that is said, with exit code 1.

      Pausing leaves it alone without forgetting it: no link, no visit and no advertised value, unless somebody asks \
      for it (hearth sync, hearth visit now, hearth measure), until it is resumed or the time that was given. It is \
      not missing meanwhile, and a coverage shows that time as left out by order.

      \(timeForms)
      """
  )
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.", completion: .wearables)
  var name: String

  @Argument(
    help: ArgumentHelp(
      """
      'rename' and the new name; 'forget': it is never connected again, its samples stay; 'erase' and yes (what is \
      safe in the store is removed on it), \
      no, ask (only in a visit that somebody asked for) or auto (as configured); 'listen' and on (what it advertises \
      is kept while it has no link), off or auto; 'absent-after' and how long it may be away before it is missing (2h, \
      3d), never or auto; 'pause': nothing is collected of it, until 'resume'.
      """, valueName: "action"))
  var action: [String] = []

  @OptionGroup var agreement: AgreementOptions
  @OptionGroup var end: EndOptions

  func validate() throws {
    if action.first != "pause", end.isGiven { throw ValidationError("--until and --for belong to: pause") }
    if action.first != "forget", agreement.yes || agreement.yesLose != nil {
      throw ValidationError("--yes and --yes-lose belong to: forget")
    }
    switch action.first {
    case nil: return
    case "forget" where action.count == 1: return
    case "pause" where action.count == 1, "resume" where action.count == 1: return
    case "rename" where action.count == 2: return
    case "erase" where action.count == 2 && ["yes", "no", "ask", "auto"].contains(action[1]): return
    case "erase": throw ValidationError("erase takes one of yes, no, ask, auto: hearth device \(name) erase ask")
    case "listen" where action.count == 2 && ["on", "off", "auto"].contains(action[1]): return
    case "listen": throw ValidationError("listen takes one of on, off, auto: hearth device \(name) listen off")
    case "absent-after" where action.count == 2 && absence(action[1]) != nil: return
    case "absent-after":
      throw ValidationError(
        "absent-after takes a time from 5m to 52w, never or auto: hearth device \(name) absent-after 2h")
    case "rename": throw ValidationError("rename takes one new name: hearth device \(name) rename NEW")
    default:
      throw ValidationError(
        """
        a wearable can be shown, renamed ('rename NEW'), forgotten ('forget') and told 'erase yes|no|ask|auto', \
        'listen on|off|auto', 'absent-after 2h|never|auto', 'pause' or 'resume', not '\(action.joined(separator: " "))'
        """
      )
    }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    switch action.first {
    case "rename":
      let device = try client.rename(.init(name: name, newName: action[1])).device
      try session.show(JSON(encoding: device)) { _ in
        line("\(name) is called \(device.name) now; its samples stay with it")
      }
    case "forget":
      try session.agree(to: session.lossOfForgetting(name, client), agreement.given)
      // One that is bound to the hub is unbound first: a turn of its own, and the wearable's answer.
      let warning = try client.forget(.init(name: name), patience: askingPatience).warning
      var done: JSON = ["schema": "io.hearth.done/1", "forgotten": .string(name)]
      if let warning {
        done = ["schema": "io.hearth.done/1", "forgotten": .string(name), "warning": JSON(encoding: warning)]
      }
      try session.show(done, code: warning == nil ? 0 : 1) { _ in
        line("\(name) is forgotten; its samples stay in the store") + renderWarning(warning)
      }
    case "erase":
      let device = try client.eraseSet(.init(name: name, choice: action[1])).device
      try session.show(JSON(encoding: device)) { _ in renderErasing(device) }
    case "listen":
      let device = try client.listenSet(.init(name: name, choice: action[1])).device
      try session.show(JSON(encoding: device)) { _ in renderListening(device) }
    case "absent-after":
      let device = try client.absenceSet(.init(name: name, choice: absence(action[1]) ?? "")).device
      try session.show(JSON(encoding: device)) { _ in renderAbsence(device) }
    case "pause":
      let time = try session.time(client)
      let until = try end.end(time)?.rfc3339
      let device = try client.pause(.init(name: name, until: until)).device
      try session.show(JSON(encoding: device)) { _ in renderPause(device, time) }
    case "resume":
      let device = try client.resume(.init(name: name)).device
      let time = try session.time(client)
      try session.show(JSON(encoding: device)) { _ in renderPause(device, time) }
    default:
      let device = try client.device(.init(name: name)).device
      let time = try session.time(client)
      try session.show(JSON(encoding: device), code: needsPerson(device) || hasAlerts(device) ? 1 : 0) {
        render(device, time, $0, verbose: root.options.verbose)
      }
    }
  }

  /// As the hub takes it: whole seconds, never or auto; nil for what is none of these.
  private func absence(_ word: String) -> String? {
    if word == "never" || word == "auto" { return word }
    guard let seconds = HubTime.seconds(word), (300...31_536_000).contains(seconds) else { return nil }
    return "\(seconds)"
  }
}

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "version", abstract: "The version of this program.")
  @ParentCommand var root: HearthCommand

  func run() throws {
    let text = "hearth \(hearthVersion)\n"
    let json: JSON = ["schema": "io.hearth.version/1", "version": .string(hearthVersion)]
    try Output.standard.write(root.options.json ? json.pretty + "\n" : text)
  }
}

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "What a code such as H2102 means, and what to do.")
  @ParentCommand var root: HearthCommand

  @Argument(help: "For example H2102.", completion: .codes)
  var code: String

  func run() throws {
    guard let reason = Reason(code: code) else {
      Output.error.say("hearth: there is no reason '\(harmless(code))'; codes look like H2102\n")
      throw ExitCode(5)
    }
    try Output.standard.write(root.options.json ? json(of: reason).pretty + "\n" : render(reason))
  }
}
