// The kernel's list of mounts, and the block device behind a mount.

/// A line of /proc/self/mountinfo (proc(5)): `36 35 98:0 /root /place rw,noatime master:1 - ext4 /dev/root
/// rw,errors=continue`.
public struct Mount: Sendable, Hashable {
  let number: String
  /// Directory of the mount.
  public let place: String
  /// `179:2`; `0:` and a number for a file system without a block device.
  public let device: String
  /// Type of the file system.
  public let kind: String
  /// Device or source of the mount.
  public let source: String
  /// Options of the file system.
  let options: [String]
  /// True if it is mounted read-only.
  public let isReadOnly: Bool

  /// Parses a line; nil if it is not a valid one.
  public init?(_ line: Substring) {
    let words = line.split(separator: " ")
    guard words.count >= 9, let dash = words.dropFirst(6).firstIndex(of: "-"), dash + 3 < words.count else {
      return nil
    }
    number = String(words[0])
    device = String(words[2])
    place = Self.unescaped(words[4])
    kind = String(words[dash + 1])
    source = Self.unescaped(words[dash + 2])
    let options = words[dash + 3].split(separator: ",")
    self.options = options.map { Self.unescaped($0) }
    // Read-only by the mount, or by the file system below it after an error. Kernels from 6.15 on leave `rw` there and
    // add a word about the error.
    isReadOnly =
      words[5].split(separator: ",").contains("ro")
      || options.contains { $0 == "ro" || $0 == "emergency_ro" || $0 == "shutdown" }
  }

  func option(_ name: String) -> String? {
    options.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
  }

  /// The mount that holds a path without symbolic links.
  public static func holding(_ path: String, among mounts: [Mount]) -> Mount? {
    var best: Mount?
    for mount in mounts where mount.place == "/" || path == mount.place || path.hasPrefix(mount.place + "/") {
      // Of two mounts at one place the later one is on top.
      if mount.place.utf8.count >= best?.place.utf8.count ?? 0 { best = mount }
    }
    return best
  }

  /// Decodes octal escapes: a blank is `\040`.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == 0x5C, digits.count == 3, let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The name of a disk and of a part of it below /sys/block.
public struct BlockDevice: Sendable, Hashable {
  /// Name of the whole disk, such as `mmcblk0`.
  public let disk: String
  /// Name of the partition, such as `mmcblk0p2`, or of the disk itself.
  public let name: String

  /// Reads the target of a link of /sys to a block device; nil for other links.
  ///
  /// - Parameter link: such as `../../devices/platform/…/block/mmcblk0/mmcblk0p2`.
  public init?(link: String) {
    let words = link.split(separator: "/")
    guard let block = words.lastIndex(of: "block"), block + 1 < words.count else { return nil }
    disk = String(words[block + 1])
    name = String(words[words.count - 1])
  }
}
