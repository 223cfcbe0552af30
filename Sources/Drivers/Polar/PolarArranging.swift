// The part of a visit before its sync. Recordings end, the clock and the settings are set in between, and the
// recordings begin again at once.

import EventLoop
import Health
import Wearable

extension PolarSession {
  /// s: how long the setting of a wrong clock may be deferred, so that a jump does not interrupt recordings. After
  /// that, days and watch faces that are wrong do more harm.
  private static let longestWait: Int64 = 86_400

  /// Rounds down to a whole second. Recordings are named by whole seconds, so one that begins now may have the name of
  /// the second that has begun.
  static func wholeSecond(_ time: Int64) -> Int64 { time - (time % 1_000_000 + 1_000_000) % 1_000_000 }

  /// - Parameters:
  ///   - told: recordings that ran when the visit began; nil if the wearable does not report them.
  ///   - reading: its clock at that time.
  ///   - isClockTold: it answered the query for its clock.
  func arrange(_ told: [PMD.MeasurementType]?, _ reading: PSFTPClient.ClockReading?, isClockTold: Bool)
    async throws(VisitTrouble)
  {
    // If it does not report them, each kind may be running: its newest file stays, and no recording is ended or begun.
    let running = told ?? PMD.MeasurementType.allCases.filter(\.isData)
    for type in running {
      files.growing[type] = .newest(by: reading?.evidence.device)
      files.begun[type] = recorder?.whenBegun(type)
    }
    if let told {
      try recorder?.renewals.forget(told)
      try recorder?.keepBegun(told)
    }
    let ended = try await endRecordings(told ?? [], reading)
    var trouble: VisitTrouble?
    do throws(VisitTrouble) {
      // Ending recordings takes seconds, so the clock is read again.
      let latest = ended.isEmpty ? reading : try await transfer.clockReading() ?? reading
      let types = ended.map(\.type)
      let goingOn = running.filter { !types.contains($0) }
      let obstacle =
        !isClockTold
        ? "it does not report it"
        : told == nil ? "what it records is not known" : goingOn.isEmpty ? nil : "\(Self.list(goingOn)) goes on"
      clockSeen = try await setClock(latest, unless: obstacle, goingOn) ?? clockSeen
      try await keepApart(goingOn)
      settings.change = nextChange(
        shownAt: clockSeen?.wasSet == true ? zoneMinutes : latest?.offset,
        mayFollow: running.isEmpty && armed?.wanted.isEmpty ?? true)
      try await settings.keep()
      try await radio.keep()
    } catch {
      // Ended recordings must be restarted in this visit even after an error. If the link is lost, `PolarRenewals` has
      // them.
      guard error.refusal != nil else { throw error }
      trouble = error
    }
    try await passSecond()
    let now = clockSeen?.afterwards?.device ?? clockSeen?.evidence.device
    for renewal in ended {
      if let now {
        try recorder?.noteBegun([renewal.type], at: now)
        files.growing[renewal.type] = .since(Self.wholeSecond(now))
      }
      try await recorder?.renewals.beginAnew(renewal)
    }
    if let trouble { throw trouble }
    guard let told else { return armed?.cannotLook() ?? () }
    try await arm(told, now)
  }

  // MARK: recordings

  /// Ends recordings with a newest file that is old enough, so that it can be read. Younger ones are ended too if the
  /// clock is wrong and no other recording prevents setting it. Recordings with unknown settings go on, and so do those
  /// that this hub began recently.
  private func endRecordings(_ running: [PMD.MeasurementType], _ reading: PSFTPClient.ClockReading?)
    async throws(VisitTrouble) -> [PolarRenewals.Renewal]
  {
    // A visit that does not fetch recordings does not end them.
    guard let recorder, let reading, link.wish.wants(PolarPhase.recordings.rawValue) else { return [] }
    let now = reading.evidence.device
    // A recording that this hub began has no file for some minutes; the newest file until then is the previous one.
    let old = running.filter { !recorder.hasBegunLately($0, now: now) }
    if old.isEmpty { return [] }
    let isWrong = transfer.isOff(reading, offset: zoneMinutes) && transfer.maySetTime(after: reading)
    let entries = try await files.recordings()
    var found: [(renewal: PolarRenewals.Renewal, isLong: Bool)] = []
    for type in old {
      guard let newest = entries.last(where: { $0.type == type && $0.begins <= now }), let last = newest.parts.last
      else { continue }
      let (age, overflow) = now.subtractingReportingOverflow(newest.begins)
      let isLong = !overflow && age >= PolarRecorder.shortest
      guard isLong || isWrong else { continue }
      // A recording with unknown settings could not be restarted, so it goes on.
      guard let head = try await files.head(of: last.path) else {
        link.note("a recording with unreadable settings goes on")
        continue
      }
      found.append((PolarRenewals.Renewal(type, head.settings.largest, wasEncrypted: head.isEncrypted), isLong))
    }
    let isAll = found.count == running.count
    let due = found.filter { $0.isLong || isWrong && isAll }.map(\.renewal)
    // Stored before the recordings end. If this visit is interrupted, going on for half an hour does no harm. Ending a
    // recording at each visit would, and so would one that is never restarted.
    try recorder.noteBegun(due.map(\.type), at: now)
    try recorder.renewals.note(due)
    var ended: [PolarRenewals.Renewal] = []
    for renewal in due where try await recorder.renewals.end(renewal) { ended.append(renewal) }
    let types = ended.map(\.type)
    files.ended = Set(entries.filter { types.contains($0.type) }.map(\.path))
    for type in types { files.begun[type] = nil }
    return ended
  }

