// Rule for yearly clock changes after the last listed one: the footer of a TZif file.

/// A POSIX `TZ` string such as `CET-1CEST,M3.5.0,M10.5.0/3`, with the extensions of RFC 9636 (hours from −167 to 167).
struct YearlyRule: Sendable, Equatable {
  /// Moment in a year: seconds of local clock from the midnight that begins `day`.
  struct Moment: Sendable, Equatable {
    enum Day: Sendable, Equatable {
      /// 1 to 365; 29 February is never counted.
      case julian(Int)
      /// 0 to 365, with 29 February.
      case ordinal(Int)
      /// Month 1 to 12; week 1 to 5, 5 being the last; weekday 0 (Sunday) to 6.
      case weekday(month: Int, week: Int, weekday: Int)
    }
    var day: Day
    var time: Int64 = 7200

    /// Seconds since 1970 as local clocks show them.
    func local(in year: Int64) -> Int64 {
      let number: Int64
      switch day {
      case .julian(let day):
        // Days from 1 March on are counted from there, so that leap years make no difference.
        number =
          day < 60
          ? LocalDate.dayNumber(year: year, month: 1, day: day)
          : LocalDate.dayNumber(year: year, month: 3, day: day - 59)
      case .ordinal(let day): number = LocalDate.dayNumber(year: year, month: 1, day: 1) + Int64(day)
      case .weekday(let month, let week, let weekday):
        let first = LocalDate.dayNumber(year: year, month: month, day: 1)
        // 1970-01-01 was a Thursday, 4.
        let firstWeekday = first + 4 - floorDivide(first + 4, 7) * 7
        var day = (Int64(weekday) - firstWeekday + 7) % 7 + Int64(week - 1) * 7
        if day >= Int64(LocalDate.daysIn(month: month, year: Int(year))) { day -= 7 }
        number = first + day
      }
      return number * 86_400 + time
    }
  }

  /// Seconds east of UTC.
  var standard: Int64
  /// Daylight saving time: its offset, its start in standard time and its end in daylight time.
  struct Daylight: Sendable, Equatable {
    var offset: Int64
    var begin: Moment
    var end: Moment
  }
  var daylight: Daylight?

  /// nil for any text other than one such string.
  init?(_ bytes: some Sequence<UInt8>) {
    var reader = RuleReader(bytes)
    guard reader.skipName(), let standard = reader.time(hours: 24) else { return nil }
    self.standard = -standard
    if !reader.isAtEnd {
      guard reader.skipName() else { return nil }
      var offset = self.standard + 3600
      if reader.next != UInt8(ascii: ",") {
        guard let stated = reader.time(hours: 24) else { return nil }
        offset = -stated
      }
      guard let begin = reader.moment(), let end = reader.moment(), reader.isAtEnd else { return nil }
      daylight = Daylight(offset: offset, begin: begin, end: end)
    }
    guard TimeZoneRules.offsetRange.contains(self.standard), TimeZoneRules.offsetRange.contains(daylight?.offset ?? 0)
    else { return nil }
  }

  func stretch(at second: Int64) -> TimeZoneRules.Stretch {
    guard let daylight else { return TimeZoneRules.Stretch(offset: standard) }
    var stretch = TimeZoneRules.Stretch(offset: standard)
    let year = Int64(LocalDate(dayNumber: floorDivide(second, 86_400)).year)
    // A moment may lie a week outside its year. Of two changes at the same time the later year's wins. So a period that
    // ends when it begins again continues.
    func meet(_ change: Int64, _ offset: Int64) {
      if change > second {
        stretch.end = min(stretch.end, change)
      } else if change >= stretch.start {
        (stretch.start, stretch.offset) = (change, offset)
      }
    }
    for year in (year - 2)...(year + 2) {
      let begin = daylight.begin.local(in: year) - standard
      let end = daylight.end.local(in: year) - daylight.offset
      if begin <= end { meet(begin, daylight.offset) }
      meet(end, standard)
      if begin > end { meet(begin, daylight.offset) }
    }
    return stretch
  }
}

/// Parser of such a string; reads at most `limit` bytes.
private struct RuleReader {
  private let bytes: [UInt8]
  private var offset = 0
  private static let limit = 256

  init(_ source: some Sequence<UInt8>) { bytes = Array(source.prefix(Self.limit + 1)) }

  var isAtEnd: Bool { offset == bytes.count && bytes.count <= Self.limit }
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// `CET`, `<+0530>`: at least three characters.
  mutating func skipName() -> Bool {
    let isQuoted = skip("<")
    let start = offset
    while let byte = next, isLetter(byte) || isQuoted && (isDigit(byte) || byte == 0x2B || byte == 0x2D) { offset += 1 }
    return offset - start >= 3 && (!isQuoted || skip(">"))
  }

  /// `[+-]h[hh][:mm[:ss]]` in seconds.
  mutating func time(hours limit: Int) -> Int64? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hours = number(0...limit) else { return nil }
    var seconds = hours * 3600
    if skip(":") {
      guard let minutes = number(0...59) else { return nil }
      seconds += minutes * 60
      if skip(":") {
        guard let more = number(0...59) else { return nil }
        seconds += more
      }
    }
    return Int64(isNegative ? -seconds : seconds)
  }

  /// `,M3.5.0/2`, `,J60`, `,365/-1`.
  mutating func moment() -> YearlyRule.Moment? {
    guard skip(",") else { return nil }
    var moment: YearlyRule.Moment
    if skip("M") {
      guard let month = number(1...12), skip("."), let week = number(1...5), skip("."), let weekday = number(0...6)
      else { return nil }
      moment = YearlyRule.Moment(day: .weekday(month: month, week: week, weekday: weekday))
    } else if skip("J") {
      guard let day = number(1...365) else { return nil }
      moment = YearlyRule.Moment(day: .julian(day))
    } else {
      guard let day = number(0...365) else { return nil }
      moment = YearlyRule.Moment(day: .ordinal(day))
    }
    if skip("/") {
      guard let time = time(hours: 167) else { return nil }
      moment.time = time
    }
    return moment
  }

  /// A number of one to three digits.
  private mutating func number(_ range: ClosedRange<Int>) -> Int? {
    var value = 0
    let start = offset
    while let byte = next, isDigit(byte), offset - start < 3 {
      value = value * 10 + Int(byte - 0x30)
      offset += 1
    }
    return offset > start && range.contains(value) ? value : nil
  }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
}
