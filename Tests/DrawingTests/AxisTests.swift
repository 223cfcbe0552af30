import CivilTime
import Health
import Testing

@testable import Drawing

private let second: Int64 = 1_000_000
private let hour = 3600 * second

/// Berlin, from the machine's own files.
private func berlin() throws -> TimeZoneRules { try #require(TimeZoneRules.named("Europe/Berlin")) }

struct AxisTests {
  @Test(arguments: [
    (61.0, 143.0, 4, ["60", "80", "100", "120", "140", "160"]), (36.42, 36.91, 3, ["36.4", "36.6", "36.8", "37.0"]),
    (0.0, 8042.0, 4, ["0", "2000", "4000", "6000", "8000", "10000"]), (-3.0, 4.0, 4, ["-4", "-2", "0", "2", "4"]),
    (72.0, 72.0, 3, ["71.0", "71.5", "72.0", "72.5", "73.0"]), (0.0, 0.0, 2, ["-1", "0", "1"]),
  ])
  func `marks stand at round numbers and hold all values`(
    low: Double, high: Double, marks: Int, labels: [String]
  ) {
    let axis = NumberAxis(from: low, to: high, marks: marks)
    #expect(axis.marks.map { axis.label($0) } == labels)
    #expect(axis.low <= low && axis.high >= high)
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e-300, 1e100, -1e15,
  ])
  func `an axis of numbers is made of anything`(value: Double) {
    for other in [value, 0, 1, -value] {
      let axis = NumberAxis(from: value, to: other, marks: 3)
      #expect(axis.low < axis.high)
      #expect((2...20).contains(axis.marks.count))
      #expect((0...1).contains(axis.place(other.isNaN ? 0 : other)))
    }
  }

  @Test func `a day has its marks at the hours that clocks show`() throws {
    // 2026-11-22 in UTC.
    let start: Int64 = 1_795_305_600 * second
    let axis = TimeAxis(start..<(start + 24 * hour), zone: .utc, room: 5)
    #expect(axis.marks.map(\.label) == ["00:00", "06:00", "12:00", "18:00"])
  }

  @Test func `days on which clocks change have theirs at the same hours`() throws {
    let zone = try berlin()
    // 2026-03-29 has 23 hours, 2026-10-25 has 25.
    for (date, hours) in [("2026-03-29", 23), ("2026-10-25", 25)] {
      let span = zone.span(of: try #require(LocalDate(text: date)))
      #expect((span.upperBound - span.lowerBound) / hour == Int64(hours))
      let axis = TimeAxis(span, zone: zone, room: 5)
      #expect(axis.marks.map(\.label) == ["00:00", "06:00", "12:00", "18:00"])
      // Eight hours before the end it is 16:00, whatever the night was.
      #expect(axis.marks.last?.time == span.upperBound - 6 * hour)
    }
  }

  @Test func `an hour that clocks show twice has two marks, and one that they leave out has no mark`() throws {
    let zone = try berlin()
    let autumn = zone.span(of: try #require(LocalDate(text: "2026-10-25")))
    let twice = TimeAxis(autumn.lowerBound..<(autumn.lowerBound + 5 * hour), zone: zone, room: 6)
    #expect(twice.marks.map(\.label) == ["00:00", "01:00", "02:00", "02:00", "03:00"])
    let spring = zone.span(of: try #require(LocalDate(text: "2026-03-29")))
    let once = TimeAxis(spring.lowerBound..<(spring.lowerBound + 4 * hour), zone: zone, room: 5)
    #expect(once.marks.map(\.label) == ["00:00", "01:00", "03:00", "04:00"])
  }

  @Test func `longer spans are marked by days, months and years`() {
    let start: Int64 = 1_795_305_600 * second
    let week = TimeAxis(start..<(start + 7 * 24 * hour), zone: .utc, room: 8)
    #expect(week.marks.map(\.label).first == "22 Nov")
    #expect(week.marks.count == 7)
    let ends = TimeAxis(Int64.min..<Int64.max, zone: .utc, room: 10)
    #expect(ends.marks.count <= 400)
    let none = TimeAxis(start..<start, zone: .utc, room: 0)
    #expect(none.span.upperBound == start + second)
  }
}
