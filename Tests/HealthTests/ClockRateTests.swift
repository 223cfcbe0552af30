import EventLoop
import Health
import Testing

@Suite("How fast a clock goes that others set as well")
struct ClockRateTests {
  private static let hour: Int64 = 3_600_000_000
  private static let epoch: Int64 = 1_795_000_000_000_000

  /// A reading at `seconds` of the hub's clocks of a clock that is 20 ppm fast, and ahead by `ahead` µs. Readings show
  /// milliseconds, and never a whole second here.
  private func reading(_ seconds: Double, ahead: Int64 = 0, ofThisBoot: Bool = true, steppedBy step: Int64 = 0)
    -> ClockCurve.Reading
  {
    let hub = Int64(seconds * 1_000_000)
    let evidence = ClockEvidence(
      device: Self.epoch + hub + hub / 1_000_000 * 20 + 1000 + ahead, monotonic: hub * 1000,
      wall: Self.epoch + hub + step, isTrusted: true)
    return ClockCurve.Reading(evidence, isOfThisBoot: ofThisBoot)
  }

  private func every8Hours(_ range: Range<Int>, ahead: Int64 = 0) -> [ClockCurve.Reading] {
    range.map { reading(Double($0) * 28_800, ahead: ahead) }
  }

  /// By how much a moment of the hub's, at which the clock was ahead by so much, is told wrongly, µs.
  private func error(_ curve: ClockCurve?, at seconds: Double, ahead: Int64 = 0) throws -> Int64 {
    try #require(curve?.hubTime(of: reading(seconds, ahead: ahead).evidence.device)) - Self.epoch
      - Int64(seconds * 1_000_000)
  }

