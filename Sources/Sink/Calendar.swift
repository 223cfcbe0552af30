// Months, times and numbers in the database's formats.

import CivilTime
internal import EventLoop
internal import UplinkMessages

/// Year × 12 + month (0 to 11) of a day since 1970-01-01.
func monthOf(day: Int) -> Int {
  let date = LocalDate(dayNumber: Int64(day))
  return date.year * 12 + date.month - 1
}

/// `2026-11-26 22:10:05.123456Z`. Years from 1 to 9999, as validated in batches.
func momentText(_ microseconds: Int64) -> String { momentText(microseconds, .orNone, separator: " ") }

func appendNumber(_ value: Int64, to bytes: inout [UInt8]) {
  if value < 0 { bytes.append(UInt8(ascii: "-")) }
  var rest = value.magnitude
  let start = bytes.count
  repeat {
    bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
    rest /= 10
  } while rest > 0
  bytes[start...].reverse()
}

/// `AA:BB:CC:DD:EE:FF`, the top byte first; empty if the hub no longer knows it.
func addressText(_ address: UInt64) -> String {
  if address == 0 { return "" }
  return hexadecimal((0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(40 - 8 * $0)) }, separator: ":")
}
