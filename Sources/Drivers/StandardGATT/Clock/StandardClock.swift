// The clock of a wearable that keeps to the SIG's services: read at each visit as evidence, set when it is off by more
// than it may be, read back.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Device Time where there is one, else Current Time, else the Date Time of what it measures by: the first of them that
/// can be read.
@LoopActor
final class StandardClock {
  private let link: any WearableLink
  private var source: ClockSource
  /// What is read in its place if it refuses.
  private var others: ArraySlice<ClockSource>
  /// A Date Time that is written without being believed: it cannot be read, or stands still.
  private var unread: GATTCharacteristic?
  /// It ends a link over which it is not written (`Quirk.Effect.wantsTime`).
  let wantsTime: Bool
  /// What can be read stands still: it is no clock, and was none in earlier visits.
  private var isNone = false
  /// It stood still over an earlier link, too.
  private var stoodStill = false
  /// What it was given over this link and took without being read, µs as it shows it.
  private(set) var given: Int64?
  /// It has no other clock: what earlier visits read was this one.
  private let isOnly: Bool
  /// One of its clocks has told the time over this link.
  private var hasRead = false

  /// Seconds by which a clock may be off before it is set. A watch crystal is within 100 ppm, 8.6 s a day: one that is
  /// seen daily is not set daily, and its display is right to the minute. Every reading is kept as evidence, by which
  /// times are put right whether it is set or not.
  static let tolerance: Int64 = 15
  /// Seconds by which a clock that was just set may differ.
  static let settingTolerance: Int64 = 2
  /// Data field ignored: Current Time Service 1.1, table 1.2.
  nonisolated static let fieldIgnored: UInt8 = 0x80
  /// A clock of whole seconds that runs shows another one after so long.
  private static let step: Duration = .milliseconds(1200)
  /// µs by which it has gone on then, with a second for what the second reading takes.
  private static let steps: ClosedRange<Int64> = 1_000_000...3_000_000

  /// nil where it has no clock that could be read or written.
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

  /// nil where none of its clocks can be read, or what is read stands still.
  private func reading() async throws(VisitTrouble) -> StandardReading? {
    while unread == nil {
      if let reading = try await readOnce() {
        hasRead = true
        return try await isRunning(reading) ? reading : nil
      }
      // What two clocks show is no course of one.
      guard !hasRead, let next = others.popFirst() else { break }
      source = next
    }
    return nil
  }

  /// Some show in a Date Time when they measured last, or when somebody set them: one that this firmware has not shown
  /// has to go on before it is believed, by as much as time does. One that nobody has set shows nothing that could go
  /// on, and is read again once it was; what wants the time within seconds has a clock.
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
    // It measured between the two, or the link was slow: the next visit looks again.
    guard passed == 0 else { return false }
    link.note("a Date Time that stands still: it is no clock")
    // One that waits to be set is looked at once more after that.
    let waits = characteristic.properties.contains(.write) && course != .set
    stoodStill = course == .stands
    try link.judgeDateTime(waits ? .stands : .isNone)
    leaveUnread()
    return false
  }

  /// Of what can be read. One that is to be looked at once more after it was set may be a clock yet.
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

  /// ns: half of it is as much as one reading may be wrong by and a tenth of what whole seconds are wrong by anyway. A
  /// request and its answer take less, but on a link that was out of range meanwhile.
  private static let quickReading: Int64 = 200_000_000

  private func shown(_ information: LocalTimeInformation?) async throws(VisitTrouble) -> ShownTime? {
    guard let bytes = try await value(of: characteristic) else { return nil }
    let local = hubOffset * 60_000_000
    if kind == .deviceTime {
      guard let time = bytes.withUnsafeBytes({ try? DeviceTime($0) }), let shown = time.time.timeline else {
        link.note("a clock that shows no time")
        return nil
      }
      // A counter of ticks goes on whether somebody set the clock beside it or not.
      let isTicks = time.time.flags.contains(.ticks)
      let ahead: Int64? = isTicks ? nil : time.time.isUTC ? 0 : local
      return ShownTime(device: shown, ahead: ahead, isUnset: time.needsSetting && !isTicks, stamp: time)
    }
    guard let time = civil(bytes) else {
      link.note("a clock that shows no time")
      return nil
    }
    guard let shown = time.shown else {
      // Of a day that is unknown: whatever it measured, no reading of this clock tells when.
      return ShownTime(device: time.moment.inDay, ahead: local, isUnset: true)
    }
    return ShownTime(device: shown, offset: information?.offset, ahead: local)
  }

  /// Local time as it shows it, µs; `shown` is nil where the day is unknown. nil for what is no time.
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

  /// Minutes that the hub's clocks are ahead of Greenwich's.
  private var hubOffset: Int64 { Int64(link.zone.offset(at: link.hubTime.wall.microseconds) / 60) }

  // MARK: Setting

  /// Reads it, sets it where it may be set and is off, reads it back.
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
    // The zone first: some move their clock by themselves with it.
    if let zone, let information { _ = try await isTaken(zone) { information.bytes } }
    guard try await set(like: before) else { return untouched }
    guard let after = try await reading(), let ahead = after.ahead, !after.isUnset,
      after.distance(ahead) <= Self.settingTolerance * 1_000_000
    else {
      link.note("its clock does not take the time")
      return untouched
    }
    // It was right, and got the time because it wants it.
    if !isOff, before.distance(ahead) <= Self.settingTolerance * 1_000_000 {
      return DeviceClock(evidence: after.evidence)
    }
    return DeviceClock(evidence: before.evidence, wasSet: true, afterwards: after.evidence)
  }

  /// A clock that nobody reads dates nothing that is older than the link, so that no word of it has to be durable
  /// before: what it kept stays unsure. What it measures from now on agrees with the hub's clock.
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
    // Refused over one link alone, it may have been busy.
    if link.dateTimeCourse == .stands, isTaken || stoodStill { try link.judgeDateTime(isTaken ? .set : .isNone) }
  }

  private func isOff(_ reading: StandardReading, _ ahead: Int64) -> Bool {
    if reading.distance(ahead) > Self.tolerance * 1_000_000 { return true }
    guard let offset = reading.stamp?.time.offset else { return false }
    return Int64(offset) != hubOffset
  }

  /// What zone and daylight saving are to be; nil where they are so, or cannot be written or told.
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
      // The time stamp alone: status and abilities, which it appends when it is read, are its own to say, and servers
      // refuse a write of any other length.
      return ElapsedTime(utc: now, offset: Int(offset), like: flags, .networkTime)?.bytes ?? []
    }
  }

  /// Made of the moment in which it is written.
  private func isTaken(_ characteristic: GATTCharacteristic, _ value: @escaping @LoopActor () -> [UInt8])
    async throws(VisitTrouble) -> Bool
  {
    do throws(VisitTrouble) {
      try await link.writeOnce(characteristic) { () throws(VisitTrouble) in value() }
      return true
    } catch {
      guard case .refused(let code, _) = error else { throw error }
      // It keeps what it can: fractions of a second are the first that are left out. Reading back tells.
      if code.rawValue == Self.fieldIgnored { return true }
      link.note("its clock cannot be set: \(code)")
      return false
    }
  }
}
