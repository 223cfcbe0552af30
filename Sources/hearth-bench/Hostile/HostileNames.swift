// Data that any wearable sends before a driver looks at it: its attributes, and texts.

import Bluetooth
import EventLoop

enum HostileNames {
  static let all = [
    HostileCase(name: "Any: a database of 512 attributes, read from its cache") {
      let bytes = cache()
      return (
        bytes.count,
        { bytes.withUnsafeBytes { GATTCache(decoding: $0) }?.encode() == bytes ? "the same" : "refused" }
      )
    },
    text("a name of nothing but accents", HostileBands.many([0xCC, 0x81], 256)),
    text("a name of escape sequences", HostileBands.many([0x1B, 0x5D], 256)),
    text("a name of broken letters", HostileBands.many([0xF0, 0x9F], 256)),
  ]

  /// 64 services; 224 characteristics have two attributes each: together 512.
  private static func cache() -> [UInt8] {
    var (bytes, handle): ([UInt8], UInt16) = ([1, 0, 64], 1)
    func put(_ number: UInt16) { bytes += [UInt8(number & 0xFF), UInt8(number >> 8)] }
    let type = [16] + [UInt8](repeating: 0xC3, count: 16)
    for service in 0..<64 {
      let count: UInt16 = service < 32 ? 4 : 3
      put(handle)
      put(handle + 2 * count)
      bytes += type
      put(count)
      for _ in 0..<count {
        put(handle + 1)
        put(handle + 2)
        bytes += [0x12] + type + [0, 0]
        handle += 2
      }
      handle += 1
    }
    return bytes
  }

  /// A thousand of them, as a scan in a gym may hear, ten a turn.
  private static func text(_ name: String, _ bytes: [UInt8]) -> HostileCase {
    HostileCase(name: "Any: \(name)") {
      (
        bytes.count * 1000,
        {
          var longest = 0
          for place in 0..<1000 {
            let text = bytes.withUnsafeBytes { String(cleaning: $0) }
            longest = max(longest, text?.utf8.count ?? 0)
            if place % 10 == 9 { await Task.yield() }
          }
          return "\(longest) bytes kept"
        }
      )
    }
  }
}
