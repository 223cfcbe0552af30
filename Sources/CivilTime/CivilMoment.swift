// Parsing of a date and a time of day, and their conversion to a moment in a time zone.

/// Date with a time of day, and the UTC offset if the text has one.
public struct CivilMoment: Hashable, Sendable {
  /// Day of the calendar.
  public let date: LocalDate
  /// Microseconds of local time since 00:00.
  public let inDay: Int64
  /// Seconds east of UTC; nil: the text has no offset, and the caller must decide.
  public let offset: Int64?

  /// Parses `2026-11-21T10:00:00.123Z`: RFC 3339, with a blank or a `T` between date and time. Seconds, fraction and
  /// offset are optional. nil for any other text.
  public init?(text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let bytes = Array(text.utf8)
    guard bytes.count > 11, [0x54, 0x74, 0x20].contains(bytes[10]),
      let date = LocalDate(text: String(decoding: bytes[..<10], as: UTF8.self))
    else { return nil }
    var reader = DigitReader(bytes[11...])
    guard let inDay = reader.timeOfDay() else { return nil }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    self.date = date
    self.inDay = inDay
    self.offset = offset
  }

  /// Parses `14:30`, `14:30:05`, `14:30:05.5` to microseconds; nil for any other text.
  public static func timeOfDay(_ text: String) -> Int64? {
    guard text.utf8.count <= 32 else { return nil }
    var reader = DigitReader(Array(text.utf8)[...])
    guard let inDay = reader.timeOfDay(), reader.isAtEnd else { return nil }
    return inDay
  }

  /// Microseconds since 1970 at an offset of this many seconds.
  public func microseconds(at offset: Int64) -> Int64 { (date.dayNumber * 86_400 - offset) * 1_000_000 + inDay }
}

extension TimeZoneRules {
  /// The first moment, microseconds since 1970, at which local clocks show this time of day. If clocks skip it when
  /// they go forward, the moment of the change.
  public func moment(_ date: LocalDate, inDay: Int64) -> Int64 {
    let whole = floorDivide(inDay, 1_000_000) * 1_000_000
    let shown = date.dayNumber * 86_400 + whole / 1_000_000
    var stretch = stretch(at: shown - Self.offsetRange.upperBound)
    var skipped: Int64?
    while stretch.start <= shown - Self.offsetRange.lowerBound {
      let second = shown - stretch.offset
      if second >= stretch.start, second < stretch.end { return second * 1_000_000 + inDay - whole }
      if second >= stretch.end, stretch.end < Self.never, skipped == nil,
        self.stretch(at: stretch.end).offset + stretch.end > shown
      {
        skipped = stretch.end
      }
      if stretch.end >= Self.never { break }
      stretch = self.stretch(at: stretch.end)
    }
    // Unreachable with ascending rules: each time is shown in a stretch, or skipped between two.
    return (skipped ?? shown - stretch.offset) * 1_000_000
  }

  /// Whether local clocks show the time of this moment twice; then only an offset distinguishes the two.
  /// - Parameter time: microseconds since 1970.
  public func isShownTwice(_ time: Int64) -> Bool {
    let second = floorDivide(time, 1_000_000)
    let now = stretch(at: second)
    if now.start > -Self.never {
      let gained = stretch(at: now.start - 1).offset - now.offset
      if second - now.start < gained { return true }
    }
    if now.end < Self.never {
      let gained = now.offset - stretch(at: now.end).offset
      if now.end - second <= gained { return true }
    }
    return false
  }
}

/// Reader of decimal fields of fixed width.
private struct DigitReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number(_ width: Int) -> Int64? {
    let field = rest.prefix(width)
    guard field.count == width, field.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(width)
    return field.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Parses `10:00`, `10:00:05`, `10:00:05.123` to microseconds. A leap second belongs to the next minute.
  mutating func timeOfDay() -> Int64? {
    guard let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60 else { return nil }
    var time = (hour * 3600 + minute * 60) * 1_000_000
    if skip(":") {
      guard let second = number(2), second <= 60 else { return nil }
      time += second * 1_000_000
      if skip(".") {
        guard let part = fraction() else { return nil }
        time += part
      }
    }
    return time
  }

  /// Parses `Z` or `+02:00`; no text is `.some(nil)`. nil for an invalid offset.
  mutating func offset() -> Int64?? {
    if rest.isEmpty { return .some(nil) }
    if skip("Z") || skip("z") { return .some(0) }
    let isEast = skip("+")
    guard isEast || skip("-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
    else { return nil }
    return .some((isEast ? 1 : -1) * (hours * 3600 + minutes * 60))
  }

  /// Parses one or more digits as microseconds; digits after the sixth are dropped.
  private mutating func fraction() -> Int64? {
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    if digits.isEmpty { return nil }
    rest = rest.dropFirst(digits.count)
    let six = digits.prefix(6)
    return (0..<6).reduce(Int64(0)) { value, place in
      value * 10 + (place < six.count ? Int64(six[six.startIndex + place] - 0x30) : 0)
    }
  }
}
