// The wearable's own day, and its last night: they still change, and nobody should wait for what is there already.

import EventLoop
import Health
import PolarMessages
import Wearable

/// A look at a file brings what is new in it (`PolarPart`), without its bytes: they come once, when it is whole, and only then may it be removed. What is
/// one value of a whole day, its energy and distance, has to wait for that.
extension PolarFiles {
  /// From one look at what grows to the next, µs.
  static let lookPause: Int64 = 3_600_000_000
  /// From waking to when a night's results are taken to be written, µs (Polar's sync guideline).
  static let nightSettling: Int64 = 90 * 60_000_000

  static func isLookedAt(_ kind: PolarFile.Kind, of day: LocalDate, _ today: LocalDate, _ nights: Set<LocalDate>) -> Bool {
    switch kind {
    case .activitySamples, .skinTemperature: day == today
    case .sleep, .nightlyRecharge, .sleepTemperature: nights.contains(day)
    default: false
    }
  }

  /// Days on which somebody woke up an hour and a half ago, or longer, and whose night may still be worked out again.
  func nightsThatAreOver(_ today: LocalDate, _ now: Int64, _ before: [String: KnownItem]) async throws(VisitTrouble) -> Set<LocalDate> {
    var nights: Set<LocalDate> = []
    for day in [LocalDate(dayNumber: today.dayNumber - 1), today] {
      guard let path = PolarFile.path(.sleep, of: day), let file = tree.files.first(where: { $0.path == path }), (1...UInt64(Self.samplesLimit)).contains(file.size) else { continue }
      if let known = before[path], known.isDurable, !known.isErased, known.size == Int(clamping: file.size) {
        nights.insert(day)
        continue
      }
      guard let bytes = try await transfer.get(path, limit: Self.samplesLimit), let sleep = try? PbSleepAnalysisResult(wire: bytes), sleep.hasSleepEndTime,
        let end = sleep.sleepEndTime.moment?.microseconds
      else { continue }
      let (settled, overflow) = end.addingReportingOverflow(Self.nightSettling)
      guard !overflow, settled <= now else { continue }
      nights.insert(day)
      keepForFetch(bytes, of: path)
    }
    return nights
  }

  /// - Parameter isNight: its results are whole, and written anew at most.
  func look(at file: PSFTP.RemoteFile, _ begins: Int64?, _ now: Int64, _ known: KnownItem?, isNight: Bool) async throws(VisitTrouble) -> HeldItem? {
    if let item = asItIs(Int(clamping: file.size), begins, now, known, pause: isNight ? 0 : Self.lookPause) { return item }
    var bytes = contents[file.path]
    if bytes == nil { bytes = try await transfer.get(file.path, limit: Self.samplesLimit) }
    return bytes.flatMap { opened($0, at: file.path, begins, now, known) }
  }

  /// Of one that was read already.
  func look(at file: PSFTP.RemoteFile, _ bytes: [UInt8], _ begins: Int64?, _ now: Int64, _ known: KnownItem?) -> HeldItem? {
    asItIs(bytes.count, begins, now, known, pause: Self.lookPause) ?? opened(bytes, at: file.path, begins, now, known)
  }

  /// What is in the store of it is enough for now.
  private func asItIs(_ size: Int, _ begins: Int64?, _ now: Int64, _ known: KnownItem?, pause: Int64) -> HeldItem? {
    guard let known, known.isDurable, !known.isErased else { return nil }
    let mark = PolarFileMark(known.mark), isOpen = mark?.isOpen ?? false
    let (age, overflow) = now.subtractingReportingOverflow(mark?.time.flatMap { Int64(exactly: $0) } ?? .min)
    // One that was whole once, by a clock that was set back since, is looked at when its day is over again.
    guard !isOpen || known.size == size || !overflow && (0..<pause).contains(age) else { return nil }
    return HeldItem(id: known.id, mark: known.mark, size: known.size, isOpen: true, begins: begins)
  }

  private func opened(_ bytes: [UInt8], at path: String, _ begins: Int64?, _ now: Int64, _ known: KnownItem?) -> HeldItem? {
    guard !bytes.isEmpty, keepForFetch(bytes, of: path) else { return nil }
    var mark = PolarFileMark(size: bytes.count)
    (mark.isOpen, mark.time) = (true, UInt64(exactly: now))
    // The same look once more, of which only some is there.
    if let known, !known.isDurable, !known.isErased, let before = PolarFileMark(known.mark), before.isOpen, before.size == bytes.count { mark = before }
    return HeldItem(id: path, mark: mark.text, size: bytes.count, isOpen: true, begins: begins)
  }
}
