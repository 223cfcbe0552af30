// The stages of a visit to a Polar wearable: what it records, what time it thinks it is, and the sync in which its files are read.

import Bluetooth
import EventLoop
import Health
import Wearable

final class PolarSession: WearableSession {
  private let link: any WearableLink
  private let transfer: PSFTPClient
  private let recorder: PolarRecorder?
  private let files: PolarFiles
  /// It was told that a sync began, and not yet that it ended.
  private var isSyncing = false

  init(_ link: any WearableLink) {
    self.link = link
    transfer = PSFTPClient(link)
    recorder = PolarRecorder(link)
    files = PolarFiles(transfer, link)
  }

  var domains: [any FetchDomain] { transfer.isPresent ? [files] : [] }

  // MARK: check

  func check() async throws(VisitTrouble) -> CheckReport {
    var report = CheckReport()
    guard transfer.isPresent else {
      report.mayNotFetch = "it has no file transfer"
      return report
    }
    // A link may have several visits.
    files.forget()
    do throws(VisitTrouble) { try await prepare(&report) } catch {
      // A training runs, or it is not in the mode in which it serves files: it is well, and its live values may come.
      guard case .busy(let what, _) = error else { throw error }
      report.activity = .busy
      report.mayNotFetch = what
    }
    return report
  }

  private func prepare(_ report: inout CheckReport) async throws(VisitTrouble) {
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
    try await keepRecording(running, reading)
    // A jump would tear what is being recorded; the readings put its times right.
    if let clock = try await transfer.keepClock(offset: reading?.offset ?? 0, knowsSystemTime: true, mayBeSet: running.isEmpty) { report.clock = clock }
    files.today = Self.earlier(reading?.time.date, report.clock?.afterwards)
    if files.today == nil { report.mayNotFetch = "its clock tells no day" }
  }

  /// The day that it is, and before the clock was set where it was: the earlier one.
  private static func earlier(_ before: LocalDate?, _ afterwards: ClockEvidence?) -> LocalDate? {
    guard let afterwards else { return before }
    let after = CivilTime(microseconds: afterwards.device).date
    return before.map { min($0, after) } ?? after
  }

  /// Ends the recordings whose newest file has run for long enough, so that it can be read, and begins them anew as they were.
  private func keepRecording(_ running: [PMD.MeasurementType], _ reading: PSFTPClient.ClockReading?) async throws(VisitTrouble) {
    for type in running { files.growing[type] = .newest }
    guard let recorder, let now = reading?.evidence.device else { return }
    let entries = try await files.recordings()
    for type in running {
      guard let newest = entries.last(where: { $0.type == type }), let last = newest.parts.last else { continue }
      let (age, overflow) = now.subtractingReportingOverflow(newest.begins)
      guard !overflow, age >= PolarRecorder.shortest else { continue }
      // What cannot be begun as it was is left alone.
      guard let selection = try await files.settings(of: last.path) else {
        link.note("a recording whose settings cannot be read goes on")
        continue
      }
      try await recorder.renew(type, selection)
      files.growing[type] = .since(now)
    }
  }

  // MARK: clock

  func readClock() async throws(VisitTrouble) -> DeviceClock? {
    guard transfer.isPresent else { return nil }
    return try await transfer.clockReading().map { DeviceClock(evidence: $0.evidence) }
  }

  // MARK: finish

  func finish() async throws(VisitTrouble) {
    guard isSyncing else { return }
    isSyncing = false
    try await transfer.endSync()
  }
}
