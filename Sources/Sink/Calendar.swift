// Days and months of UTC without a calendar's library, and numbers as they are printed.

internal import EventLoop
internal import UplinkMessages

extension FixedWidthInteger {
  func flooredDivision(by divisor: Self) -> Self {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}

/// Year × 12 + month (0 to 11) of a day since 1970-01-01.
func monthOf(day: Int) -> Int {
  let (year, month, _) = civilDate(Int64(day))
  return Int(year) * 12 + Int(month) - 1
}

/// Appends `2026-11-26 22:10:05.123456Z`. Years from 1 to 9999, as batches are checked to have.
func appendMoment(_ microseconds: Int64, to bytes: inout [UInt8]) {
  let day = microseconds.flooredDivision(by: 86_400_000_000)
  let rest = Int(microseconds - day * 86_400_000_000)
  let (year, month, dayOfMonth) = civilDate(day)
  appendPadded(Int(year), 4, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendPadded(Int(month), 2, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendPadded(Int(dayOfMonth), 2, to: &bytes)
  bytes.append(UInt8(ascii: " "))
  appendPadded(rest / 3_600_000_000, 2, to: &bytes)
  bytes.append(UInt8(ascii: ":"))
  appendPadded(rest / 60_000_000 % 60, 2, to: &bytes)
  bytes.append(UInt8(ascii: ":"))
  appendPadded(rest / 1_000_000 % 60, 2, to: &bytes)
  if rest % 1_000_000 != 0 {
    bytes.append(UInt8(ascii: "."))
    appendPadded(rest % 1_000_000, 6, to: &bytes)
  }
  bytes.append(UInt8(ascii: "Z"))
}

func momentText(_ microseconds: Int64) -> String {
  var bytes: [UInt8] = []
  appendMoment(microseconds, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

private func appendPadded(_ value: Int, _ digits: Int, to bytes: inout [UInt8]) {
  var divisor = 1
  for _ in 1..<digits { divisor *= 10 }
  while divisor > 0 {
    bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
    divisor /= 10
  }
}

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

/// `AA:BB:CC:DD:EE:FF`, the top byte first; empty where the hub does not know it any more.
func addressText(_ address: UInt64) -> String {
  if address == 0 { return "" }
  return hexadecimal((0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(40 - 8 * $0)) }, separator: ":")
}
