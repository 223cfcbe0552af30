// A civil date, and its number of days.
//
// Dates are counted in the proleptic Gregorian calendar, in years that begin on 1 March. So the leap day is the last of
// its year and the months' lengths repeat every five. 400 years are 146,097 days; 1970-01-01 is day 719,468 from
// 0000-03-01.

/// Day of the calendar, without a place.
public struct LocalDate: Hashable, Sendable, Comparable {
  /// Astronomical year: 0 is the year before 1.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// `Jan` to `Dec`.
  public var monthName: String { Self.months[month - 1] }

  /// Supported years: somewhat more than 64 bits of microseconds reach.
  public static let years = -300_000...300_000

  /// nil for a date that does not exist in the calendar.
  public init?(year: Int, month: Int, day: Int) {
    guard Self.years.contains(year), (1...12).contains(month), day >= 1, day <= Self.daysIn(month: month, year: year)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Parses exactly the form `2026-11-21`; nil for any other text.
  public init?(text: String) {
    let bytes = Array(text.utf8.prefix(11))
    guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      var value = 0
      for byte in bytes[range] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// Age in whole years on a date of a person born on this one; negative before. A birthday of 29 February is on 1
  /// March in other years.
  public func age(on date: LocalDate) -> Int {
    date.year - year - ((date.month, date.day) >= (month, day) ? 0 : 1)
  }

  /// Converts days since 1970-01-01; days beyond `years` become the first or last supported day.
  public init(dayNumber: Int64) {
    let shifted = Swift.min(Swift.max(dayNumber, Self.firstDayNumber), Self.lastDayNumber) + 719_468
    let era = floorDivide(shifted, 146_097)
    let inEra = shifted - era * 146_097
    // Leap days are removed: every 4 years there is one, every 100 not, every 400 again.
    let yearInEra = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
    let inYear = inEra - (365 * yearInEra + yearInEra / 4 - yearInEra / 100)
    // Five months from March on have 153 days.
    let shiftedMonth = (5 * inYear + 2) / 153
    day = Int(inYear - (153 * shiftedMonth + 2) / 5 + 1)
    month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    year = Int(yearInEra + era * 400 + (month <= 2 ? 1 : 0))
  }

  /// Days since 1970-01-01.
  public var dayNumber: Int64 { Self.dayNumber(year: Int64(year), month: month, day: day) }

  /// `2026-11-21`. Years outside 0 to 9999 have a sign, as in ISO 8601.
  public var text: String {
    let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
    return sign + Self.padded(year.magnitude, 4) + "-" + Self.padded(month.magnitude, 2) + "-"
      + Self.padded(day.magnitude, 2)
  }

  public static func < (a: LocalDate, b: LocalDate) -> Bool { (a.year, a.month, a.day) < (b.year, b.month, b.day) }

  /// 28 to 31; `month` is 1 to 12.
  static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// `month` is 1 to 12; `day` may lie outside its month and is then counted from there.
  static func dayNumber(year: Int64, month: Int, day: Int) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floorDivide(shiftedYear, 400)
    let yearInEra = shiftedYear - era * 400
    let inYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    return era * 146_097 + yearInEra * 365 + yearInEra / 4 - yearInEra / 100 + inYear - 719_468
  }

  private static let firstDayNumber = dayNumber(year: Int64(years.lowerBound), month: 1, day: 1)
  private static let lastDayNumber = dayNumber(year: Int64(years.upperBound), month: 12, day: 31)

  private static func padded(_ value: UInt, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
