// The process at the other side of the socket, as the kernel reports it, and its name on this machine.

internal import CLinux
internal import Glibc

/// The other side of a connection (SO_PEERCRED and SO_PEERGROUPS: as of its connect).
struct Peer: Sendable, Hashable, CustomStringConvertible {
  var process: Int32
  var user: UInt32
  /// The primary group first, then the supplementary ones of that process: after joining a group, a user has to log in
  /// again.
  var groups: [UInt32]
  /// Name of the user on this machine; nil if unknown.
  var name: String?

  /// Limit: more groups than any user has; further ones are ignored.
  private static let groupLimit = 1024

  /// Asks the kernel, and the machine's users, once. A socket without an answer belongs to no user.
  init(of descriptor: Int32) {
    var credentials = hearth_peer()
    if hearth_peer_credentials(descriptor, &credentials) != 0 {
      self.init(process: 0, user: .max, groups: [])
      return
    }
    var groups = [UInt32](repeating: 0, count: Self.groupLimit)
    let count = max(0, min(Int(hearth_peer_groups(descriptor, &groups, UInt32(Self.groupLimit))), Self.groupLimit))
    self.init(process: credentials.pid, user: credentials.uid, groups: [credentials.gid] + groups.prefix(count))
    name = Accounts.name(of: user)
  }

  init(process: Int32, user: UInt32, groups: [UInt32], name: String? = nil) {
    (self.process, self.user, self.groups, self.name) = (process, user, groups, name)
  }

  /// Text for lines of the log.
  var description: String { "pid \(process) uid \(user)" }
  /// Name for people: `pi (uid 1000)`.
  var who: String { name.map { "\($0) (uid \(user))" } ?? "uid \(user)" }
}

/// The machine's users and groups.
enum Accounts {
  /// Bytes that a record of the user or group database may take: one of a group lists its members.
  private static let recordLimit = 64 << 10
  /// Bytes of a user's name: what `useradd` allows.
  static let nameLimit = 32

  /// nil: unknown, or no plain name.
  static func name(of user: uid_t) -> String? {
    var buffer = [CChar](repeating: 0, count: recordLimit)
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let text = entry.pw_name else {
      return nil
    }
    let name = String(cString: text)
    let isPlain =
      !name.isEmpty && name.utf8.count <= nameLimit && name.utf8.first != 0x2D
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || [0x2D, 0x2E, 0x5F].contains($0)
      }
    return isPlain ? name : nil
  }

  /// nil: no such group.
  static func number(ofGroup name: String) -> gid_t? {
    var buffer = [CChar](repeating: 0, count: recordLimit)
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.gr_gid
  }
}
