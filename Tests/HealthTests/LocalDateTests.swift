import Testing

@testable import CivilTime

@Suite("A local date")
struct LocalDateTests {
  @Test("is counted day by day without gap over four centuries of leap years")
  func everyDay() {
    var expected = (year: 1899, month: 12, day: 31)
    for number in LocalDate(year: 1900, month: 1, day: 1)!
      .dayNumber...LocalDate(year: 2300, month: 12, day: 31)!.dayNumber
    {
      expected.day += 1
      let isLeap =
        expected.year.isMultiple(of: 4) && !expected.year.isMultiple(of: 100) || expected.year.isMultiple(of: 400)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      if expected.day > lengths[expected.month - 1] { expected = (expected.year, expected.month + 1, 1) }
      if expected.month > 12 { expected = (expected.year + 1, 1, 1) }
      let date = LocalDate(dayNumber: number)
      guard date.year == expected.year, date.month == expected.month, date.day == expected.day, date.dayNumber == number
      else {
        Issue.record("day \(number) is \(date.text)")
        return
      }
    }
    #expect(LocalDate(dayNumber: 0).text == "1970-01-01")
  }

  @Test("is counted once also long before and long after")
  func farDays() {
    for number in Int64(-800_000)...800_000 {
      let date = LocalDate(dayNumber: number)
      guard date.dayNumber == number, (1...12).contains(date.month), (1...31).contains(date.day) else {
        Issue.record("day \(number) became \(date.text)")
        return
      }
    }
  }

  @Test(
    "that the calendar does not have is refused",
    arguments: [(2026, 2, 29), (2100, 2, 29), (2026, 0, 1), (2026, 13, 1), (2026, 4, 31), (2026, 1, 0), (.max, 1, 1)])
  func refused(year: Int, month: Int, day: Int) {
    #expect(LocalDate(year: year, month: month, day: day) == nil)
  }

  @Test("is written as ISO 8601 does, and read again")
  func text() {
    #expect(LocalDate(year: 2026, month: 1, day: 2)?.text == "2026-01-02")
    #expect(LocalDate(year: -7, month: 11, day: 30)?.text == "-0007-11-30")
    #expect(LocalDate(year: 12_026, month: 1, day: 2)?.text == "+12026-01-02")
    #expect(LocalDate(text: "2024-02-29") == LocalDate(year: 2024, month: 2, day: 29))
    for wrong in [
      "", "2026-02-29", "2026-1-02", "2026-01-02 ", "2026/01/02", "20260102", "2026-01-0a", "+026-01-02",
      "2026-01-02T00:00:00Z",
    ] {
      #expect(LocalDate(text: wrong) == nil, "\(wrong)")
    }
  }

  @Test("beyond what can be named is the first or the last of all")
  func ends() {
    #expect(LocalDate(dayNumber: .max).text == "+300000-12-31")
    #expect(LocalDate(dayNumber: .min).text == "-300000-01-01")
  }

  @Test("comes before a later one")
  func order() {
    let dates = ["1969-12-31", "1970-01-01", "2026-01-31", "2026-02-01", "2027-01-01"].map { LocalDate(text: $0)! }
    #expect(dates.shuffled().sorted() == dates)
  }
}
