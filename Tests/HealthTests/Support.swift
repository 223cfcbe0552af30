// What the tests of the health model share: time zones of the fixtures, times from text, random numbers that come
// again.

import CivilTime
import EventLoop
import Foundation
import Health

typealias Seeded = SplitMix64

extension SplitMix64 {
  init(_ seed: Int) { self.init(seed: UInt64(bitPattern: Int64(seed))) }
}

/// Zone files of tz database 2025b as `zic -b slim` makes them, and what Python's `zoneinfo` says about them.
enum Zones {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Zones")

  /// Slashes of the name are `-` in the file's.
  static func bytes(_ name: String) -> [UInt8] {
    [UInt8](
      try! Data(contentsOf: folder.appendingPathComponent(name.replacingOccurrences(of: "/", with: "-") + ".tzif")))
  }

  static func rules(_ name: String) -> TimeZoneRules { TimeZoneRules(tzif: bytes(name), name: name)! }

  static let names = [
    "Africa/Cairo", "Africa/Casablanca", "America/Havana", "America/Juneau", "America/New_York", "America/Nuuk",
    "America/Sao_Paulo", "America/St_Johns",
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
