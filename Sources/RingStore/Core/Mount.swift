// The kernel's list of mounts, and which block device one is of.

/// One line of /proc/self/mountinfo (proc(5)):
/// `36 35 98:0 /root /place rw,noatime master:1 - ext4 /dev/root rw,errors=continue`.
public struct Mount: Sendable, Hashable {
  let number: String
  public let place: String
  /// `179:2`; `0:` and a number where there is no block device.
  public let device: String
  public let kind: String
  public let source: String
  /// Of the file system.
  let options: [String]
  public let isReadOnly: Bool

  /// nil for what is none.
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
    // Of the mount, or of the file system below it after an error: kernels from 6.15 on leave `rw` there and say so
    // beside it.
    isReadOnly =
      words[5].split(separator: ",").contains("ro")
      || options.contains { $0 == "ro" || $0 == "emergency_ro" || $0 == "shutdown" }
  }

  func option(_ name: String) -> String? {
    options.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
  }

  /// The one that a path without symbolic links lies on.
  public static func holding(_ path: String, among mounts: [Mount]) -> Mount? {
    var best: Mount?
    for mount in mounts where mount.place == "/" || path == mount.place || path.hasPrefix(mount.place + "/") {
      // Of two at one place the later one lies above.
      if mount.place.utf8.count >= best?.place.utf8.count ?? 0 { best = mount }
    }
    return best
  }

  /// Blanks and the like are `\040`.
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

/// Names below /sys/block.
public struct BlockDevice: Sendable, Hashable {
  /// `mmcblk0`
  public let disk: String
  /// `mmcblk0p2`; the disk itself where that is what is meant.
  public let name: String

  /// - Parameter link: where a link of /sys to it leads: `../../devices/platform/…/block/mmcblk0/mmcblk0p2`. nil for
  ///   what is none.
  public init?(link: String) {
    let words = link.split(separator: "/")
    guard let block = words.lastIndex(of: "block"), block + 1 < words.count else { return nil }
    disk = String(words[block + 1])
    name = String(words[words.count - 1])
  }
}
