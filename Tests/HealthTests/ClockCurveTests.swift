import EventLoop
import Health
import Testing

@Suite("Times of a clock that was read many times")
struct ClockCurveTests {
  private static let hour: Int64 = 3_600_000_000
  private static let epoch: Int64 = 1_795_000_000_000_000

  /// The hub's clocks at `hours`, and the wearable's, which shows `device` µs after the epoch.
  private func reading(_ hours: Int64, shows device: Int64, ofThisBoot: Bool = true, steppedBy step: Int64 = 0)
    -> ClockCurve.Reading
  {
    let evidence = ClockEvidence(
      device: Self.epoch + device, monotonic: hours * Self.hour * 1000, wall: Self.epoch + hours * Self.hour + step,
      isTrusted: true)
    return ClockCurve.Reading(evidence, isOfThisBoot: ofThisBoot)
  }

  private func hubTime(_ curve: ClockCurve, _ device: Int64) throws -> Int64 {
    try #require(curve.hubTime(of: Self.epoch + device)) - Self.epoch
  }

  @Test("a clock that goes wrong by another amount each day is right to the millisecond between readings")
  func bends() throws {
    // 20 ppm fast for ten hours, then 30 ppm slow.
    let curve = try #require(
      ClockCurve([
        reading(0, shows: 0), reading(10, shows: 10 * Self.hour + 720_000),
        reading(20, shows: 20 * Self.hour - 360_000),
      ]))
    #expect(abs(try hubTime(curve, 5 * Self.hour + 360_000) - 5 * Self.hour) < 1000)
    #expect(abs(try hubTime(curve, 15 * Self.hour + 180_000) - 15 * Self.hour) < 1000)
  }

  @Test("before the first reading the drift of all of them counts, not that of the nearest two")
  func before() throws {
    // 20 ppm fast; the first two readings are a minute apart and 30 ms wrong.
    let first = reading(0, shows: 1000)
    let second = ClockCurve.Reading(
      ClockEvidence(
        device: Self.epoch + 60_030_000, monotonic: 60_000_000_000, wall: Self.epoch + 60_000_000, isTrusted: true),
      isOfThisBoot: true)
    let curve = try #require(ClockCurve([first, second, reading(24, shows: 24 * Self.hour + 1_728_000)]))
    #expect(abs(try hubTime(curve, -24 * Self.hour - 1_728_000) + 24 * Self.hour) < 5000)
  }

  @Test("a clock that lost its time keeps that of what was measured before")
  func lost() throws {
    // At hour 10 its battery was empty: it begins again five years before.
    let years = -5 * 365 * 24 * Self.hour
    let curve = try #require(
      ClockCurve([reading(0, shows: 0), reading(8, shows: 8 * Self.hour), reading(12, shows: years + 2 * Self.hour)]))
    #expect(try hubTime(curve, 9 * Self.hour) == 9 * Self.hour)
    #expect(try hubTime(curve, years + Self.hour) == 11 * Self.hour)
  }

  @Test("a clock that was set goes as fast as it did before: one reading since then is enough")
  func setAndDrifting() throws {
    // 20 ppm fast for a day, and set right at hour 24 by the hub. Lost at some time after hour 34, and read at hour 36
    // as having run for an hour.
    let years = -5 * 365 * 24 * Self.hour
    let day = reading(24, shows: 24 * Self.hour + 1_728_000)
    let curve = try #require(
      ClockCurve([reading(0, shows: 0), day, reading(24, shows: 22 * Self.hour), reading(36, shows: years + Self.hour)])
    )
    #expect(
      abs(try hubTime(curve, 32 * Self.hour + 720_000) - 34 * Self.hour) < 1000, "behind the only reading of its era")
    #expect(abs(try hubTime(curve, years) - 35 * Self.hour - 72_000) < 1000, "before the only reading of its era")
    // Two readings a minute apart do not say how fast it goes; the first of them counts.
    let minute = ClockCurve.Reading(
      ClockEvidence(
        device: Self.epoch + 22 * Self.hour + 60_030_000, monotonic: 24 * Self.hour * 1000 + 60_000_000_000,
        wall: Self.epoch + 24 * Self.hour + 60_000_000, isTrusted: true),
      isOfThisBoot: true)
    let near = try #require(
      ClockCurve([
        reading(0, shows: 0), day, reading(24, shows: 22 * Self.hour), minute, reading(36, shows: years + Self.hour),
      ]))
    #expect(abs(try hubTime(near, 32 * Self.hour + 720_000) - 34 * Self.hour) < 2000)
  }

  @Test("a clock that was set in between: each time belongs to the era that can have shown it")
  func set() throws {
    // Set ahead by three hours, between hour 8 and hour 10.
    let curve = try #require(
      ClockCurve([reading(0, shows: 0), reading(8, shows: 8 * Self.hour), reading(10, shows: 13 * Self.hour)]))
    #expect(try hubTime(curve, 7 * Self.hour) == 7 * Self.hour)
    #expect(try hubTime(curve, 12 * Self.hour) == 9 * Self.hour)
    // 9:00 was only shown before, 11:30 only after.
    #expect(try hubTime(curve, 9 * Self.hour) == 9 * Self.hour)
  }

  @Test(
    """
    a clock that is set back shows some times twice: those that only a wrong reading would put behind that are from \
    before
    """
  )
  func setBack() throws {
    // 15 s fast, and set right within a tenth of a second.
    let second: Int64 = 1_000_000
    let hours = 10 * Self.hour
    func shown(_ hub: Int64, ahead: Int64) -> ClockCurve.Reading {
      let evidence = ClockEvidence(
        device: Self.epoch + hub + ahead, monotonic: hub * 1000, wall: Self.epoch + hub, isTrusted: true)
      return ClockCurve.Reading(evidence, isOfThisBoot: true)
    }
    let curve = try #require(
      ClockCurve([
        shown(123, ahead: 15 * second), shown(hours + 123, ahead: 15 * second), shown(hours + 100_123, ahead: 0),
        shown(hours + 8 * Self.hour + 123, ahead: 0),
      ]))
    // 0.2 s before its first reading afterwards: only the clock as it was can have shown that.
    #expect(try hubTime(curve, hours - 200_000) == hours - 15 * second - 200_000)
    #expect(try hubTime(curve, hours + 200_000) == hours + 200_000)
  }

  @Test("what comes this moment is of the clock as it is now, and not of one that was a day ahead before it was set")
  func thisMoment() throws {
    let (day, set) = (24 * Self.hour, 2 * Self.hour)
    let readings = [
      reading(0, shows: day + 123_456), reading(1, shows: day + Self.hour + 123_456), reading(2, shows: set + 123_456),
    ]
    let curve = try #require(ClockCurve(readings, since: Self.hour))
    // The reading was 200 ms behind, half a request, or it is fast by 50 ppm. A second later no measurement is
    // possible.
    for ahead: Int64 in [0, 1000, 200_000, 250_000 + 180_000] {
      let shown = set + Self.hour + 123_456 + ahead
      #expect(try hubTime(curve, shown) == 3 * Self.hour + ahead)
    }
    #expect(try hubTime(curve, set + 4 * Self.hour) == 6 * Self.hour - day - 123_456)
    // A clock that shows whole seconds is behind by up to one of them.
    let whole = try #require(ClockCurve([reading(0, shows: day), reading(2, shows: set)], since: Self.hour))
    #expect(try hubTime(whole, set + Self.hour + 1_000_000) == 3 * Self.hour + 1_000_000)
  }

  @Test("values from before the loss of an unread clock are dated by no reading, and not by one of a later setting")
  func neverRead() throws {
    // 20 ppm fast, lost before the first reading, set right at hour 4, set ahead by another device, and set right again
    // at hour 28.
    let years = -5 * 365 * 24 * Self.hour
    func drifting(_ hours: Int64, since set: Int64) -> ClockCurve.Reading {
      reading(hours, shows: hours * Self.hour + (hours - set) * 72_000)
    }
    let curve = try #require(
      ClockCurve([
        reading(4, shows: years), drifting(4, since: 4), drifting(12, since: 4),
        reading(28, shows: 28 * Self.hour + 60_000_000), drifting(28, since: 28), drifting(36, since: 28),
      ]))
    #expect(curve.hubTime(of: Self.epoch + 2 * Self.hour - 144_000) == nil)
    #expect(curve.hubTime(of: Self.epoch - 20 * Self.hour - 24 * 72_000) == nil)
  }

  @Test("steps of the hub's own clock do no harm within a boot, and end an era between boots")
  func stepped() throws {
    let minute: Int64 = 60_000_000
    let within = try #require(
      ClockCurve([reading(0, shows: 0), reading(10, shows: 10 * Self.hour, steppedBy: 2 * minute)]))
    #expect(try hubTime(within, 5 * Self.hour) == 5 * Self.hour + 2 * minute)
    let across = try #require(
      ClockCurve([reading(0, shows: 0, ofThisBoot: false), reading(10, shows: 10 * Self.hour, steppedBy: 2 * minute)]))
    #expect(try hubTime(across, 9 * Self.hour) == 9 * Self.hour + 2 * minute)
  }

  @Test("no readings make no curve, and one makes the same difference at all times")
  func few() throws {
    #expect(ClockCurve([]) == nil)
    let one = try #require(ClockCurve([reading(0, shows: 5_000_000)], since: 1000 * 24 * Self.hour))
    for hours: Int64 in [-100, 0, 100] { #expect(try hubTime(one, hours * Self.hour + 5_000_000) == hours * Self.hour) }
    #expect(one.hubTime(of: Self.epoch + 400 * 24 * Self.hour) == nil)
    #expect(one.hubTime(of: .max) == nil && one.hubTime(of: .min) == nil)
  }

  // MARK: Times that no reading can explain

  /// 2025-06-10T17:00:50Z, with which an insole begins.
  private static let beginning: Int64 = 1_749_574_850_000_000

  @Test("at first contact with an unset clock a time that it has not come to yet has no era, however near")
  func unset() throws {
    // Started 100 s ago, read, and 30 s later fetched.
    let read = ClockEvidence(
      device: Self.beginning + 100_000_000, monotonic: 5_000_000_000_000, wall: 1_795_370_400_000_000, isTrusted: true)
    let curve = try #require(
      ClockCurve([ClockCurve.Reading(read, isOfThisBoot: true)], since: 30_000_000, beginning: Self.beginning))
    #expect(
      curve.hubTime(of: Self.beginning + 40_000_000) == 1_795_370_340_000_000, "since its start it is what it says")
    #expect(curve.hubTime(of: Self.beginning + 125_000_000) == 1_795_370_425_000_000, "and until it was fetched")
    // 2025-10-01, when a telephone had set it; and half an hour later than it shows.
    for device in [1_759_276_800_000_000, Self.beginning + 1_900_000_000] { #expect(curve.hubTime(of: device) == nil) }
    // Before such clocks begin.
    #expect(curve.hubTime(of: Self.beginning - 3_000_000) == nil)
  }

  @Test("what an unset clock left open is the same once the hub has set it")
  func setByTheHub() throws {
    let wall: Int64 = 1_795_370_400_000_000
    func read(_ device: Int64, _ seconds: Int64) -> ClockCurve.Reading {
      ClockCurve.Reading(
        ClockEvidence(
          device: device, monotonic: seconds * 1_000_000_000, wall: wall + seconds * 1_000_000, isTrusted: true),
        isOfThisBoot: true)
    }
    let first = [read(Self.beginning + 100_000_000, 100)]
    let later = first + [read(wall + 101_000_000, 101), read(wall + 900_000_000, 900)]
    let before = try #require(ClockCurve(first, since: 60_000_000, beginning: Self.beginning))
    let after = try #require(ClockCurve(later, since: 60_000_000, beginning: Self.beginning))
    for device in [
      1_759_276_800_000_000, Self.beginning + 40_000_000, Self.beginning + 1_900_000_000, Self.beginning - 3_000_000,
    ] {
      #expect(before.hubTime(of: device) == after.hubTime(of: device))
    }
  }

  @Test("if the time between two readings is unknown, a clock that went on has shown what lies between them")
  func unknownPause() throws {
    func read(_ hours: Int64, wall: Int64) -> ClockCurve.Reading {
      ClockCurve.Reading(
        ClockEvidence(
          device: Self.epoch + hours * Self.hour, monotonic: 60_000_000_000, wall: Self.epoch + wall * Self.hour,
          isTrusted: false), isOfThisBoot: hours > 0)
    }
    // A hub without a time server: its clock began again with the machine.
    let curve = try #require(ClockCurve([read(0, wall: 0), read(10, wall: 1)]))
    #expect(try hubTime(curve, 9 * Self.hour) == 0)
    #expect(curve.told(Self.epoch + 9 * Self.hour)?.isSure == false)
  }

  @Test(
    """
    once a time server has put the hub's clock right, what was read before in that boot is sure; what is read after \
    it went is not
    """
  )
  func sure() throws {
    func read(_ hours: Int64, trusted: Bool, step: Int64 = 0, shows device: Int64? = nil) -> ClockCurve.Reading {
      ClockCurve.Reading(
        ClockEvidence(
          device: Self.epoch + (device ?? hours) * Self.hour, monotonic: hours * Self.hour * 1000,
          wall: Self.epoch + hours * Self.hour + step, isTrusted: trusted), isOfThisBoot: true)
    }
    func told(_ readings: [ClockCurve.Reading], _ hours: Int64) throws -> Bool {
      // All that was there was listed with the reading before the last.
      let curve = ClockCurve(readings, listed: readings.dropLast().last?.evidence)
      return try #require(curve?.told(Self.epoch + hours * Self.hour)).isSure
    }
    // A minute slow until then; set by others in between.
    let slow: Int64 = -60_000_000
    let untrusted = [read(1, trusted: false, step: slow, shows: 101), read(4, trusted: false, step: slow, shows: 104)]
    #expect(try !told(untrusted, 103))
    #expect(try told(untrusted + [read(8, trusted: true)], 103) && told(untrusted + [read(8, trusted: true)], 7))
    let lost = [
      read(1, trusted: true), read(4, trusted: false, step: slow, shows: 104),
      read(8, trusted: false, step: slow, shows: 108),
    ]
    #expect(try told(lost, 1) && !told(lost, 106))
    let wentOn = [read(1, trusted: true), read(4, trusted: false)]
    #expect(try told(wentOn, 1) && !told(wentOn, 2), "nobody set it, and nobody vouches for the hub's clock since")
  }
}
