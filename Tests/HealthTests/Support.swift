// What the tests of the health model share: time zones of the fixtures, times from text, random numbers that come again.

import Foundation
import Health

/// SplitMix64: small, seeded, the same on every machine.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}

/// Zone files of tz database 2025b as `zic -b slim` makes them, and what Python's `zoneinfo` says about them.
enum Zones {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Zones")

  /// Slashes of the name are `-` in the file's.
  static func bytes(_ name: String) -> [UInt8] {
    [UInt8](try! Data(contentsOf: folder.appendingPathComponent(name.replacingOccurrences(of: "/", with: "-") + ".tzif")))
  }

  static func rules(_ name: String) -> TimeZoneRules { TimeZoneRules(tzif: bytes(name), name: name)! }

  static let names = [
    "Africa/Cairo", "Africa/Casablanca", "America/Havana", "America/Juneau", "America/New_York", "America/Nuuk", "America/Sao_Paulo", "America/St_Johns",
    "Asia/Beirut", "Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin", "Pacific/Apia", "Pacific/Kwajalein",
  ]
}

/// `2026-11-21T10:00:00` with an offset such as `Z` or `+02:00`, in microseconds since 1970.
func at(_ text: String) -> Int64 {
  let format = ISO8601DateFormatter()
  return Int64(format.date(from: text)!.timeIntervalSince1970) * 1_000_000
}

func date(_ text: String) -> LocalDate { LocalDate(text: text)! }

let second: Int64 = 1_000_000
let hour: Int64 = 3_600_000_000
