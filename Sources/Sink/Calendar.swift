// Days and months of UTC without a calendar's library, and numbers as they are printed.

extension FixedWidthInteger {
  func flooredDivision(by divisor: Self) -> Self {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}

/// Year × 12 + month (0 to 11) of a day since 1970-01-01, by the proleptic Gregorian calendar (Hinnant's
/// civil_from_days).
func monthOf(day: Int) -> Int {
  let (year, month, _) = civil(day: day)
  return year * 12 + month - 1
}

func civil(day: Int) -> (year: Int, month: Int, day: Int) {
  let shifted = day + 719_468
  let era = shifted.flooredDivision(by: 146_097)
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

/// Appends `2026-11-26 22:10:05.123456Z`. Years from 1 to 9999, as batches are checked to have.
func appendMoment(_ microseconds: Int64, to bytes: inout [UInt8]) {
  let day = microseconds.flooredDivision(by: 86_400_000_000)
  let rest = Int(microseconds - day * 86_400_000_000)
  let (year, month, dayOfMonth) = civil(day: Int(day))
  appendPadded(year, 4, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendPadded(month, 2, to: &bytes)
  bytes.append(UInt8(ascii: "-"))
  appendPadded(dayOfMonth, 2, to: &bytes)
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

func appendNumber(_ value: Int64, to bytes: inout [UInt8]) { appendDecimalNumber(value, to: &bytes) }

private func appendDecimalNumber(_ value: Int64, to bytes: inout [UInt8]) {
  if value < 0 { bytes.append(UInt8(ascii: "-")) }
  var rest = value.magnitude
  let start = bytes.count
  repeat {
    bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
    rest /= 10
  } while rest > 0
  bytes[start...].reverse()
}

func hexadecimal(_ value: UInt64, _ digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// `AA:BB:CC:DD:EE:FF`, the top byte first; empty where the hub does not know it any more.
func addressText(_ address: UInt64) -> String {
  if address == 0 { return "" }
  return (0..<6).map { hexadecimal(address >> UInt64(40 - 8 * $0) & 0xFF, 2).uppercased() }.joined(separator: ":")
}
