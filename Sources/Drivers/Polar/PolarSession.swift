// The stages of a visit to a Polar wearable: its recordings, its clock, and the sync in which its files are read.

import Bluetooth
import EventLoop
import Health
import Wearable

final class PolarSession: WearableSession, ClockedSession, DecodingSession, LiveSession, ProfiledSession,
  AttendedSession, ClosingSession, AnnouncingSession
{
  let link: any WearableLink
  let transfer: PSFTPClient
  let recorder: PolarRecorder?
  let live: PolarLive?
  private let decodes: PolarDecoder
  let files: PolarFiles
  /// Exercises of a strap, which has no days; nil for other models.
  let exercises: PolarExercises?
  let armed: PolarArmed?
  let wearer: PolarWearer
  let settings: PolarSettings
  let radio: PolarRadio
  /// The sync has begun and has not been ended.
  private(set) var isSyncing = false
  /// Clock readings of this visit, before and after it was set.
  var clockSeen: DeviceClock?

  init(_ link: any WearableLink) {
    self.link = link
    transfer = PSFTPClient(link)
    let measurements = PMD.Client(link)
    recorder = measurements.map { PolarRecorder(link, $0) }
    live = measurements.map { PolarLive(link, $0) }
    decodes = live?.decoder ?? PolarDecoder()
    files = PolarFiles(transfer, link)
    exercises =
      Polar.ModelTable.known.facts(link.known.polarModel).fileSystem == .h10 ? PolarExercises(transfer, link) : nil
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
      try await askFeatures()
      return report
    }
    // A link may have several visits.
    files.forget()
    clockSeen = nil
    if decodes.takeFree() { transfer.busy.isOver() }
    transfer.busy.visitBegins()
    do throws(VisitTrouble) {
      try await prepare(&report)
      decodes.met(isBusy: false)
    } catch {
      switch error {
      // A training runs, or the mode does not allow file transfer: that is no fault, and live values may follow.
      case .busy(let what, let pause):
        decodes.met(isBusy: true)
        report.activity = .busy
        report.mayNotFetch = what
        report.comeAgainAfter = pause
      // Most straps are there for their live values only, so a missing or refused service is no fault.
      case .refused(_, let what) where exercises != nil, .unsupported(let what) where exercises != nil:
        report.mayNotFetch = what
      default: throw error
      }
    }
    report.clock = clockSeen
    return report
  }

  private func prepare(_ report: inout CheckReport) async throws(VisitTrouble) {
    if let exercises { return try await prepare(&report, exercises) }
    // The first request establishes the encrypted link if the file transfer requires it.
    let (reading, isClockTold) = try await clockIfTold()
    clockSeen = reading.map { DeviceClock(evidence: $0.evidence) }
    if let space = try await transfer.diskSpace() {
      report.memoryFree = Int(clamping: space.free)
      report.memoryTotal = Int(clamping: space.total)
    }
    let running = if let recorder { try await recorder.runningIfTold() } else { [PMD.MeasurementType]() }
    if running?.isEmpty == false { report.activity = .recording }
    // Required before any file is read. During a training it fails before recordings are ended or the clock jumps.
    try await transfer.openSession()
    isSyncing = true
    try await arrange(running, reading, isClockTold: isClockTold)
    // After the clock was set: the wearable writes data in RAM to its files.
    try await transfer.beginSync()
    if link.orders.switchedOff.contains(Self.sleepRecording) {
      try await endSleep()
    } else {
      // The hour of a wrong clock has no meaning.
      let isSet = clockSeen?.wasSet == true
      let isRight = isSet || reading.map { !transfer.isOff($0, offset: zoneMinutes) } ?? false
      try await endNightIfUp(isRight ? (isSet ? clockSeen?.afterwards?.device : reading?.evidence.device) : nil)
    }
    try await wearer.keep()
    // The earlier of the times before and after the clock was set: the later one's day is not over.
    files.now = [reading?.evidence.device, clockSeen?.afterwards?.device].compactMap(\.self).min()
    if let shown = reading?.evidence.device, let now = files.now, now < shown &- Self.noticeable {
      files.setBackFrom = shown
    } else if let back = link.remembered(PolarSetBack.self), let now = files.now {
      // From this time on no file has a name in the future.
      if now < back.microseconds {
        (files.setBackFrom, files.namedAhead) = (back.microseconds, back.goingOn)
      } else {
        link.forget(PolarSetBack.self)
      }
    }
    if files.now == nil { report.mayNotFetch = "its clock has no day" }
  }

  /// A strap's recording goes on until a host ends it.
  private func prepare(_ report: inout CheckReport, _ exercises: PolarExercises) async throws(VisitTrouble) {
    let isRecording = try await exercises.exerciseStatus().isRecording
    if isRecording { report.activity = .recording }
    if !isRecording { try await tellStrapTime() }
    if let space = try await transfer.diskSpace() {
      report.memoryFree = Int(clamping: space.free)
      report.memoryTotal = Int(clamping: space.total)
    }
    try await transfer.startSync()
    isSyncing = true
    try await radio.keep()
    try await askFeatures()
  }

  /// A smaller setback repeats no time that matters, µs.
  static let noticeable: Int64 = 1_000_000

  /// Word in `WearableOrders.switchedOff`: sleep that is being recorded when a visit begins is ended, so that its
  /// results come.
  nonisolated static let sleepRecording = "sleep-recording"

  /// Files are fetched even if this fails.
  private func endSleep() async throws(VisitTrouble) {
    do throws(VisitTrouble) { _ = try await transfer.stopSleepRecording() } catch {
      switch error {
      case .link, .busy(_, .some): throw error
      default: link.note("the recording of sleep was not ended")
      }
    }
  }

  // MARK: clock

  /// The clock, and whether the query was answered: if not, the clock is not set.
  private func clockIfTold() async throws(VisitTrouble) -> (PSFTPClient.ClockReading?, isTold: Bool) {
    do throws(VisitTrouble) { return (try await transfer.clockReading(), true) } catch {
      guard case .unsupported(let why) = error else { throw error }
      link.note("its clock cannot be read: \(why)")
      return (nil, false)
    }
  }

  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    guard transfer.isPresent, exercises == nil else { return nil }
    return try await transfer.clockReading().map { DeviceClock(evidence: $0.evidence) }
  }

  // MARK: finish

  func finish() async throws(VisitTrouble) {
    transfer.busy.visitEnds()
    guard isSyncing else { return }
    isSyncing = false
    // Optional: a refusal is ignored.
    do throws(VisitTrouble) { try await files.removeEmptyFolders() } catch { if case .link = error { throw error } }
    try await transfer.endSync()
    try await proveOrders()
    if let folder = files.tree.unread.min() {
      throw .needsAttention(.visitUnsupported, "does not list \(folder): it was not fetched")
    }
  }

  // MARK: live

  var decoder: any LiveDecoder { decodes }

  func wentLive() async throws(VisitTrouble) { try await live?.begin() }
  func profileChanged(to profile: LinkProfile) async throws(VisitTrouble) { try await live?.follow(profile) }
  var attendance: Duration? { live?.attendance }
  func attend() async throws(VisitTrouble) { try await live?.attend() }
  var needsClosing: Bool { live?.needsClosing ?? false }
  func close() async throws(VisitTrouble) { try await live?.end() }

  // MARK: orders

  func ordersChanged() async throws(VisitTrouble) {
    try await live?.begin()
    try await bringSettings()
  }
}