  /// Stores what the clock shows before it is set back. If the hub is killed after that, it still recognises ended
  /// recordings, although their names are then in the future.
  private func noteSettingBack(_ reading: PSFTPClient.ClockReading, _ goingOn: [PMD.MeasurementType])
    throws(VisitTrouble)
  {
    guard reading.ahead(of: link.hubTime, offset: zoneMinutes) > Self.noticeable else { return }
    // Rounded up, so that the last second is included.
    try link.remember(PolarSetBack(from: reading.evidence.device / 1_000_000 + 1, goingOn: goingOn))
  }

  /// Marks, after the clock was set back, all present recordings as ended except those that go on. The names of ended
  /// ones may be later than those of new ones. A recording that was young when the visit began had no file before it
  /// was ended. If the visit fails before its files, the next one does this (`PolarSetBack`).
  private func keepApart(_ goingOn: [PMD.MeasurementType]) async throws(VisitTrouble) {
    guard recorder != nil, let clock = clockSeen, let after = clock.afterwards,
      after.device < clock.evidence.device
    else { return }
    files.ended.formUnion(try await files.recordings().filter { !goingOn.contains($0.type) }.map(\.path))
  }

  // MARK: the clock

  /// Sets a wrong clock, unless a jump would interrupt recordings or make the clock show a past day again. The setting
  /// is deferred by a day at most.
  ///
  /// - Parameters:
  ///   - first: the recordings that a jump would interrupt; nil without such recordings.
  ///   - goingOn: recordings that run meanwhile.
  /// - Returns: nil if the clock cannot be read.
  private func setClock(
    _ reading: PSFTPClient.ClockReading?, unless first: String?, _ goingOn: [PMD.MeasurementType]
  ) async throws(VisitTrouble) -> DeviceClock? {
    guard let reading else {
      return try await transfer.keepClock(nil, offset: zoneMinutes, knowsSystemTime: true, mayBeSet: first == nil)
    }
    let zone = zoneMinutes
    guard transfer.isOff(reading, offset: zone) else {
      forgetWait()
      return DeviceClock(evidence: reading.evidence)
    }
    let again = showsDayAgain(reading, zone) ? "it would show a day again that is over" : nil
    if let obstacle = first ?? again {
      guard try hasWaited() else {
        link.note(
          "its clock, \(reading.ahead(of: link.hubTime, offset: zone) / 1_000_000) s ahead, was not set: \(obstacle)")
        return DeviceClock(evidence: reading.evidence)
      }
      link.note("its clock is set after a day, though \(obstacle)")
    }
    try noteSettingBack(reading, goingOn)
    do throws(VisitTrouble) {
      let clock = try await transfer.keepClock(reading, offset: zone, knowsSystemTime: true, mayBeSet: true)
      if clock?.wasSet == true { forgetWait() }
      return clock
    } catch {
      // Times are corrected by the readings in any case.
      if error.refusal != nil { link.forget(PolarSetBack.self) }
      switch error {
      case .refused, .unsupported: link.note("its clock cannot be set: \(error.refusal ?? "")")
      // Ended recordings are restarted in any case.
      case .noRoom(let why): link.note("its clock was not set: what it shows cannot be kept: \(why)")
      default: throw error
      }
      return DeviceClock(evidence: reading.evidence)
    }
  }

  /// Whether setting the clock back would show the end of a past day again. That day was fetched and may be removed,
  /// and the wearable would write into it.
  private func showsDayAgain(_ reading: PSFTPClient.ClockReading, _ zone: Int) -> Bool {
    guard Polar.measuresDays(link.known.polarModel) == true else { return false }
    let now = link.hubTime
    let ahead = reading.ahead(of: now, offset: zone)
    let shown = reading.shown(at: now)
    guard (1..<86_400_000_000).contains(ahead) else { return false }
    return ClockFace(microseconds: shown - ahead).date < ClockFace(microseconds: shown).date
  }

  /// Whether a day has passed since the clock was first found wrong; starts the wait if it is the first time.
  private func hasWaited() throws(VisitTrouble) -> Bool {
    guard link.hubTime.isTrusted else { return false }
    let now = link.hubTime.wall.microseconds / 1_000_000
    if let since = clockWaits, since <= now { return now - since >= Self.longestWait }
    try link.remember(PolarClockWaits(seconds: now))
    return false
  }

  /// s since 1970; nil unless the setting of a wrong clock is being deferred.
  var clockWaits: Int64? { link.remembered(PolarClockWaits.self)?.seconds }

  private func forgetWait() { link.forget(PolarClockWaits.self) }

  /// Waits until the next whole second. A recording is named by the second that has begun, from which heart rates are
  /// counted. Right after a clock was set, that second began before the setting. The name would belong to the old time,
  /// or to an hour that was already shown.
  private func passSecond() async throws(VisitTrouble) {
    guard recorder != nil, let after = clockSeen?.afterwards else { return }
    try await link.settle(for: .microseconds(Self.wholeSecond(after.device) + 1_000_000 - after.device))
  }

  // MARK: straps

  /// Writes the local time to a strap at every visit, before the sync and without a check. A strap loses the time
  /// within a minute of being taken off and does not report it. Not while it streams to any client, as the time stamps
  /// of its frames would jump. No value of the hub depends on it, so a refusal is only noted.
  func tellStrapTime() async throws(VisitTrouble) {
    do throws(VisitTrouble) {
      let states = try await recorder?.client.status() ?? [:]
      guard states.allSatisfy({ $0.value == .none }) else { return }
      _ = try await transfer.keepClock(nil, offset: zoneMinutes, knowsSystemTime: false, mayBeSet: true)
    } catch {
      guard let text = error.refusal else { throw error }
      link.note("its time was not set: \(text)")
    }
  }
}
