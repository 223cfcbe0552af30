// On which file system and which device a folder lies.

/// One mount of /proc/self/mountinfo.
struct Mount: Sendable, Hashable {
  var place: String
  /// `179:2`; `0:` and a number where there is no block device.
  var device: String
  var kind: String
  var source: String
  var isReadOnly: Bool

  /// `36 35 98:0 /root /place rw,noatime master:1 - ext4 /dev/root rw,errors=continue` (proc(5)); nil for what is none.
  init?(_ line: Substring) {
    let words = line.split(separator: " ")
    guard words.count >= 9, let dash = words.dropFirst(6).firstIndex(of: "-"), dash + 3 < words.count else {
      return nil
    }
    place = Self.unescaped(words[4])
    device = String(words[2])
    kind = String(words[dash + 1])
    source = Self.unescaped(words[dash + 2])
    // Of the mount, or of the file system below it after an error.
    isReadOnly = [words[5], words[dash + 3]].contains { $0.split(separator: ",").contains("ro") }
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

/// Where a folder lies.
struct Storage: Sendable, Hashable {
  var mount: Mount
  /// Names below /sys/block: `mmcblk0p2` of `mmcblk0`. nil: no block device, or one that is not told.
  var partition: String?
  var disk: String?

  /// - Parameter path: absolute. nil where the mounts may not be read.
  init?(of path: String, _ machine: Machine) {
    let path = machine.resolved(path)
    var best: Mount?
    for line in machine.lines("/proc/self/mountinfo") ?? [] {
      guard let mount = Mount(line), Self.holds(mount.place, path) else { continue }
      // Of two at one place the later one lies above.
      if mount.place.utf8.count >= best?.place.utf8.count ?? 0 { best = mount }
    }
    guard let best else { return nil }
    mount = best
    // ../../devices/platform/…/block/mmcblk0/mmcblk0p2
    guard let link = machine.link("/sys/dev/block/\(best.device)") else { return }
    let words = link.split(separator: "/")
    guard let block = words.lastIndex(of: "block"), block + 1 < words.count else { return }
    disk = String(words[block + 1])
    partition = words.last.map { String($0) }
  }

  private static func holds(_ place: String, _ path: String) -> Bool {
    place == "/" || path == place || path.hasPrefix(place + "/")
  }

  /// An SD card or an eMMC.
  var isCard: Bool { disk?.hasPrefix("mmcblk") ?? false }
}
