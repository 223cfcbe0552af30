// The clock of a wearable with the SIG's services: read at each visit as evidence, set if it deviates too much, and
// read back.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Uses the first readable one of Device Time, Current Time, and the Date Time of a measuring service.
@LoopActor
final class StandardClock {
  private let link: any WearableLink
  private var source: ClockSource
  /// Clocks to read instead if the first one refuses.
  private var others: ArraySlice<ClockSource>
  /// A Date Time that is written but not trusted: it cannot be read, or stands still.
  private var unread: GATTCharacteristic?
  /// Whether it ends a link over which it is not written (`Quirk.Effect.wantsTime`).
  let wantsTime: Bool
  /// The only readable clock stands still: it is no clock, and was not in earlier visits.
  private var isNone = false
  /// The clock stood still over an earlier link, too.
  private var stoodStill = false
  /// The time that was written over this link without being read back, µs of its local time.
  private(set) var given: Int64?
  /// True if there is no other clock, so earlier visits read this one.
  private let isOnly: Bool
  /// A clock was read over this link.
  private var hasRead = false

  /// Largest deviation in seconds before a clock is set. A watch crystal is within 100 ppm, 8.6 s a day. A clock that
  /// is seen daily is therefore not set daily, and its display is correct to the minute. Every reading is kept as
  /// evidence that corrects times, whether the clock is set or not.
  static let tolerance: Int64 = 15
  /// Largest deviation of a clock that was just set, in seconds.
  static let settingTolerance: Int64 = 2
  /// Data field ignored: Current Time Service 1.1, table 1.2.
  nonisolated static let fieldIgnored: UInt8 = 0x80
  /// Time after which a running clock with whole seconds shows another one.
  private static let step: Duration = .milliseconds(1200)
  /// Expected advance in µs, including a second for the duration of the second reading.
  private static let steps: ClosedRange<Int64> = 1_000_000...3_000_000

  /// nil without a readable or writable clock.
  init?(_ link: any WearableLink) {
    let database = link.database
    let all = ClockSource.all(in: database)
    let readable = all.filter { $0.clock.properties.contains(.read) }
    let date = all.first { $0.kind == .dateTime && $0.clock.properties.contains(.write) }
    isOnly = readable.count <= 1
    if readable.isEmpty { unread = date?.clock }
    guard let first = readable.first ?? date else { return nil }
    self.link = link
    (source, others) = (first, readable.dropFirst())
    var quirks = QuirkWatch(.wantsTime)
    quirks.begin(database, link.known)
    wantsTime = quirks.effect == .wantsTime
  }

  private var kind: ClockSource.Kind { source.kind }
  private var characteristic: GATTCharacteristic { source.clock }
  private var zone: GATTCharacteristic? { source.zone }

  // MARK: Reading

  func read() async throws(VisitTrouble) -> DeviceClock? {
    guard let reading = try await reading(), !reading.isUnset else { return nil }
    return DeviceClock(evidence: reading.evidence)
  }

  /// nil if no clock can be read, or the one that was read stands still.
  private func reading() async throws(VisitTrouble) -> StandardReading? {
    while unread == nil {
      if let reading = try await readOnce() {
        hasRead = true
        return try await isRunning(reading) ? reading : nil
      }
      // Values of two clocks do not show the course of one.
      guard !hasRead, let next = others.popFirst() else { break }
      source = next
    }
    return nil
  }

  /// Some wearables show in a Date Time when they last measured or were set. For new firmware, it must therefore
  /// advance as fast as time before it is trusted. A clock that was never set cannot advance, and is read again once it
  /// was set. A wearable that wants the time within seconds has a clock.
  private func isRunning(_ reading: StandardReading) async throws(VisitTrouble) -> Bool {
    guard kind == .dateTime, !reading.isUnset, !wantsTime else { return true }
    let course = link.dateTimeCourse
    if course == .runs { return true }
    if course == .isNone {
      leaveUnread()
      return false
    }
    try await link.settle(for: Self.step)
    guard let later = try await shown(nil) else { return false }
    let (passed, overflow) = later.device.subtractingReportingOverflow(reading.evidence.device)
    if !overflow, Self.steps.contains(passed) {
      try link.judgeDateTime(.runs)
      return true
    }
    // A measurement came between the two readings, or the link was slow: the next visit repeats the test.
    guard passed == 0 else { return false }
    link.note("a Date Time that stands still: it is no clock")
    // A clock that waits to be set is tested once more after that.
    let waits = characteristic.properties.contains(.write) && course != .set
    stoodStill = course == .stands
    try link.judgeDateTime(waits ? .stands : .isNone)
    leaveUnread()
    return false
  }

