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

  /// As `rfc3339` writes it, with any offset: a time of a document. nil for anything else.
  public init?(rfc3339 text: String) {
    guard let civil = CivilTime(text: text), let offset = civil.offset else { return nil }
    self.init(microseconds: civil.microseconds(at: offset))
  }
}

@inline(__always)
func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 { value / divisor - (value % divisor < 0 ? 1 : 0) }
@inlinable
package func floorRemainder(_ value: Int64, _ divisor: Int64) -> Int64 {
  let remainder = value % divisor
  return remainder < 0 ? remainder + divisor : remainder
}
