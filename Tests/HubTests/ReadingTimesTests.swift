import EventLoop
import RingStore
import Testing
import Wearable

@testable import CivilTime
@testable import Health
@testable import Hub

@Suite("The measured time of a reading that has a time of its own")
struct ReadingTimesTests {
  private let now: Int64 = 1_795_255_200_000_000
  private let minute: Int64 = 60_000_000
  private let day: Int64 = 86_400_000_000

  private func told(
    _ shown: Int64?, isUnset: Bool = false, _ curve: ClockCurve? = nil, _ zone: TimeZoneRules = .utc
  ) -> ReadingTimes.Told {
    var times = ReadingTimes(curve: curve, zone: zone, now: WallTime(microseconds: now))
    // Yesterday it was right.
    times.unread.note(now - day, age: 0)
    return times.told(OwnTime(shown: shown, isUnset: isUnset))
  }

  private func at(_ time: Int64, isSure: Bool, isOwn: Bool) -> ReadingTimes.Told {
    ReadingTimes.Told(time: WallTime(microseconds: time), isSure: isSure, isOwn: isOwn)
  }

  private var ofNow: ReadingTimes.Told { at(now, isSure: true, isOwn: false) }
  private var near: ReadingTimes.Told { at(now, isSure: false, isOwn: false) }
  private var unknown: ReadingTimes.Told {
    ReadingTimes.Told(time: WallTime(microseconds: now), isSure: false, isOwn: false, isKnown: false)
  }

  /// A clock that is `ahead` µs ahead of the hub's, read ten seconds ago.
  private func curve(ahead: Int64, isTrusted: Bool = true) throws -> ClockCurve {
    let evidence = ClockEvidence(
      device: now - 10_000_000 + ahead, monotonic: 1_000_000_000, wall: now - 10_000_000, isTrusted: isTrusted)
    return try #require(ClockCurve([ClockCurve.Reading(evidence, isOfThisBoot: true)], since: 10_000_000))
  }

