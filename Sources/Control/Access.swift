// Access rights at the control socket: three roles, assigned by the user and groups that the kernel reports of a
// client.

internal import Glibc
internal import HubProtocol
internal import Reasons

/// A group of the machine.
struct AccessGroup: Sendable, Equatable {
  var name: String
  /// nil: this machine has no such group.
  var number: gid_t?
}

/// Assigns roles to users.
///
/// Root and the daemon's own user always administer. If the machine has no group of administrators, roles are not
/// enforced. Then every user that the socket's mode admits may do everything except read keys. Keys stay with root and
/// the daemon's user.
public struct AccessRules: Sendable, Equatable {
  var groups: [AccessRole: AccessGroup]
  /// Administrators whatever their groups.
  var owners: Set<uid_t> = [0, geteuid()]

  /// Looks the groups up once: one that is made later counts from the daemon's next start.
  public init(read: String = "hearth-read", operate: String = "hearth", administer: String = "hearth-admin") {
    groups = [:]
    for (role, name) in [(AccessRole.read, read), (.operate, operate), (.administer, administer)] {
      groups[role] = AccessGroup(name: name, number: Accounts.number(ofGroup: name))
    }
  }

  /// Whether roles distinguish users.
  public var isInForce: Bool { groups[.administer]?.number != nil }

  /// Mode of the socket. If roles are enforced, every user may connect; a client in no group gets an error and is
  /// disconnected. Otherwise the file's owner and group decide.
  var socketMode: mode_t { isInForce ? 0o666 : 0o660 }

  /// Text for the log of a start.
  public var summary: String {
    if !isInForce {
      return "no group \(groups[.administer]?.name ?? ""): each user of the socket may do everything but read keys"
    }
    let names = AccessRole.allCases.map { role in
      "\(role.word) \(groups[role].map { $0.number == nil ? "no user (no group \($0.name))" : $0.name } ?? "no user")"
    }
    return names.joined(separator: ", ")
  }

  /// nil: no role.
  func role(user: uid_t, groups peers: [gid_t]) -> AccessRole? {
    if owners.contains(user) || !isInForce { return .administer }
    return AccessRole.allCases.last { role in
      groups[role]?.number.map { peers.contains($0) } ?? false
    }
  }

  /// - Throws: `controlRoleMissing` with the group that is missing and how to join it.
  func refuse(_ peer: Peer, unless needed: AccessRole, for what: String) throws(HearthError) {
    if let role = role(user: peer.user, groups: peer.groups), role >= needed { return }
    // The lowest role that suffices and has a group on this machine, to grant no more than was requested.
    let able = AccessRole.allCases.filter { $0 >= needed }.compactMap { groups[$0] }.first { $0.number != nil }
    let group = able?.name ?? groups[.administer]?.name ?? ""
    throw HearthError(
      .controlRoleMissing,
      """
      \(what) is for group \(group), and \(peer.who) is not in it: \
      sudo usermod -aG \(group) \(peer.name ?? "USER"), then log in again
      """)
  }

  /// - Throws: `controlNotAllowed`: without groups, keys are for root and the daemon's own user.
  func refuseKeys(_ peer: Peer, _ what: String) throws(HearthError) {
    if isInForce || owners.contains(peer.user) { return }
    throw HearthError(
      .controlNotAllowed, "\(what): only for root and for the daemon's own user, not for uid \(peer.user)")
  }
}
