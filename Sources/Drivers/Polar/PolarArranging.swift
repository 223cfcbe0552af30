// What comes before the sync of a visit: recordings end, the clock and the settings are set while nothing is recorded,
// and the recordings begin anew at once.

import EventLoop
import Health
import Wearable

extension PolarSession {
  /// In the hub's notes: since when a clock is wrong that could not be set, s since 1970.
  /// So long a wrong clock waits for what a jump would tear, s. After that days and faces that are wrong are the
  /// greater harm.
  private static let longestWait: Int64 = 86_400

  /// Names of recordings have whole seconds: one that begins now may be called by the second that has begun.
  static func wholeSecond(_ time: Int64) -> Int64 { time - (time % 1_000_000 + 1_000_000) % 1_000_000 }

  /// - Parameters:
  ///   - told: what was recorded when the visit began; nil: it does not say.
  ///   - reading: of its clock, then.
  ///   - isClockTold: it answered when it was asked what its clock shows.
  func arrange(_ told: [PMD.MeasurementType]?, _ reading: PSFTPClient.ClockReading?, isClockTold: Bool)
    async throws(VisitTrouble)
  {
    // Where it does not say, each kind may be recorded: its newest file is left alone, nothing is ended or begun.
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
      // To end recordings takes seconds.
      let latest = ended.isEmpty ? reading : try await transfer.clockReading() ?? reading
      let types = ended.map(\.type)
      let goingOn = running.filter { !types.contains($0) }
      let obstacle =
        !isClockTold
        ? "it does not tell it"
        : told == nil ? "what it records is not known" : goingOn.isEmpty ? nil : "\(Self.list(goingOn)) goes on"
      clockSeen = try await setClock(latest, unless: obstacle, goingOn) ?? clockSeen
      try await keepApart(goingOn)
      settings.change = nextChange(
        shownAt: clockSeen?.wasSet == true ? zoneMinutes : latest?.offset,
        mayFollow: running.isEmpty && armed?.wanted.isEmpty ?? true)
      try await settings.keep()
      try await radio.keep()
    } catch {
      // What was ended may not wait for a visit without trouble. Where the link is lost `PolarRenewals` knows of it.
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

  /// Ends the recordings whose newest file has run for long enough, so that it can be read; and where the clock is
  /// wrong and nothing else is in the way of setting it, those that are younger, too. Those of unknown settings and
  /// those that this hub began lately go on.
  private func endRecordings(_ running: [PMD.MeasurementType], _ reading: PSFTPClient.ClockReading?)
    async throws(VisitTrouble) -> [PolarRenewals.Renewal]
  {
    // What is not to be read in this visit goes on.
    guard let recorder, let reading, link.wish.wants(PolarPhase.recordings.rawValue) else { return [] }
    let now = reading.evidence.device
    // What this hub began has no file for some minutes: what is newest by then is the one before.
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
      // What cannot be begun as it was is left alone.
      guard let head = try await files.head(of: last.path) else {
        link.note("a recording whose settings cannot be read goes on")
        continue
      }
      found.append((PolarRenewals.Renewal(type, head.settings.largest, wasEncrypted: head.isEncrypted), isLong))
    }
    let isAll = found.count == running.count
    let due = found.filter { $0.isLong || isWrong && isAll }.map(\.renewal)
    // Before it is done: one that goes on for another half an hour does no harm, one that is ended at each visit does,
    // or one that nobody begins anew.
    try recorder.noteBegun(due.map(\.type), at: now)
    try recorder.renewals.note(due)
    var ended: [PolarRenewals.Renewal] = []
    for renewal in due where try await recorder.renewals.end(renewal) { ended.append(renewal) }
    let types = ended.map(\.type)
    files.ended = Set(entries.filter { types.contains($0.type) }.map(\.path))
    for type in types { files.begun[type] = nil }
    return ended
  }