  @Test("without a time, and with one that agrees with now, it is of now")
  func live() {
    #expect(ReadingTimes(now: WallTime(microseconds: now)).told(nil) == ofNow)
    for off: Int64 in [0, 1_000_000, 3_000_000, -1_000_000, -5_000_000] { #expect(told(now - off) == ofNow) }
    // A clock that is ahead says how far a reading of now may be from it, and not how old it is.
    for ahead in [6_000_000, minute] { #expect(told(now + ahead) == near) }
  }

  @Test("an unread clock is believed to the second when it has agreed with now before, and not ahead since")
  func unread() {
    let second: Int64 = 1_000_000
    var clock = UnreadClock()
    func isSure(_ shown: Int64) -> Bool {
      let times = ReadingTimes(unread: clock, now: WallTime(microseconds: now))
      return times.told(OwnTime(shown: shown, isUnset: false)).isSure
    }
    #expect(!isSure(now), "the first that was ever heard of it")
    // Of several that come together the oldest shows now by a clock that is fast.
    clock.note(now, age: 0)
    #expect(!isSure(now + 3 * second) && !isSure(now - 4 * second))
    clock.note(now + 600 * second, age: -600 * second)
    #expect(!isSure(now))
    // Two at different times.
    clock.note(now - 3600 * second, age: 2 * second)
    #expect(isSure(now) && isSure(now - 5 * second) && !isSure(now - 6 * second))
    clock.note(now - 1800 * second, age: 1800 * second)
    #expect(isSure(now), "one that was kept says nothing against it")
    clock.note(.max, age: .min)
    #expect(!isSure(now) && !isSure(.min) && !isSure(.max))
    let times = ReadingTimes(now: WallTime(microseconds: now))
    #expect(times.ageUnread(OwnTime(shown: now - second, isUnset: false)) == second)
    #expect(times.ageUnread(OwnTime(shown: now, isUnset: true)) == nil && times.ageUnread(nil) == nil)
  }

  @Test("what a clock was set to counts as the first of the two times, and two that agreed outlast the hub")
  func setUnread() {
    let second: Int64 = 1_000_000
    var clock = UnreadClock()
    func isSure(_ shown: Int64) -> Bool {
      ReadingTimes(unread: clock, now: WallTime(microseconds: now)).told(OwnTime(shown: shown, isUnset: false)).isSure
    }
    clock.wasSet(now - 4 * second)
    #expect(!isSure(now), "it was kept, and comes right after the time that the hub wrote")
    clock = UnreadClock()
    clock.wasSet(now - 300 * second)
    clock.wasSet(now - 2 * second)
    #expect(isSure(now) && clock.kept == nil, "also if it is set at each visit")
    var isOther = clock.note(now, age: 0)
    #expect(isOther && clock.kept == AgreedClock(now - 300 * second))
    let isNews = clock.note(now, age: 0)
    #expect(!isNews, "nothing new is to be remembered")
    clock = UnreadClock(clock.kept)
    #expect(isSure(now))
    isOther = clock.note(now + 60 * second, age: -60 * second)
    #expect(isOther && clock.kept == nil && !isSure(now))
  }

  @Test("what was measured within the last minute keeps its distances, and is sure if it agrees with now")
  func distances() throws {
    let second: Int64 = 1_000_000
    for (age, isSure) in [(4, true), (5, true), (6, false), (25, false), (60, false)] {
      #expect(told(now - Int64(age) * second) == at(now - Int64(age) * second, isSure: isSure, isOwn: false))
    }
    // 25 s apart, as two that come over one link within a tenth of a second.
    let first = told(now - 25 * second).time
    #expect(told(now).time - first == .seconds(25))
    for ahead in [-day, 0, 3_700 * second] {
      let clock = try curve(ahead: ahead)
      #expect(told(now - 4 * second + ahead, clock) == at(now - 4 * second, isSure: true, isOwn: false))
      #expect(told(now - 30 * second + ahead, clock) == at(now - 30 * second, isSure: true, isOwn: true))
    }
  }

  @Test("an older one is its own, and not sure if its clock was never read; one of a year ago is left out")
  func older() {
    for age in [minute + 1, 30 * minute, day, 366 * day] {
      #expect(told(now - age) == at(now - age, isSure: false, isOwn: true))
    }
    #expect(told(now - 366 * day - 1) == unknown && told(.min) == unknown)
  }

  @Test(
    "what is of the future, unknown, or of a clock that was never set has the time at which it came, and is not sure")
  func none() {
    for ahead in [minute + 1, day, 400 * day] { #expect(told(now + ahead) == unknown) }
    #expect(told(nil) == unknown && told(.max) == unknown)
    #expect(told(now - day, isUnset: true) == unknown && told(now, isUnset: true) == unknown)
  }

  @Test("what a clock shows that was a day ahead and was set is of now, with the reading a little behind")
  func wasSet() throws {
    func reading(_ seconds: Int64, ahead: Int64) -> ClockCurve.Reading {
      let ago = (60 - seconds) * 1_000_000
      let evidence = ClockEvidence(
        device: now - ago + ahead, monotonic: seconds * 1_000_000_000, wall: now - ago, isTrusted: true)
      return ClockCurve.Reading(evidence, isOfThisBoot: true)
    }
    let curve = ClockCurve(
      [reading(1, ahead: day + 1234), reading(2, ahead: -1234), reading(50, ahead: -1234)], since: 10_000_000)
    #expect(told(now, curve) == ofNow)
  }

  @Test("whole seconds of the moment in which a clock was set back are of now, and what it showed before is of then")
  func floored() throws {
    let (step, setting) = (Int64(49_000_000), now - 300_000)
    func reading(_ wall: Int64, ahead: Int64) -> ClockCurve.Reading {
      let evidence = ClockEvidence(
        device: wall + ahead, monotonic: 1_000_000_000 + (wall - now + day) * 1000, wall: wall, isTrusted: true)
      return ClockCurve.Reading(evidence, isOfThisBoot: true)
    }
    let curve = try #require(
      ClockCurve(
        [
          reading(now - 60 * minute, ahead: step), reading(setting - 100_000, ahead: step),
          reading(setting, ahead: 123),
        ], since: now - setting))
    let floored = setting - setting % 1_000_000 - 1_000_000
    #expect(told(floored, curve) == ofNow)
    #expect(told(now - 30 * minute + step, curve) == at(now - 30 * minute, isSure: true, isOwn: true))
  }

  @Test("what a clock shows that was lost, as it had shown it before the hub set it, has the time at which it came")
  func lostAgain() throws {
    // The clock counted from 2000 on three days ago, for ten minutes, and has been right since.
    func reading(_ wall: Int64, shows device: Int64) -> ClockCurve.Reading {
      let evidence = ClockEvidence(
        device: device, monotonic: 1_000_000_000 + (wall - now + 3 * day) * 1000, wall: wall, isTrusted: true)
      return ClockCurve.Reading(evidence, isOfThisBoot: true)
    }
    let (begin, epoch) = (now - 3 * day, Int64(946_684_800_000_000))
    let curve = ClockCurve(
      [
        reading(begin, shows: epoch + minute), reading(begin + 9 * minute, shows: epoch + 10 * minute),
        reading(begin + 9 * minute + 1000, shows: begin + 9 * minute + 1000),
        reading(now - minute, shows: now - minute),
      ], since: minute)
    #expect(told(epoch + 4 * minute, isUnset: true, curve) == unknown)
    #expect(told(epoch + 4 * minute, curve).time.microseconds == begin + 3 * minute)
  }

  @Test("if the hub's clock was stepped since the wearable's was read, its times go along")
  func stepped() throws {
    let step: Int64 = 72_000_000
    for way in [step, -step] {
      let times = ReadingTimes(curve: try curve(ahead: 0), stepped: way, now: WallTime(microseconds: now + way))
      #expect(times.told(OwnTime(shown: now, isUnset: false)) == at(now + way, isSure: true, isOwn: false))
      let older = times.told(OwnTime(shown: now - 30 * minute, isUnset: false))
      #expect(older == at(now - 30 * minute + way, isSure: true, isOwn: true))
    }
    var keeper = ClockKeeper()
    #expect(keeper.stepped(now: Instant(nanoseconds: 0), WallTime(microseconds: now)) == 0)
    let evidence = ClockEvidence(device: now, monotonic: 1_000_000_000, wall: now, isTrusted: true)
    keeper.opened(1, evidence, afterSetting: nil, wasSet: false)
    let later = Instant(nanoseconds: 11_000_000_000)
    #expect(keeper.stepped(now: later, WallTime(microseconds: now + 10_000_000)) == 0)
    #expect(keeper.stepped(now: later, WallTime(microseconds: now + 10_000_000 - step)) == -step)
  }

  @Test("a clock that was read dates it, by whatever it is off, as sure as the reading is")
  func evidence() throws {
    let all: [Int64] = [-day, -3_700_000_000, 0, 3_700_000_000, -800 * day]
    for ahead in all {
      let clock = try curve(ahead: ahead)
      #expect(told(now - 5 * minute + ahead, clock) == at(now - 5 * minute, isSure: true, isOwn: true))
      #expect(told(now - 1_000_000 + ahead, clock) == ofNow)
    }
    let doubtful = try curve(ahead: 0, isTrusted: false)
    #expect(told(now - 5 * minute, doubtful) == at(now - 5 * minute, isSure: false, isOwn: true))
    // The clock was never set, and yet it gives the age of the reading.
    let unset = told(now - 5 * minute - 800 * day, isUnset: true, try curve(ahead: -800 * day))
    #expect(unset == at(now - 5 * minute, isSure: false, isOwn: true))
  }

  @Test("what the clock cannot have shown, or shows as of the future, is dated without it, and never after now")
  func contradicted() throws {
    let clock = try curve(ahead: -day)
    #expect(told(now, clock) == ofNow && told(now + minute * 5, clock) == unknown)
    for shown in [Int64.min, -1, now - 400 * day, now - day, now, now + day, .max] {
      #expect(told(shown, clock).time.microseconds <= now)
    }
  }

  @Test("local times are those of the hub's zone, through summer and winter")
  func zone() {
    // The hub's now is in November; the reading is of an hour before clocks went back on 2026-10-25 at 01:00 UTC.
    let berlin = TimeZoneRules(
      name: "there", changes: [1_792_890_000], offsets: [3600], firstOffset: 7200, rule: nil)
    let before: Int64 = 1_792_879_200_000_000
    let shown = before + Int64(berlin.offset(at: before)) * 1_000_000
    #expect(told(shown, nil, berlin) == at(before, isSure: false, isOwn: true))
    let hour = now + Int64(berlin.offset(at: now)) * 1_000_000
    #expect(told(hour, nil, berlin) == ofNow && told(now - 90 * minute, nil, berlin).isOwn)
  }
}