  // Less than 2 s and 500 ppm of the time between two readings: it could be a crystal's, of another wearable.
  @Test(
    """
    a telephone that sets the clock by 3 s between two readings is not taken for a crystal that goes faster for a \
    while
    """,
    arguments: [3_000_000, -3_000_000] as [Int64])
  func smallStep(_ step: Int64) throws {
    let curve = ClockCurve(every8Hours(0..<8) + every8Hours(8..<14, ahead: step))
    // Read at hour 56 and at hour 64.
    for hour in [-24.0, -1, 3, 50, 55.9] { #expect(abs(try error(curve, at: hour * 3600)) < 20_000, "\(hour)") }
    for hour in [64.1, 70, 103, 104.5] {
      #expect(abs(try error(curve, at: hour * 3600, ahead: step)) < 20_000, "\(hour)")
    }
  }

  @Test("a step that readings cannot distinguish from drift bends only the time between the two around it")
  func hiddenStep() throws {
    let curve = ClockCurve(every8Hours(0..<8) + every8Hours(8..<14, ahead: 1_000_000))
    for hour in [-24.0, -1, 3, 55.9] { #expect(abs(try error(curve, at: hour * 3600)) < 20_000, "\(hour)") }
    for hour in [64.1, 103, 104.5] {
      #expect(abs(try error(curve, at: hour * 3600, ahead: 1_000_000)) < 20_000, "\(hour)")
    }
    #expect(abs(try error(curve, at: 60 * 3600)) < 1_000_000)
  }

  @Test("with two stretches that contradict each other the slower one is believed")
  func two() throws {
    let curve = ClockCurve([reading(1), reading(28_800, ahead: 8_000_000), reading(57_600, ahead: 8_000_000)])
    #expect(abs(try error(curve, at: -28_800)) < 20_000)
  }

  @Test("one long stretch in which the clock was set does not outweigh two that agree")
  func outvoted() throws {
    let curve = ClockCurve(
      [
        reading(1), reading(28_800), reading(57_600), reading(144_000, ahead: -20_000_000),
        reading(144_900, ahead: -20_000_000),
      ], since: 72_000_000_000)
    for hour in [-24.0, 3, 15.9] { #expect(abs(try error(curve, at: hour * 3600)) < 20_000, "\(hour)") }
    for hour in [40.1, 60] { #expect(abs(try error(curve, at: hour * 3600, ahead: -20_000_000)) < 20_000, "\(hour)") }
  }

  @Test("what a clock showed seconds before the hub set it back keeps its time")
  func setBack() throws {
    let before = reading(86_400, ahead: 15_500_000)
    let after = reading(86_400.2)
    let curve = ClockCurve([reading(1, ahead: 15_500_000), before, after])
    // What it showed in the last 15 s the new one shows once more; what came before that cannot be the new one's.
    for ago in [15.8, 16, 17, 60] {
      #expect(abs(try error(curve, at: 86_400 - ago, ahead: 15_500_000)) < 20_000, "\(ago)")
    }
    #expect(abs(try error(curve, at: 86_400.3)) < 20_000)
  }

  @Test("two readings in one visit, 12 ms beside each other, tear no line")
  func spread() throws {
    let curve = try #require(
      ClockCurve([
        reading(1), reading(900), reading(902, ahead: 12_000), reading(1800), reading(1803, ahead: -12_000),
        reading(2700),
      ]))
    let start = reading(0).evidence.device
    for tick in 0..<3800 {
      let block: (Int64, Int64) = (start + Int64(tick) * 700_000, start + Int64(tick + 1) * 700_000)
      let passed = try #require(curve.hubTime(of: block.1)) - #require(curve.hubTime(of: block.0))
      #expect(abs(passed - 700_000) < 100)
    }
  }

  @Test("what was recorded before a reading has the same time whatever is read after it")
  func lasting() throws {
    let readings = [
      reading(1), reading(20_000, ahead: 9000), reading(20_002), reading(45_000), reading(45_060, ahead: 12_000),
      reading(50_000), reading(80_000),
    ]
    let all = try #require(ClockCurve(readings))
    for count in [2, 4, 6] {
      let then = try #require(ClockCurve(Array(readings.prefix(count))))
      let last = readings[count - 1].evidence.device
      for ago: Int64 in [0, 1_000_000, 700_000_000] {
        #expect(then.hubTime(of: last - ago) == all.hubTime(of: last - ago))
      }
    }
  }

  @Test("a hub with its own clock set, and its process ended, goes by the monotonic clock")
  func hubStepped() throws {
    // By 40 s, some minutes after the hub began again.
    let curve = ClockCurve([
      reading(1000, ofThisBoot: false), reading(86_400, ofThisBoot: false), reading(172_800, steppedBy: 40_000_000),
      reading(180_000, steppedBy: 40_000_000),
    ])
    for seconds in [-86_400.0, 86_000, 86_500, 100_000, 172_000, 179_000, 181_000] {
      #expect(
        abs(try error(curve, at: seconds) - 40_000_000) < 20_000,
        "\(seconds): the hub's clock was wrong until it was set")
    }
  }

  @Test(
    """
    readings of the first minutes after the hub's start are of one boot with those after them, by however much its \
    clock is set later
    """
  )
  func soonAfterStart() throws {
    let curve = ClockCurve([
      reading(7, ofThisBoot: false), reading(1254, ofThisBoot: false), reading(46_000, steppedBy: -115_000_000),
      reading(80_000, steppedBy: -115_000_000),
    ])
    for seconds in [309.0, 1000, 40_000, 60_000] {
      #expect(abs(try error(curve, at: seconds) + 115_000_000) < 20_000, "\(seconds)")
    }
  }

  @Test(
    """
    what was measured after the hub's clock was set is dated by that also if the wearable lost its own before it was \
    read again
    """
  )
  func hubSteppedAndLost() throws {
    let lost = ClockCurve.Reading(
      ClockEvidence(
        device: Self.epoch - 8_000 * Self.hour + 1234, monotonic: 100_000_000_000_000,
        wall: Self.epoch + 60_000_000_000, isTrusted: true), isOfThisBoot: true)
    // By -40,000 s, so that it cannot be taken for another change.
    let curve = ClockCurve([reading(1000), reading(50_000), lost])
    for seconds in [2000.0, 49_000, 55_000, 80_000] {
      #expect(abs(try error(curve, at: seconds) + 40_000_000_000) < 2_000_000, "\(seconds)")
    }
  }

  @Test("a clock that goes as few do is not believed on two readings alone, as it may have been set")
  func unusual() throws {
    for (ahead, isBelieved) in [(-2_000_000, false), (1_000_000, false), (0, true), (-500_000, true)] as [(Int64, Bool)]
    {
      let curve = ClockCurve([reading(30_000), reading(60_000, ahead: ahead)])
      // What the two say of a moment a day earlier, and what the hub's clock says.
      let told = Double(ahead) / 30_000 + 20
      let expected = isBelieved ? (20 - told) * 0.086_4 : 20 * 0.086_4
      #expect(abs(try Double(error(curve, at: -56_400)) / 1_000_000 + expected) < 0.02, "\(ahead)")
    }
  }

  @Test("another boot is not taken for the same, however its clocks stand")
  func anotherBoot() throws {
    // The second begins 10 s after the reading of the first, and has run for longer at its own.
    func evidence(_ uptime: Int64, _ wall: Int64, _ device: Int64) -> ClockCurve.Reading {
      let evidence = ClockEvidence(
        device: Self.epoch + device + 1000, monotonic: uptime * 1_000_000_000, wall: Self.epoch + wall * 1_000_000,
        isTrusted: true)
      return ClockCurve.Reading(evidence, isOfThisBoot: false)
    }
    let curve = try #require(ClockCurve([evidence(100, 0, 0), evidence(600, 610, 610_500_000)]))
    #expect(abs(try #require(curve.hubTime(of: Self.epoch + 305_251_000)) - Self.epoch - 305_000_000) < 1000)
  }
}