  /// Before the clock is set back, and durable with what it shows: a hub that is killed after it finds what has ended
  /// under names that are still to come.
  private func noteSettingBack(_ reading: PSFTPClient.ClockReading, _ goingOn: [PMD.MeasurementType])
    throws(VisitTrouble)
  {
    guard reading.ahead(of: link.hubTime, offset: zoneMinutes) > Self.noticeable else { return }
    // Up: its last second is of it, too.
    try link.remember(PolarSetBack(from: reading.evidence.device / 1_000_000 + 1, goingOn: goingOn))
  }

  /// After the clock was set back: whatever is there now and is not going on has ended, though its name may be later
  /// than that of what begins next. One that was young when the visit began had no file before it was ended. A visit
  /// that did not come to its files leaves it to the next one (`PolarSetBack`).
  private func keepApart(_ goingOn: [PMD.MeasurementType]) async throws(VisitTrouble) {
    guard recorder != nil, let clock = clockSeen, let after = clock.afterwards,
      after.device < clock.evidence.device
    else { return }
    files.ended.formUnion(try await files.recordings().filter { !goingOn.contains($0.type) }.map(\.path))
  }

  // MARK: the clock

  /// Sets it where it is wrong, unless a jump would tear what is recorded, or have it show a day again that was over;
  /// but it does not wait for longer than a day.
  ///
  /// - Parameters:
  ///   - first: what a jump would tear; nil: nothing.
  ///   - goingOn: what is recorded meanwhile.
  /// - Returns: nil where it tells no time.
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
      // Readings put its times right all the same.
      if error.refusal != nil { link.forget(PolarSetBack.self) }
      switch error {
      case .refused, .unsupported: link.note("its clock cannot be set: \(error.refusal ?? "")")
      // Recordings that were ended begin anew all the same.
      case .noRoom(let why): link.note("its clock was not set: what it shows cannot be kept: \(why)")
      default: throw error
      }
      return DeviceClock(evidence: reading.evidence)
    }
  }

  /// Put back by hours, it would show the end of a day of which everything was fetched and may be removed, and write
  /// into it.
  private func showsDayAgain(_ reading: PSFTPClient.ClockReading, _ zone: Int) -> Bool {
    guard Polar.measuresDays(link.known.polarModel) == true else { return false }
    let now = link.hubTime
    let ahead = reading.ahead(of: now, offset: zone)
    let shown = reading.shown(at: now)
    guard (1..<86_400_000_000).contains(ahead) else { return false }
    return ClockFace(microseconds: shown - ahead).date < ClockFace(microseconds: shown).date
  }

  /// Whether it is a day since it was first found wrong; from now on it waits.
  private func hasWaited() throws(VisitTrouble) -> Bool {
    guard link.hubTime.isTrusted else { return false }
    let now = link.hubTime.wall.microseconds / 1_000_000
    if let since = clockWaits, since <= now { return now - since >= Self.longestWait }
    try link.remember(PolarClockWaits(seconds: now))
    return false
  }

  /// s since 1970; nil: it is right, or was set when it was found wrong.
  var clockWaits: Int64? { link.remembered(PolarClockWaits.self)?.seconds }

  private func forgetWait() { link.forget(PolarClockWaits.self) }

  /// A recording is named after the second that has begun, from which heart rates are counted. Right after a clock was
  /// set that second began before it: it belongs to what the clock showed until then, or to an hour that was shown
  /// already.
  private func passSecond() async throws(VisitTrouble) {
    guard recorder != nil, let after = clockSeen?.afterwards else { return }
    try await link.settle(for: .microseconds(Self.wholeSecond(after.device) + 1_000_000 - after.device))
  }

  // MARK: straps

  /// A strap forgets the time within a minute of being taken off and does not tell it: it is told the local time at
  /// every visit, blindly, and before the sync. Not while it streams, to whomever: the stamps of its frames would jump.
  /// Nothing of the hub's depends on it, so one that refuses is well.
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
