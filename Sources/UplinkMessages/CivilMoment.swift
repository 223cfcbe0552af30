// Times of the daemon's documents as microseconds, and back.

/// Of RFC 3339 in UTC (`2026-11-21T10:00:00.123Z`, up to six digits behind the point); nil for anything else.
public func civilMicroseconds(_ text: String) -> Int64? {
  let bytes = Array(text.utf8)
  guard bytes.count >= 20, bytes.count <= 27, bytes.last == UInt8(ascii: "Z") else { return nil }
  func number(_ range: Range<Int>) -> Int64? {
    var value: Int64 = 0
    for byte in bytes[range] {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - 0x30)
    }
    return value
  }
  func has(_ character: Character, _ place: Int) -> Bool { character.asciiValue == bytes[place] }
  guard has("-", 4), has("-", 7), has("T", 10), has(":", 13), has(":", 16), let year = number(0..<4),
    let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
    let second = number(17..<19), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61
  else { return nil }
  var micro: Int64 = 0
  if bytes.count > 20 {
    guard has(".", 19), let fraction = number(20..<(bytes.count - 1)), bytes.count > 21 else { return nil }
    micro = fraction
    for _ in (bytes.count - 21)..<6 { micro *= 10 }
  }
  return ((days(year, month, day) * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000 + micro
}

/// In milliseconds where it is whole ones, else in microseconds; years 1 to 9999, beyond them the nearest.
public func civilText(_ microseconds: Int64) -> String {
  let bounded = min(max(microseconds, -62_135_596_800_000_000), 253_402_300_799_999_999)
  let second = bounded >= 0 ? bounded / 1_000_000 : (bounded - 999_999) / 1_000_000
  let micro = bounded - second * 1_000_000
  let day = second >= 0 ? second / 86_400 : (second - 86_399) / 86_400
  let clock = second - day * 86_400
  let (year, month, date) = civilDate(day)
  func padded(_ value: Int64, _ width: Int) -> String {
    let digits = "\(value)"
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
  let fraction = micro % 1000 == 0 ? padded(micro / 1000, 3) : padded(micro, 6)
  return "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T\(padded(clock / 3600, 2))"
    + ":\(padded(clock / 60 % 60, 2)):\(padded(clock % 60, 2)).\(fraction)Z"
}

// Both ways by eras of 400 years that begin in March (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").

private func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let shifted = month <= 2 ? year - 1 : year
  let era = (shifted >= 0 ? shifted : shifted - 399) / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

/// Of a day since 1970-01-01, by the proleptic Gregorian calendar.
public func civilDate(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let shifted = day + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}
