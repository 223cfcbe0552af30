// Time zone files of this machine.

internal import Glibc

extension TimeZoneRules {
  private static let folder = "/usr/share/zoneinfo/"

  /// The zone of this machine, `/etc/localtime`; UTC if it is missing or unreadable.
  public static func local() -> TimeZoneRules {
    guard let bytes = contents("/etc/localtime"), let rules = TimeZoneRules(tzif: bytes, name: nameOfLocal() ?? "local")
    else { return .utc }
    return rules
  }

  /// Zone by its name in the tz database, for example `Europe/Berlin`; nil if this machine does not have it. `UTC`
  /// always exists.
  public static func named(_ name: String) -> TimeZoneRules? {
    if name == utc.name { return utc }
    guard isZoneName(name), let bytes = contents(folder + name) else { return nil }
    return TimeZoneRules(tzif: bytes, name: name)
  }

  /// Whether the name consists of letters, digits, `_`, `+` and `-` between slashes, at most 64 bytes. Such a name
  /// cannot leave the folder.
  static func isZoneName(_ name: String) -> Bool {
    let bytes = Array(name.utf8.prefix(65))
    guard (1...64).contains(bytes.count) else { return false }
    return bytes.split(separator: 0x2F, omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy {
          (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
            || $0 == 0x2B || $0 == 0x2D
        }
    }
  }

  /// Name in the target of the link, by the convention of all systems that have one.
  private static func nameOfLocal() -> String? {
    let target = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String? in
      guard let base = buffer.baseAddress else { return nil }
      let count = readlink("/etc/localtime", base, buffer.count)
      guard count > 0, count < buffer.count else { return nil }
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let mark = Array("/zoneinfo/".utf8)
    guard let path = target.map({ Array($0.utf8) }), path.count > mark.count,
      let start = path.indices.last(where: { path[$0...].starts(with: mark) })
    else { return nil }
    let name = String(decoding: path[(start + mark.count)...], as: UTF8.self)
    return isZoneName(name) ? name : nil
  }

  /// Contents of a regular file; nil if it has more than `TZif.sizeLimit` bytes or cannot be read.
  private static func contents(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= TZif.sizeLimit else {
      return nil
    }
    let size = Int(status.st_size)
    var filled = 0
    var bytes = [UInt8](repeating: 0, count: size)
    let isComplete = bytes.withUnsafeMutableBytes { buffer in
      while filled < size {
        let count = read(file, buffer.baseAddress.map { $0 + filled }, size - filled)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        filled += count
      }
      return true
    }
    return isComplete ? bytes : nil
  }
}
