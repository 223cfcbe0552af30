// Civil time without Foundation: RFC 3339 in and out.

public import EventLoop
internal import Health

extension WallTime {
  /// `2026-11-21T10:00:00.123Z`: UTC, milliseconds, rounded down.
  public var rfc3339: String {
    var text: [UInt8] = []
    appendRFC3339(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  package func appendRFC3339(to text: inout [UInt8]) {
    let milliseconds = floorDivide(microseconds, 1000)
    let (days, inDay) = (floorDivide(milliseconds, 86_400_000), floorRemainder(milliseconds, 86_400_000))
    let date = LocalDate(dayNumber: days)
    // RFC 3339 has years 0 to 9999; ISO 8601 writes others with a sign, and so does this, rather than to fail.
    if date.year < 0 || date.year > 9999 { text.append(date.year < 0 ? 0x2D : 0x2B) }
    text.append(digits: UInt64(date.year.magnitude), width: 4)
    text.append(0x2D)
    text.append(digits: UInt64(date.month), width: 2)
    text.append(0x2D)
    text.append(digits: UInt64(date.day), width: 2)
    text.append(0x54)
    text.append(digits: UInt64(inDay / 3_600_000), width: 2)
    text.append(0x3A)
    text.append(digits: UInt64(inDay / 60_000 % 60), width: 2)
    text.append(0x3A)
    text.append(digits: UInt64(inDay / 1000 % 60), width: 2)
    text.append(0x2E)
    text.append(digits: UInt64(inDay % 1000), width: 3)
    text.append(0x5A)
  }

  /// A time as people give it to `--since` and `--until`:
  ///
  /// - `2026-11-21T10:00:00Z`, with a fraction and any offset (RFC 3339; a blank may stand for the `T`);
  /// - `2026-11-21`: its midnight in UTC;
  /// - `90s`, `15m`, `2h`, `3d`, `1w`: so long before `now`;
  /// - `now`.
  ///
  /// nil for anything else.
  public init?(parsing text: String, now: WallTime) {
    if text == "now" {
      self = now
      return
    }
    if let time = Self.relative(text, now) ?? Self.absolute(text) {
      self = time
      return
    }
    return nil
  }

  private static func relative(_ text: String, _ now: WallTime) -> WallTime? {
    let seconds: Int64
    switch text.utf8.last {
    case UInt8(ascii: "s"): seconds = 1
    case UInt8(ascii: "m"): seconds = 60
    case UInt8(ascii: "h"): seconds = 3600
    case UInt8(ascii: "d"): seconds = 86_400
    case UInt8(ascii: "w"): seconds = 604_800
    default: return nil
    }
    let number = text.utf8.dropLast()
    guard (1...10).contains(number.count), number.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let count = number.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    return WallTime(microseconds: now.microseconds &- count * seconds * 1_000_000)
  }

  private static func absolute(_ text: String) -> WallTime? {
    var reader = DigitReader(Array(text.utf8.prefix(64)))
    if text.utf8.count > 64 { return nil }
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2),
      let date = LocalDate(year: Int(year), month: Int(month), day: Int(day))
    else { return nil }
    let midnight = date.dayNumber * 86_400
    if reader.isAtEnd { return WallTime(microseconds: midnight * 1_000_000) }

    guard reader.skip("T") || reader.skip("t") || reader.skip(" "),
      let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
      let second = reader.number(2),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if reader.skip(".") {
      guard let microseconds = reader.fraction() else { return nil }
      fraction = microseconds
    }
    var offset: Int64 = 0
    if !(reader.skip("Z") || reader.skip("z")) {
      let sign: Int64
      if reader.skip("+") { sign = 1 } else if reader.skip("-") { sign = -1 } else { return nil }
      guard let hours = reader.number(2), reader.skip(":"), let minutes = reader.number(2), hours < 24, minutes < 60
      else { return nil }
      offset = sign * (hours * 3600 + minutes * 60)
    }
    guard reader.isAtEnd else { return nil }
    return WallTime(microseconds: (midnight + hour * 3600 + minute * 60 + second - offset) * 1_000_000 + fraction)
  }
}

@inline(__always)
func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 { value / divisor - (value % divisor < 0 ? 1 : 0) }
func floorRemainder(_ value: Int64, _ divisor: Int64) -> Int64 {
  let remainder = value % divisor
  return remainder < 0 ? remainder + divisor : remainder
}

/// Decimal fields of fixed width.
private struct DigitReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func number(_ width: Int) -> Int64? {
    guard bytes.count - offset >= width else { return nil }
    let field = bytes[offset..<(offset + width)]
    guard field.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    offset += width
    return field.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// One or more digits as microseconds; more than six are cut.
  mutating func fraction() -> Int64? {
    var value: Int64 = 0
    var place: Int64 = 100_000
    let start = offset
    while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
      value += Int64(bytes[offset] - 0x30) * place
      place /= 10
      offset += 1
    }
    return offset > start ? value : nil
  }
}

extension Array where Element == UInt8 {
  package mutating func append(digits value: UInt64, width: Int) {
    let text = Array(String(value).utf8)
    for _ in 0..<Swift.max(0, width - text.count) { append(0x30) }
    append(contentsOf: text)
  }
}
