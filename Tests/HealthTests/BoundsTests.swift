import Testing

@testable import Health

@Suite("Bounds of series")
struct BoundsTests {
  @Test("every series has a range for each of its values with its source, or says why it is missing")
  func complete() {
    #expect(Series.boundsTable.map(\.series) == Series.all)
    for series in Series.all {
      #expect(series.boundsSource.count >= 10, "\(series.name): \(series.boundsSource)")
      switch series.bounds {
      case .ranges(let ranges):
        #expect(ranges.count == series.layout.valueCount && !series.layout.hasBytes, "\(series.name)")
        #expect(ranges.allSatisfy { $0.lowerBound < $0.upperBound }, "\(series.name)")
      case .none: #expect(series.layout.hasBytes, "\(series.name)")
      }
    }
  }

  @Test("the ends of each range can be, and what lies one beyond cannot, in every place of an item")
  func ends() {
    for series in Series.all {
      guard case .ranges(let ranges) = series.bounds else {
        #expect(series.canBe([Int64](repeating: .max, count: series.layout.valueCount)))
        continue
      }
      let least = ranges.map(\.lowerBound)
      let greatest = ranges.map(\.upperBound)
      #expect(series.canBe(least) && series.canBe(greatest), "\(series.name)")
      for place in ranges.indices {
        var (below, above) = (least, greatest)
        below[place] -= 1
        above[place] += 1
        #expect(!series.canBe(below) && !series.canBe(above), "\(series.name), value \(place)")
        if series.layout == .scalar { #expect(!series.canBe(below[0]) && series.canBe(least[0]), "\(series.name)") }
      }
      // Other code refuses a wrong number of values.
      #expect(series.canBe(least + [.max]) && series.canBe([]))
    }
  }

  @Test("no heart beats 65,535 times a minute, or twice at once")
  func impossible() {
    #expect(!Series.heartRate.canBe(65_535) && !Series.heartRate.canBe(0) && Series.heartRate.canBe(240))
    // 63,999 ms, which is what 16 bits hold.
    #expect(!Series.rrInterval.canBe(0) && !Series.rrInterval.canBe(65_535) && Series.rrInterval.canBe(1024))
    #expect(!Series.spo2.canBe(127) && !Series.battery.canBe(255) && Series.battery.canBe(0))
    #expect(!Series.bodyTemperature.canBe(Int64(Int32.max)))
    #expect(!Series.steps.canBe([60_000_000, -1]) && !Series.steps.canBe([-1, 10]) && Series.steps.canBe([0, 0]))
  }

  @Test("asymmetries can be of either foot: a file of an insole has them with a sign, its air without")
  func asymmetries() {
    #expect(Series.gaitSymmetry.canBe([-5, -3, -2, -1]) && Series.gaitSymmetry.canBe([5, 200, 0, 255]))
    #expect(Series.gaitSymmetry.canBe([-100, -128, -128, -128]) && !Series.gaitSymmetry.canBe([0, -129, 0, 0]))
  }
}
