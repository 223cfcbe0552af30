// The stages of a visit to a Polar wearable: what it records, what time it thinks it is, and the sync in which its files are read.

import Bluetooth
import EventLoop
import Health
import Wearable

final class PolarSession: WearableSession {
  let link: any WearableLink
  let transfer: PSFTPClient
  let recorder: PolarRecorder?
  let live: PolarLive?
  private let decodes: PolarDecoder
  let files: PolarFiles
  /// Of a strap, which has no days; nil for all others.
  let exercises: PolarExercises?
  let armed: PolarArmed?
  let wearer: PolarWearer
  let settings: PolarSettings
  let radio: PolarRadio
  /// It was told that a sync began, and not yet that it ended.
  private(set) var isSyncing = false

  init(_ link: any WearableLink) {
    self.link = link
    transfer = PSFTPClient(link)
    let measurements = PMD.Client(link)
    recorder = measurements.map { PolarRecorder(link, $0) }
    live = measurements.map { PolarLive(link, $0) }
    decodes = live?.decoder ?? PolarDecoder()
    files = PolarFiles(transfer, link)
    exercises = Polar.ModelTable.known.facts(link.known.polarModel).fileSystem == .h10 ? PolarExercises(transfer, link) : nil
    armed = recorder.map { PolarArmed(link, $0) }
    wearer = PolarWearer(transfer, link)
    settings = PolarSettings(transfer, link)
    radio = PolarRadio(link)
  }

  var domains: [any FetchDomain] { transfer.isPresent ? [exercises ?? files] : [] }

  // MARK: check

  func check() async throws(VisitTrouble) -> CheckReport {
    var report = CheckReport()
    guard transfer.isPresent else {
      report.mayNotFetch = "it has no file transfer"
      return report
    }
    // A link may have several visits.
    files.forget()
    if decodes.takeFree() { transfer.busy.isOver() }
    transfer.busy.visitBegins()
    do throws(VisitTrouble) {
      try await prepare(&report)
      decodes.met(isBusy: false)
    } catch {
      switch error {
      // A training runs, or it is not in the mode in which it serves files: it is well, and its live values may come.
      case .busy(let what, let pause):
        decodes.met(isBusy: true)
        report.activity = .busy
        report.mayNotFetch = what
        report.comeAgainAfter = pause
      // Most straps are there for their live values alone: what one does not serve, or not to us, is no trouble.
      case .refused(_, let what) where exercises != nil, .unsupported(let what) where exercises != nil: report.mayNotFetch = what
      default: throw error
      }
    }
    return report
  }

  private func prepare(_ report: inout CheckReport) async throws(VisitTrouble) {
    if let exercises { return try await prepare(&report, exercises) }
    // The first thing that is asked sees to an encrypted link, where its files want one.
    let reading = try await transfer.clockReading()
    report.clock = reading.map { DeviceClock(evidence: $0.evidence) }
    if let space = try await transfer.diskSpace() {
      report.memoryFree = Int(clamping: space.free)
      report.memoryTotal = Int(clamping: space.total)
    }
    let running = try await recorder?.running() ?? []
    if !running.isEmpty { report.activity = .recording }
    // Before that nothing may be read, and a training is no time to end anything.
    try await transfer.startSync()
    isSyncing = true
    if link.orders.switchedOff.contains(Self.sleepRecording) { try await endSleep() }
    try await keepRecording(running, reading)
    // A jump would tear what is being recorded; the readings put its times right.
    let zone = zoneMinutes(reading?.offset)
    let clock = try await transfer.keepClock(reading, offset: zone, knowsSystemTime: true, mayBeSet: running.isEmpty)
    if let clock { report.clock = clock }
    settings.change = nextChange(shownAt: clock?.wasSet == true ? zone : reading?.offset, mayFollow: running.isEmpty && armed?.wanted.isEmpty ?? true)
    try await obey(running, clock?.afterwards?.device ?? reading?.evidence.device)
    // Of the times before and after the clock was set, where it was, the earlier one.
    files.now = [reading?.evidence.device, report.clock?.afterwards?.device].compactMap(\.self).min()
    if files.now == nil { report.mayNotFetch = "its clock tells no day" }
  }