  /// Verdict about the readable clock. If it must be tested again after it was set, it may still be a clock.
  var verdict: ClockVerdict { !isNone ? .isClock : link.dateTimeCourse == .isNone ? .isNone : .mayBeNone }

  private func leaveUnread() {
    isNone = isOnly
    if characteristic.properties.contains(.write) { unread = characteristic }
  }

  private func readOnce() async throws(VisitTrouble) -> StandardReading? {
    let information = try await zoneShown()
    let read = try await link.readClock(within: Self.quickReading) { () async throws(VisitTrouble) in
      try await self.shown(information)
    }
    guard let (shown, exchange) = read else { return nil }
    return StandardReading(
      evidence: exchange.evidence(shown.device, offset: shown.offset), ahead: shown.ahead, isUnset: shown.isUnset,
      stamp: shown.stamp)
  }

  /// ns: half of it is the largest error of a reading, and a tenth of the error of whole seconds. A request and its
  /// answer take less, unless the link was out of range in between.
  private static let quickReading: Int64 = 200_000_000

  private func shown(_ information: LocalTimeInformation?) async throws(VisitTrouble) -> ShownTime? {
    guard let bytes = try await value(of: characteristic) else { return nil }
    let local = hubOffset * 60_000_000
    if kind == .deviceTime {
      guard let time = bytes.withUnsafeBytes({ try? DeviceTime($0) }), let shown = time.time.timeline else {
        link.note("a clock that shows no time")
        return nil
      }
      // A tick counter advances whether or not the clock beside it was set.
      let isTicks = time.time.flags.contains(.ticks)
      let ahead: Int64? = isTicks ? nil : time.time.isUTC ? 0 : local
      return ShownTime(device: shown, ahead: ahead, isUnset: time.needsSetting && !isTicks, stamp: time)
    }
    guard let time = civil(bytes) else {
      link.note("a clock that shows no time")
      return nil
    }
    guard let shown = time.shown else {
      // The day is unknown, so readings of this clock cannot date its measurements.
      return ShownTime(device: time.moment.inDay, ahead: local, isUnset: true)
    }
    return ShownTime(device: shown, offset: information?.offset, ahead: local)
  }

  /// The local time shown, µs; `shown` is nil if the day is unknown. The result is nil for an invalid time.
  private func civil(_ bytes: [UInt8]) -> (moment: DateTime, shown: Int64?)? {
    bytes.withUnsafeBytes { bytes in
      if kind == .currentTime { return (try? CurrentTime(bytes)).map { ($0.moment, $0.microseconds) } }
      var reader = ByteReader(bytes)
      guard let moment = try? DateTime(&reader), moment.isPossible else { return nil }
      return (moment, moment.microseconds)
    }
  }

  private func zoneShown() async throws(VisitTrouble) -> LocalTimeInformation? {
    guard let zone, zone.properties.contains(.read), let bytes = try await value(of: zone) else { return nil }
    return bytes.withUnsafeBytes { try? LocalTimeInformation($0) }
  }

  private func value(of characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8]? {
    do throws(VisitTrouble) { return try await link.read(characteristic) } catch {
      guard case .refused(let code, _) = error else { throw error }
      link.note("its clock cannot be read: \(code)")
      return nil
    }
  }

  /// The hub's zone, minutes east of Greenwich.
  private var hubOffset: Int64 { Int64(link.zone.offset(at: link.hubTime.wall.microseconds) / 60) }

  // MARK: Setting

