// The wearable's clock: read at each visit, and set when its deviation exceeds the tolerance.

import CivilTime
import EventLoop
import Health
import PolarMessages
import Wearable

extension PSFTPClient {
  /// Largest deviation in seconds before the clock is set. Setting it leaves a gap in running measurements. Each
  /// reading is kept as evidence, from which times are corrected to the millisecond. The tolerance therefore only has
  /// to keep days apart. 100 ppm, the worst drift of a watch crystal, are 8.6 s a day.
  static let clockTolerance: Int64 = 15
  /// Largest deviation of a clock that was just set, in seconds.
  static let settingTolerance: Int64 = 2
  /// A clock that shows an earlier day was not set since it lost its time. Straps begin with 2019, other wearables with
  /// 2000 or the day on which they were made.
  static let earliestSet = LocalDate(year: 2022, month: 1, day: 1)

  struct ClockReading: Sendable {
    /// Device time is local time, counted as if it were UTC.
    let evidence: ClockEvidence
    let time: ClockFace
    /// Minutes east of Greenwich; nil if the wearable does not report them.
    var offset: Int? { evidence.offset }

    /// µs by which the wearable's clock is ahead of the hub's, for a zone that many minutes east of Greenwich. The
    /// hub's clock may have been set since the reading, so its present time is used.
    func ahead(of now: HubTime, offset: Int) -> Int64 {
      shown(at: now) - now.wall.microseconds - Int64(offset) * 60_000_000
    }

    /// The time that the clock shows now, unless it was set since the reading. µs since 1970, as if it were UTC.
    func shown(at now: HubTime) -> Int64 { evidence.device + (now.monotonic - evidence.monotonic) / 1000 }
  }

  /// Reads the wearable's clock beside the hub's; nil if the model has no such query (H10), or if the answer has no
  /// time.
  func clockReading() async throws(VisitTrouble) -> ClockReading? {
    let read = try await link.readClock(within: Self.quickReading) { () async throws(VisitTrouble) in
      try await self.clockShown()
    }
    guard let (shown, exchange) = read else { return nil }
    return ClockReading(evidence: exchange.evidence(shown.device, offset: shown.offset), time: shown.time)
  }

  /// ns: a request and its answer take two connection events of 30 ms. If a packet was repeated, the direction of the
  /// delay is unknown.
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

  /// Writes the hub's time to the wearable.
  ///
  /// - Parameters:
  ///   - offset: the wearable's zone, minutes east of Greenwich.
  ///   - knowsSystemTime: false for an H10, which has only the local time.
  func writeTime(offset: Int, knowsSystemTime: Bool) async throws(VisitTrouble) {
    if knowsSystemTime, let parameters = try? PSFTP.systemTime(link.hubTime.wall).wire() {
      let message = PSFTP.Message.query(.setSystemTime, parameters)
      // All samples are stamped with local time, so it is set even if the system time was refused.
      if case .failed(let error) = try await perform(message, limit: Self.queryLimit).answer {
        link.note("its system time: \(error.text)")
      }
    }
    guard let parameters = try? PSFTP.localTime(link.hubTime.wall, offset: offset).wire() else { return }
    _ = try await ask(.setLocalTime, parameters)
  }

  /// Whether the clock deviates by more than `clockTolerance`, or has another zone.
  ///
  /// - Parameter offset: the zone that the clock should have, minutes east of Greenwich.
  func isOff(_ reading: ClockReading, offset: Int) -> Bool {
    reading.ahead(of: link.hubTime, offset: offset).magnitude > UInt64(Self.clockTolerance) * 1_000_000
      || reading.offset.map { $0 != offset } ?? false
  }

  /// Whether the hub may set this clock. A hub without trusted time only sets one that was never set.
  func maySetTime(after reading: ClockReading) -> Bool {
    link.hubTime.isTrusted || Self.earliestSet.map { reading.time.date < $0 } ?? false
  }

  /// Sets the clock if it deviates by more than `clockTolerance` or has another zone, and reads it back.
  ///
  /// - Parameters:
  ///   - before: the reading of this visit.
  ///   - mayBeSet: no recording is running that a jump of the clock would interrupt.
  /// - Returns: nil if the clock cannot be read. The local time is then written without a check: a strap loses the time
  ///   within a minute of being taken off.
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
    // The clock as it stands right before it is set. A recent reading leaves fewer times that may be from before or
    // after the clock was set back. A clock that only reports whole seconds is not extrapolated.
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
