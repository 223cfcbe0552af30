// Queries and changes of the machine for a set-up: users, groups, and a reload of the daemon's configuration.

import EventLoop
import Glibc
import Reasons

/// Files below a root folder, and programs to run. Tests replace both.
struct SetupMachine: Sendable {
  var files: Machine
  /// Runs a program without a shell and waits for its end. Returns its exit status, or -1 if it could not be started.
  var run: @Sendable ([String]) -> Int32 = ChildProgram.run
  /// The user that typed `sudo hearth setup`.
  var caller: String?

  static func here() -> SetupMachine {
    SetupMachine(files: Machine(now: wallNow()), caller: getenv("SUDO_USER").map { String(cString: $0) })
  }

  /// Name of the machine, if it is more than the name of an installation image and is valid for a hub.
  var hostName: String? {
    guard let name = files.text("/etc/hostname", limit: 256)?.split(separator: ".").first.map({ String($0) }),
      !["localhost", "raspberrypi", "debian", "hearth"].contains(name)
    else { return nil }
    return name
  }

  // MARK: Users and groups

  func hasUser(_ name: String) -> Bool {
    files.lines("/etc/passwd")?.contains { $0.hasPrefix(name + ":") } ?? false
  }

  /// Members of a group; nil: there is no such group.
  func members(of group: String) -> [String]? {
    files.lines("/etc/group")?.lazy.compactMap { GroupLine($0) }.first { $0.name == group }?.members
  }

  /// - Throws: `setupUserUnknown`.
  func join(_ user: String, _ group: String) throws(HearthError) {
    let status = run(["/usr/sbin/usermod", "-aG", group, user])
    if status == 0 { return }
    throw HearthError(.setupUserUnknown, "usermod could not make \(user) a member of \(group) (exit status \(status))")
  }

  /// Undoes `join` of this run.
  func leave(_ user: String, _ group: String) { _ = run(["/usr/bin/gpasswd", "-d", user, group]) }

  // MARK: The daemon

  /// Ways in which the hub gets its new configuration.
  enum Telling: String {
    case reload, restart
    /// A person has to do it: there is no systemd, or its unit names another file.
    case byHand
    case nothing
  }

  var isServing: Bool { run(["systemctl", "is-active", "--quiet", "hearthd.service"]) == 0 }

  /// - Throws: `setupNotTaken`.
  func tell(_ telling: Telling) throws(HearthError) {
    guard telling == .reload || telling == .restart else { return }
    let status = run(["systemctl", telling.rawValue, "hearthd.service"])
    if status == 0 { return }
    throw HearthError(.setupNotTaken, "systemctl \(telling.rawValue) hearthd failed (exit status \(status))")
  }
}

enum ChildProgram {
  /// Runs a program. Its standard output is dropped, its standard error is shown.
  @Sendable static func run(_ arguments: [String]) -> Int32 {
    guard let program = arguments.first else { return -1 }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    if posix_spawnp(&child, program, &actions, nil, &words, environ) != 0 { return -1 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 { if errno != EINTR { return -1 } }
    // WIFEXITED and WEXITSTATUS, which Swift does not import.
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }
}
