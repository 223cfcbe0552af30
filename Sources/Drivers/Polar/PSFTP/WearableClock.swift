// The wearable's clock: read at each visit, set when it is off by more than it may be.

import CivilTime
import EventLoop
import Health
import PolarMessages
import Wearable

extension PSFTPClient {
  /// Seconds by which a clock may be off before it is set. Setting tears a gap into what is being measured, and every
  /// reading is kept as evidence with which times are put right to the millisecond; so this only has to keep days
  /// apart. 100 ppm, the worst a watch crystal does, are 8.6 s a day.
  static let clockTolerance: Int64 = 15
  /// Seconds by which a clock that was just set may differ.
  static let settingTolerance: Int64 = 2
  /// A clock before this was not set since it lost its time: straps begin with 2019, the others with 2000 or the day
  /// they were made.
  static let earliestSet = LocalDate(year: 2022, month: 1, day: 1)

  struct ClockReading: Sendable {
    /// Device time is local time, counted as if it were Greenwich's.
    let evidence: ClockEvidence
    let time: ClockFace
    /// Minutes east of Greenwich; nil if it does not say.
    var offset: Int? { evidence.offset }

    /// µs by which it is ahead of what the hub's clock shows so many minutes east of Greenwich, judged by the hub's
    /// clock of now, which may have been set since.
    func ahead(of now: HubTime, offset: Int) -> Int64 {
      shown(at: now) - now.wall.microseconds - Int64(offset) * 60_000_000
    }

    /// What it shows now if nobody set it since.
    func shown(at now: HubTime) -> Int64 { evidence.device + (now.monotonic - evidence.monotonic) / 1000 }
  }

  /// The clock beside the hub's; nil where it cannot be asked (H10), or shows no time.
  func clockReading() async throws(VisitTrouble) -> ClockReading? {
    let read = try await link.readClock(within: Self.quickReading) { () async throws(VisitTrouble) in
      try await self.clockShown()
    }
    guard let (shown, exchange) = read else { return nil }
    return ClockReading(evidence: exchange.evidence(shown.device, offset: shown.offset), time: shown.time)
  }

  /// ns: a request and its answer take two connection events of 30 ms; when a packet had to be repeated, nobody knows
  /// on which way.
  private static let quickReading: Int64 = 60_000_000

  private func clockShown() async throws(VisitTrouble) -> (time: ClockFace, device: Int64, offset: Int?)? {
    guard let bytes = try await askIfPresent(.getLocalTime) else { return nil }
    guard let message = try? PbPFtpSetLocalTimeParams(wire: bytes), message.hasDate, message.hasTime,
      let time = ClockFace(message.date, message.time),
      let device = time.microseconds
    else {
      link.note("a clock that shows no time")
      return nil
    }
    return (time, device, message.hasTzOffset ? Int(message.tzOffset) : nil)
  }

  /// Tells the hub's time.
  ///
  /// - Parameters:
  ///   - offset: minutes east of Greenwich where the wearable is.
  ///   - knowsSystemTime: not an H10, which only takes the local time.
  func writeTime(offset: Int, knowsSystemTime: Bool) async throws(VisitTrouble) {
    if knowsSystemTime, let parameters = try? PSFTP.systemTime(link.hubTime.wall).wire() {
      let message = PSFTP.Message.query(.setSystemTime, parameters)
      // The local time is what everything is measured in: it is told all the same.
      if case .failed(let error) = try await perform(message, limit: Self.queryLimit).answer {
        link.note("its system time: \(error.text)")
      }
    }
    guard let parameters = try? PSFTP.localTime(link.hubTime.wall, offset: offset).wire() else { return }
    _ = try await ask(.setLocalTime, parameters)
  }

  /// It is off by more than `clockTolerance`, or says another zone.
  ///
  /// - Parameter offset: minutes east of Greenwich, of the time that it should show.
  func isOff(_ reading: ClockReading, offset: Int) -> Bool {
    reading.ahead(of: link.hubTime, offset: offset).magnitude > UInt64(Self.clockTolerance) * 1_000_000
      || reading.offset.map { $0 != offset } ?? false
  }

  /// A hub that does not know the time may not spoil a clock that somebody has set.
  func maySetTime(after reading: ClockReading) -> Bool {
    link.hubTime.isTrusted || Self.earliestSet.map { reading.time.date < $0 } ?? false
  }

  /// Sets the clock where it is off by more than `clockTolerance` or in another zone; reads it back then.
  ///
  /// - Parameters:
  ///   - before: what it showed in this visit.
  ///   - mayBeSet: nothing is being recorded that a jump would tear.
  /// - Returns: nil where the clock cannot be read. It is set blindly then, with the local time alone: a strap forgets
  ///   the time within a minute of being taken off.
  func keepClock(_ before: ClockReading?, offset: Int, knowsSystemTime: Bool, mayBeSet: Bool) async throws(VisitTrouble)
    -> DeviceClock?
  {
    guard let before else {
      if mayBeSet, link.hubTime.isTrusted { try await writeTime(offset: offset, knowsSystemTime: knowsSystemTime) }
      return nil
    }
    let now = link.hubTime
    guard mayBeSet, isOff(before, offset: offset) else { return DeviceClock(evidence: before.evidence) }
    guard maySetTime(after: before) else {
      link.note("its clock was not set: the hub's own is not trusted")
      return DeviceClock(evidence: before.evidence)
    }
    // As it stands right before it is set: the nearer to that, the fewer times of a clock that is set back may be of
    // either side. One that tells whole seconds is left as it was told.
    let last =
      before.evidence.isSharp
      ? ClockEvidence(
        device: before.shown(at: now), monotonic: now.monotonic, wall: now.wall.microseconds, isTrusted: now.isTrusted,
        offset: before.offset)
      : before.evidence
    try await link.clockWillMove(from: last, to: now.wall.microseconds + Int64(offset) * 60_000_000)
    try await writeTime(offset: offset, knowsSystemTime: knowsSystemTime)
    guard let after = try await clockReading() else { return DeviceClock(evidence: before.evidence) }
    let left = after.evidence.device - after.evidence.wall - Int64(offset) * 60_000_000
    guard left.magnitude <= UInt64(Self.settingTolerance) * 1_000_000 else {
      link.note("its clock does not take the time")
      return DeviceClock(evidence: before.evidence)
    }
    return DeviceClock(evidence: last, wasSet: true, afterwards: after.evidence)
  }
}