  /// A strap: what it records goes on until somebody ends it. Its clock, which cannot be read and is lost within a minute off the body, is left alone:
  /// nothing here depends on it, and a jump would tear what another host has it stream.
  private func prepare(_ report: inout CheckReport, _ exercises: PolarExercises) async throws(VisitTrouble) {
    if try await exercises.exerciseStatus().isRecording { report.activity = .recording }
    if let space = try await transfer.diskSpace() {
      report.memoryFree = Int(clamping: space.free)
      report.memoryTotal = Int(clamping: space.total)
    }
    try await transfer.startSync()
    isSyncing = true
    try await radio.keep()
  }

  /// In `WearableOrders.switchedOff`: sleep that is recorded when a visit begins is ended, so that its results come.
  nonisolated static let sleepRecording = "sleep-recording"

  /// Files come all the same where it cannot be asked.
  private func endSleep() async throws(VisitTrouble) {
    do throws(VisitTrouble) { _ = try await transfer.stopSleepRecording() } catch {
      switch error {
      case .link, .busy(_, .some): throw error
      default: link.note("the recording of sleep was not ended")
      }
    }
  }

  /// Names of recordings have whole seconds: one that begins now may be called by the second that has begun.
  static func wholeSecond(_ time: Int64) -> Int64 { time - (time % 1_000_000 + 1_000_000) % 1_000_000 }

  /// Ends the recordings whose newest file has run for long enough, so that it can be read, and begins them anew as they were.
  private func keepRecording(_ running: [PMD.MeasurementType], _ reading: PSFTPClient.ClockReading?) async throws(VisitTrouble) {
    for type in running { files.growing[type] = .newest(by: reading?.evidence.device) }
    recorder?.renewals.forget(running)
    guard let recorder, let now = reading?.evidence.device else { return }
    // What this hub began has no file for some minutes: what is newest by then is the one before.
    let old = running.filter { !recorder.hasBegunLately($0, now: now) }
    if old.isEmpty { return }
    let entries = try await files.recordings()
    var due: [PolarRenewals.Renewal] = []
    for type in old {
      guard let newest = entries.last(where: { $0.type == type && $0.begins <= now }), let last = newest.parts.last else { continue }
      let (age, overflow) = now.subtractingReportingOverflow(newest.begins)
      guard !overflow, age >= PolarRecorder.shortest else { continue }
      // What cannot be begun as it was is left alone.
      guard let head = try await files.head(of: last.path) else {
        link.note("a recording whose settings cannot be read goes on")
        continue
      }
      due.append(PolarRenewals.Renewal(type, head.settings.largest, wasEncrypted: head.isEncrypted))
    }
    // Before it is done: one that goes on for another half an hour does no harm, one that is ended at each visit does, or one that nobody begins anew.
    recorder.noteBegun(due.map(\.type), at: now)
    recorder.renewals.note(due)
    for renewal in due {
      try await recorder.renewals.renew(renewal)
      files.growing[renewal.type] = .since(Self.wholeSecond(now))
    }
  }

  // MARK: clock

  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    guard transfer.isPresent, exercises == nil else { return nil }
    return try await transfer.clockReading().map { DeviceClock(evidence: $0.evidence) }
  }

  // MARK: finish

  func finish() async throws(VisitTrouble) {
    transfer.busy.visitEnds()
    guard isSyncing else { return }
    isSyncing = false
    // Tidiness: a wearable that does not allow it is as well as before.
    do throws(VisitTrouble) { try await files.removeEmptyFolders() } catch { if case .link = error { throw error } }
    try await transfer.endSync()
    try await proveOrders()
  }

  // MARK: live

  var decoder: (any LiveDecoder)? { decodes }

  func wentLive() async throws(VisitTrouble) { try await live?.begin() }
  func profileChanged(to profile: LinkProfile) async throws(VisitTrouble) { try await live?.follow(profile) }
  var attendance: Duration? { live?.attendance }
  func attend() async throws(VisitTrouble) { try await live?.attend() }
  var needsFarewell: Bool { live?.needsFarewell ?? false }
  func farewell() async throws(VisitTrouble) { try await live?.end() }

  // MARK: orders

  func ordersChanged() async throws(VisitTrouble) {
    try await live?.begin()
    try await bringSettings()
  }
}