  /// Reads the clock, sets it if it deviates and may be set, and reads it back.
  func check() async throws(VisitTrouble) -> DeviceClock? {
    guard let before = try await reading() else {
      try await setUnread()
      return nil
    }
    let untouched = before.isUnset ? nil : DeviceClock(evidence: before.evidence)
    guard let ahead = before.ahead, characteristic.properties.contains(.write) else { return untouched }
    let information = try await wantedZone()
    let isOff = before.isUnset || information != nil || isOff(before, ahead)
    guard isOff || wantsTime else { return untouched }
    guard link.hubTime.isTrusted else {
      link.note("its clock was not set: the hub's own is not trusted")
      return untouched
    }
    let right = link.hubTime.wall.microseconds.addingReportingOverflow(ahead)
    try await link.clockWillMove(
      from: before.evidence, to: information == nil && !right.overflow ? right.partialValue : nil)
    // The zone comes first, as some wearables adjust their clock to it.
    if let zone, let information { _ = try await isTaken(zone) { information.bytes } }
    guard try await set(like: before) else { return untouched }
    guard let after = try await reading(), let ahead = after.ahead, !after.isUnset,
      after.distance(ahead) <= Self.settingTolerance * 1_000_000
    else {
      link.note("its clock does not take the time")
      return untouched
    }
    // The clock was right, and was only set because the wearable wants the time.
    if !isOff, before.distance(ahead) <= Self.settingTolerance * 1_000_000 {
      return DeviceClock(evidence: after.evidence)
    }
    return DeviceClock(evidence: before.evidence, wasSet: true, afterwards: after.evidence)
  }

  /// Writes a clock that cannot be read. Such a clock dates no value from before this link, so no reading must be
  /// durable first: stored values stay unsure. Values from now on agree with the hub's clock.
  private func setUnread() async throws(VisitTrouble) {
    guard let unread else { return }
    guard link.hubTime.isTrusted else {
      link.note("its clock was not set: the hub's own is not trusted")
      return
    }
    let offset = hubOffset
    var shown: Int64?
    let isTaken = try await isTaken(unread) { [link] in
      let time = link.hubTime.wall.microseconds + offset * 60_000_000
      shown = time
      return DateTime(microseconds: time).bytes
    }
    if isTaken { given = shown }
    // After a refusal over a single link the wearable may only have been busy.
    if link.dateTimeCourse == .stands, isTaken || stoodStill { try link.judgeDateTime(isTaken ? .set : .isNone) }
  }

  private func isOff(_ reading: StandardReading, _ ahead: Int64) -> Bool {
    if reading.distance(ahead) > Self.tolerance * 1_000_000 { return true }
    guard let offset = reading.stamp?.time.offset else { return false }
    return Int64(offset) != hubOffset
  }

  /// Zone and daylight saving to write; nil if they are right, not writable or not expressible.
  private func wantedZone() async throws(VisitTrouble) -> LocalTimeInformation? {
    guard let zone, zone.properties.contains(.write), let shown = try await zoneShown() else { return nil }
    let (standard, daylight) = link.zone.parts(at: link.hubTime.wall.microseconds)
    let offset = standard + daylight
    guard
      let wanted = LocalTimeInformation(zone: standard, daylight: daylight)
        ?? LocalTimeInformation(zone: offset, daylight: 0)
    else { return nil }
    return shown.offset == wanted.offset ? nil : wanted
  }

  private func set(like before: StandardReading) async throws(VisitTrouble) -> Bool {
    let offset = hubOffset
    guard let stamp = before.stamp else {
      return try await isTaken(characteristic) { [link, kind] in
        let local = link.hubTime.wall.microseconds + offset * 60_000_000
        return kind == .dateTime
          ? DateTime(microseconds: local).bytes : CurrentTime(microseconds: local, .reference).bytes
      }
    }
    let flags = stamp.time.flags
    guard ElapsedTime(utc: link.hubTime.wall.microseconds, offset: Int(offset), like: flags, .networkTime) != nil else {
      return false
    }
    return try await isTaken(characteristic) { [link] in
      let now = link.hubTime.wall.microseconds
      // Only the time stamp: the wearable appends status and abilities when read, and servers refuse writes of any
      // other length.
      return ElapsedTime(utc: now, offset: Int(offset), like: flags, .networkTime)?.bytes ?? []
    }
  }

  /// Writes the value, which is computed at the moment of the write.
  private func isTaken(_ characteristic: GATTCharacteristic, _ value: @escaping @LoopActor () -> [UInt8])
    async throws(VisitTrouble) -> Bool
  {
    do throws(VisitTrouble) {
      try await link.writeOnce(characteristic) { () throws(VisitTrouble) in value() }
      return true
    } catch {
      guard case .refused(let code, _) = error else { throw error }
      // The wearable ignored a field, usually the fraction of a second. Reading back decides.
      if code.rawValue == Self.fieldIgnored { return true }
      link.note("its clock cannot be set: \(code)")
      return false
    }
  }
}
