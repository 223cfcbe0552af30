import Testing

@testable import Health

@Suite("What a wearable marked, and what is derived,")
struct DaySummaryTests {
  private static let noon = at("2026-11-21T12:00:00Z")

  private func flags(_ kind: SampleKind, manual: Bool = false) -> UInt8 {
    SampleFlags(origin: .fetched, kind: kind, isManual: manual).rawValue
  }

  @Test("stand apart: the largest value at hand is no maximum of the wearable")
  func marks() throws {
    var days = DayAccumulator(.spo2, zone: .utc)
    days.add(time: Self.noon, flags: flags(.normal), value: 97)
    days.add(time: Self.noon + hour, flags: flags(.normal, manual: true), value: 99)
    var part = try #require(days.days.first?.parts.first)
    #expect(part.markedMaximum == nil && part.markedMinimum == nil)
    #expect(part.derivedMaximum == DayPart.Extreme(value: 99, time: Self.noon + hour))
    #expect(part.derivedMinimum == DayPart.Extreme(value: 97, time: Self.noon))
    days.add(time: Self.noon + 2 * hour, flags: flags(.maximum), value: 98)
    part = try #require(days.days.first?.parts.first)
    #expect(part.markedMaximum == DayPart.Extreme(value: 98, time: Self.noon + 2 * hour))
    #expect(part.derivedMaximum == nil, "marked, although a value at hand is larger")
    #expect(part.derivedMinimum?.value == 97)
    #expect(part.maximum == 99, "the largest there is, whoever says so")
  }

  @Test("of a vector are given by component: a pressure has a highest systolic and a highest diastolic one")
  func components() throws {
    // Two components, as a pressure has.
    var days = DayAccumulator(.groundTime, zone: .utc)
    for (index, pair) in [[120, 80], [135, 75], [118, 92]].enumerated() as EnumeratedSequence<[[Int64]]> {
      days.add(time: Self.noon + Int64(index) * hour, flags: flags(.normal)) { pair[$0] }
    }
    let parts = try #require(days.days.first?.parts)
    #expect(parts.map(\.derivedMaximum?.value) == [135, 92])
    #expect(parts.map(\.derivedMaximum?.time) == [Self.noon + hour, Self.noon + 2 * hour])
    #expect(parts.map(\.derivedMinimum?.value) == [118, 75])
  }

  @Test("resting: the latest by time counts, in lines of days as well, whatever came last")
  func resting() throws {
    var days = DayAccumulator(.heartRate, zone: .utc)
    var lines = DayLineAccumulator(zone: .utc, worn: [])
    for (time, rate) in [(Self.noon, 52), (Self.noon + hour, 50), (Self.noon - hour, 58)] as [(Int64, Int64)] {
      days.add(time: time, flags: flags(.resting), value: rate)
      lines.add(.heartRate, time: time, flags: flags(.resting)) { _ in rate }
    }
    #expect(days.days.first?.resting == 50)
    #expect(days.days.first?.restingCount == 3)
    #expect(lines.days.first?.restingHeartRate == 50)
  }

  @Test("an invalid place in a list of items is not taken for a valid one")
  func keys() {
    let key = ItemKey(time: -5, isManual: true, source: 7, way: 1, ordinal: .max)
    #expect(ItemKey(text: key.text) == key)
    for text in ["", "1.m.1.1", "1.x.1.1.1", "1.m.1.1.1.1", "a.m.1.1.1", "1.m.-1.1.1", "1.m.1.256.1", "1.m.1.1. 1"] {
      #expect(ItemKey(text: text) == nil, "\(text)")
    }
  }
}
