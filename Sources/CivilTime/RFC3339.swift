// Moments in UTC as text for documents and exports: RFC 3339, without allocations.

/// Digits after the second.
public enum MomentFraction: Sendable {
  /// Three; finer digits are dropped.
  case milliseconds
  /// Three for whole milliseconds, otherwise six.
  case exact
  /// Digits: none for whole seconds, otherwise six.
  case orNone
}

extension Array where Element == UInt8 {
  /// Appends `2026-11-21T10:00:00.123Z`. Years outside 0 to 9999 get a sign, as in ISO 8601.
  ///
  /// - Parameters:
  ///   - microseconds: since 1970-01-01T00:00:00Z.
  ///   - separator: between date and time of day.
  public mutating func append(
    moment microseconds: Int64, _ fraction: MomentFraction, separator: Unicode.Scalar = "T"
  ) {
    let day = floorDivide(microseconds, 86_400_000_000)
    let inDay = UInt64(floorRemainder(microseconds, 86_400_000_000))
    let date = LocalDate(dayNumber: day)
    if date.year < 0 || date.year > 9999 { append(UInt8(ascii: date.year < 0 ? "-" : "+")) }
    append(digits: UInt64(date.year.magnitude), width: 4)
    append(0x2D)
    append(digits: UInt64(date.month), width: 2)
    append(0x2D)
    append(digits: UInt64(date.day), width: 2)
    append(UInt8(ascii: separator))
    append(digits: inDay / 3_600_000_000, width: 2)
    append(0x3A)
    append(digits: inDay / 60_000_000 % 60, width: 2)
    append(0x3A)
    append(digits: inDay / 1_000_000 % 60, width: 2)
    let micro = inDay % 1_000_000
    switch fraction {
    case .orNone where micro == 0: break
    case .milliseconds,
      .exact where micro % 1000 == 0:
      append(0x2E)
      append(digits: micro / 1000, width: 3)
    case .exact, .orNone:
      append(0x2E)
      append(digits: micro, width: 6)
    }
    append(0x5A)
  }
}

/// `2026-11-21T10:00:00.123Z`; see `append(moment:_:separator:)`.
public func momentText(_ microseconds: Int64, _ fraction: MomentFraction, separator: Unicode.Scalar = "T") -> String {
  var text: [UInt8] = []
  text.append(moment: microseconds, fraction, separator: separator)
  return String(decoding: text, as: UTF8.self)
}

/// Parses a time of a document to microseconds since 1970: RFC 3339 with any offset. Years outside 0 to 9999 are read
/// as `append(moment:_:separator:)` writes them. nil for any other text, and without an offset.
public func moment(rfc3339 text: String) -> Int64? {
  var bytes = text
  let written = bytes.withUTF8 { bytes in
    var reader = MomentReader(rest: bytes[...])
    return reader.read()
  }
  if let written { return written }
  guard let moment = CivilMoment(text: text), let offset = moment.offset else { return nil }
  return moment.microseconds(at: offset)
}
