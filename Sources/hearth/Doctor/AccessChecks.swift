// Check of the rights of the user that runs the command.

import Configuration
import Glibc
import HubProtocol
import Reasons

/// The user that runs this command.
struct Asker: Sendable {
  var user: UInt32
  /// nil: the machine has no name for the user.
  var name: String?
  /// Groups of this process, without those that were joined since the login.
  var groups: [UInt32]

  static var ofProcess: Asker {
    // NGROUPS_MAX, more groups than any user has.
    var groups = [gid_t](repeating: 0, count: 65_536)
    let count = getgroups(Int32(groups.count), &groups)
    return Asker(user: geteuid(), name: nil, groups: [getegid()] + groups.prefix(Int(max(0, count))))
  }
}

/// A line of /etc/group.
struct GroupLine: Sendable, Hashable {
  var name: String
  var number: UInt32
  var members: [String]

  init?(_ line: Substring) {
    let words = line.split(separator: ":", omittingEmptySubsequences: false)
    guard words.count == 4, !words[0].isEmpty, let number = UInt32(words[2]) else { return nil }
    name = String(words[0])
    self.number = number
    members = words[3].split(separator: ",").map { String($0) }
  }
}

enum AccessChecks {
  static func findings(_ patient: Patient) -> [Finding] { [access(patient)] }

  /// Roles in ascending order: each includes the rights of those before it.
  private static let roles: [(key: String, may: String)] = [
    ("access.read", "read"), ("access.operate", "read and operate"),
    ("access.administer", "read, operate and administer"),
  ]

  private static func access(_ patient: Patient) -> Finding {
    let defaults = Configuration().roles
    func group(_ key: String, _ standard: String) -> String {
      patient.hub.settings?.first { $0.key == key }?.value ?? standard
    }
    let names = [
      group("access.read", defaults.read), group("access.operate", defaults.operate),
      group("access.administer", defaults.administer),
    ]
    guard let lines = patient.machine.lines("/etc/group") else {
      return .unknown("access", "the groups of this machine may not be read")
    }
    let known = lines.compactMap { GroupLine($0) }
    let asker = patient.asker
    let user = asker.name ?? name(of: asker.user, patient.machine)
    let who = user ?? "uid \(asker.user)"
    let groups = names.map { name in known.first { $0.name == name } }
    let held = groups.map { group in group.map { asker.groups.contains($0.number) } ?? false }
    let joined = groups.map { group in user.flatMap { user in group.map { $0.members.contains(user) } } ?? false }
    let figures = [
      figure("user", user), figure("uid", Int(asker.user)),
      JSON.Member("groups", .array(zip(names, held).filter(\.1).map { .string($0.0) })),
      JSON.Member("missing_groups", .array(zip(names, groups).filter { $0.1 == nil }.map { .string($0.0) })),
    ]
    if groups[2] == nil {
      return Finding(
        "access", .warn, "there is no group \(names[2]): every user of the socket may do everything but read keys",
        figures,
        fix: makeGroups(zip(names, groups).filter { $0.1 == nil }.map(\.0), patient.machine))
    }
    if asker.user == 0 { return Finding("access", .ok, "root may do everything", figures) }
    let best = held.lastIndex(of: true)
    // A group that was joined but is not in force yet ranks above those in force.
    if let waiting = joined.lastIndex(of: true), waiting > best ?? -1 {
      return Finding(
        "access", .warn, "\(who) was put into \(names[waiting]) and has not logged in since", figures,
        code: Reason.controlRoleMissing.code,
        fix: Fix("log out and in again, or for this shell", ["newgrp \(shellWord(names[waiting]))"]))
    }
    guard let best else {
      return Finding(
        "access", .fail, "\(who) is in no group of \(names.joined(separator: ", ")) and has no access", figures,
        code: Reason.controlRoleMissing.code,
        fix: Fix(
          "join one, then log in again", user.map { ["sudo usermod -aG \(shellWord(names[1])) \(shellWord($0))"] } ?? []
        ))
    }
    return Finding("access", .ok, "\(who) is in \(names[best]) and may \(roles[best].may)", figures)
  }

  private static func makeGroups(_ missing: [String], _ machine: Machine) -> Fix {
    let words = "make the groups; hearthd looks at them when it starts"
    if machine.hasSystemd { return Fix(words, ["sudo systemd-sysusers", "sudo systemctl restart hearthd"]) }
    return Fix(words, missing.map { "sudo groupadd --system \(shellWord($0))" })
  }

  /// Name by /etc/passwd; nil if it is missing, or not a plain name.
  private static func name(of user: UInt32, _ machine: Machine) -> String? {
    for line in machine.lines("/etc/passwd") ?? [] {
      let words = line.split(separator: ":", omittingEmptySubsequences: false)
      guard words.count >= 7, UInt32(words[2]) == user else { continue }
      let name = words[0]
      let isPlain =
        !name.isEmpty && name.utf8.count <= 32 && name.utf8.first != 0x2D
        && name.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            || [0x2D, 0x2E, 0x5F].contains($0)
        }
      return isPlain ? String(name) : nil
    }
    return nil
  }
}
