// Files of the wearable's present day and last night, which still change: available data are fetched before they are
// complete.

import CivilTime
import EventLoop
import Health
import PolarMessages
import Wearable

/// A look at a file stores what is new in it (`PolarPart`), without its bytes. Those are stored when the file is
/// complete, and only then may it be removed. A test and a score are complete when they are written. They are stored as
/// a whole, and stay on the wearable until their day is over.
extension PolarFiles {
  /// Pause between two looks at a growing file, µs.
  static let lookPause: Int64 = 3_600_000_000
  /// Time from waking until a night's results are assumed to be written, µs (Polar's sync guideline).
  static let nightSettling: Int64 = 90 * 60_000_000

  /// The item of a day or a night that may still change; nil if no data are available yet.
  func still(
    _ file: PSFTP.RemoteFile, _ known: PolarFile, _ today: LocalDate, _ nights: Set<LocalDate>, _ now: Int64,
    _ before: KnownItem?
  ) async throws(VisitTrouble) -> HeldItem? {
    guard let day = known.day else { return nil }
    switch known.kind {
    case .activitySamples, .skinTemperature:
      return day == today ? try await look(at: file, known.begins, now, before, isNight: false) : nil
    case .sleep, .nightlyRecharge, .sleepTemperature:
      return nights.contains(day) ? try await look(at: file, known.begins, now, before, isNight: true) : nil
    case .dailySummary: return day == today ? try await lookAtSums(file, known, now, before) : nil
    case .spo2Test: return day == today ? try await test(file, known, now, before) : nil
    case .sleepScore: return nights.contains(day) ? early(file, known, before) : nil
    default: return nil
    }
  }

  /// The item of a file that no longer changes.
  func whole(_ file: PSFTP.RemoteFile, _ known: PolarFile, _ before: KnownItem?)
    async throws(VisitTrouble) -> HeldItem
  {
    let size = Int(clamping: file.size)
    var mark = PolarFileMark.listed(size, before)
    // A score that was stored in the morning may have been rewritten with the same size.
    if known.kind == .sleepScore, let before, before.isDurable, !before.isErased, before.mark == mark.text,
      case .night(let sum, _)? = PolarProgress(before.progress),
      let bytes = try await transfer.get(file.path, limit: Self.samplesLimit),
      bytes.withUnsafeBytes({ PolarPart.sum($0) }) != sum
    {
      mark.times = (mark.times + 1) & 0xFFFF
      keepForFetch(bytes, of: file.path)
    }
    return HeldItem(id: file.path, mark: mark.text, size: size, begins: known.begins)
  }

  // MARK: files that are complete before their day is over

  /// The item as it is stored, until its day is over; or a new one.
  private func early(_ file: PSFTP.RemoteFile, _ known: PolarFile, _ before: KnownItem?) -> HeldItem? {
    if let before, before.isDurable, !before.isErased {
      return HeldItem(id: before.id, mark: before.mark, size: before.size, begins: known.begins)
    }
    guard file.size <= UInt64(Self.samplesLimit) else { return nil }
    let size = Int(clamping: file.size)
    return HeldItem(id: file.path, mark: PolarFileMark.listed(size, before).text, size: size, begins: known.begins)
  }

  /// A test of blood oxygen, five minutes after it was made. An unreadable test waits for the end of its day.
  private func test(_ file: PSFTP.RemoteFile, _ known: PolarFile, _ now: Int64, _ before: KnownItem?)
    async throws(VisitTrouble) -> HeldItem?
  {
    if before.map({ $0.isDurable && !$0.isErased }) ?? false { return early(file, known, before) }
    guard file.size <= UInt64(Self.samplesLimit),
      let bytes = try await transfer.get(file.path, limit: Self.samplesLimit), bytes.count == Int(clamping: file.size),
      let made = (try? PbSpo2TestResult(wire: bytes))?.moment(of: known)?.microseconds
    else { return nil }
    guard Self.hasSettled(made, for: PolarPart.settling, now, setBackFrom) else { return nil }
    keepForFetch(bytes, of: file.path)
    return early(file, known, before)
  }

  /// Whether results of a period that ended at `end` can be assumed to be written.
  ///
  /// - Parameters:
  ///   - wait: how long writing them takes, µs.
  ///   - from: time that the wearable's clock showed before it was set back. An end between now and then was before
  ///     that.
  nonisolated static func hasSettled(_ end: Int64, for wait: Int64, _ now: Int64, _ from: Int64?) -> Bool {
    if let from, now < end, end <= from { return true }
    let (settled, overflow) = end.addingReportingOverflow(wait)
    return !overflow && settled <= now
  }

  // MARK: sums

  /// Growth of a day's sums, once an hour. The file's size does not show it. An unreadable file waits for the end of
  /// its day.
  private func lookAtSums(_ file: PSFTP.RemoteFile, _ known: PolarFile, _ now: Int64, _ before: KnownItem?)
    async throws(VisitTrouble) -> HeldItem?
  {
    if let item = asItIs(nil, known.begins, now, before, pause: Self.lookPause) { return item }
    let asBefore = Self.asBefore(before, known.begins)
    // Near midnight a slightly wrong clock would assign them to the adjacent day.
    let edge = PolarPart.settling
    guard let midnight = known.day?.midnight, (edge...86_400_000_000 - edge).contains(now &- midnight),
      file.size <= UInt64(Self.samplesLimit), let bytes = try await transfer.get(file.path, limit: Self.samplesLimit)
    else { return asBefore }
    guard isNews(bytes, of: known, at: file.path, now), keepForFetch(bytes, of: file.path) else { return asBefore }
    let mark = PolarFileMark(lookAt: bytes.count, now)
    return HeldItem(id: file.path, mark: mark.text, size: bytes.count, isOpen: true, begins: known.begins)
  }

  /// Whether a look would store a value, or find the file at rest.
  private func isNews(_ bytes: [UInt8], of known: PolarFile, at path: String, _ now: Int64) -> Bool {
    bytes.withUnsafeBytes { raw in
      guard let contents = try? FileContents(known, raw) else { return false }
      let before = progress[path].flatMap { PolarProgress($0) }
      guard
        let content = PolarPart(before: before, lookedAt: now).content(contents, of: known, raw, exerciseStart: nil)
      else { return false }
      let new = SampleBuffer(limit: PolarPart.sampleLimit)
      content.append(new)
      return content.isOther || new.count > 0 || before?.hasAll != content.progress?.hasAll
    }
  }

  // MARK: nights

  /// Days on which the wearer woke up at least 90 minutes ago, with a night that may still be computed again.
  func nightsThatAreOver(_ today: LocalDate, _ now: Int64, _ before: [String: KnownItem]) async throws(VisitTrouble)
    -> Set<LocalDate>
  {
    var nights: Set<LocalDate> = []
    for day in [LocalDate(dayNumber: today.dayNumber - 1), today] {
      guard let path = PolarFile.path(.sleep, of: day), let file = tree.files.first(where: { $0.path == path }),
        (1...UInt64(Self.samplesLimit)).contains(file.size)
      else { continue }
      if let known = before[path], known.isDurable, !known.isErased, known.size == Int(clamping: file.size) {
        nights.insert(day)
        continue
      }
      guard let known = PolarFile(path: path), let bytes = try await transfer.get(path, limit: Self.samplesLimit),
        case .sleep(let sleep)? = bytes.withUnsafeBytes({ try? FileContents(known, $0) }), sleep.hasSleepEndTime,
        let end = sleep.sleepEndTime.moment?.microseconds
      else { continue }
      let (settled, overflow) = end.addingReportingOverflow(Self.nightSettling)
      guard !overflow, settled <= now else { continue }
      nights.insert(day)
      keepForFetch(bytes, of: path)
    }
    return nights
  }

  /// - Parameter isNight: results of a night, which are complete but may be rewritten.
  private func look(at file: PSFTP.RemoteFile, _ begins: Int64?, _ now: Int64, _ known: KnownItem?, isNight: Bool)
    async throws(VisitTrouble) -> HeldItem?
  {
    if let item = asItIs(Int(clamping: file.size), begins, now, known, pause: isNight ? 0 : Self.lookPause) {
      return item
    }
    var bytes = contents[file.path]
    if bytes == nil { bytes = try await transfer.get(file.path, limit: Self.samplesLimit) }
    return bytes.flatMap { opened($0, at: file.path, begins, now, known) }
  }

  /// A look at a file that was already read.
  func look(at file: PSFTP.RemoteFile, _ bytes: [UInt8], _ begins: Int64?, _ now: Int64, _ known: KnownItem?)
    -> HeldItem?
  {
    asItIs(bytes.count, begins, now, known, pause: Self.lookPause) ?? opened(bytes, at: file.path, begins, now, known)
  }

  /// The stored item, if it needs no new look.
  ///
  /// - Parameter size: nil if the size does not show changes.
  private func asItIs(_ size: Int?, _ begins: Int64?, _ now: Int64, _ known: KnownItem?, pause: Int64) -> HeldItem? {
    guard let known, let item = Self.asBefore(known, begins) else { return nil }
    let mark = PolarFileMark(known.mark)
    let isOpen = mark?.isOpen ?? false
    let (age, overflow) = now.subtractingReportingOverflow(mark?.time.flatMap { Int64(exactly: $0) } ?? .min)
    // A file of unchanged size may have values that were too recent for the last look.
    let hasAll = size != nil && known.size == size && PolarProgress(known.progress)?.hasAll ?? true
    // A file that was complete before the clock was set back is looked at again when its day is over.
    guard !isOpen || hasAll || !overflow && (0..<pause).contains(age) else { return nil }
    return item
  }

  /// The stored item; nil without one.
  private static func asBefore(_ known: KnownItem?, _ begins: Int64?) -> HeldItem? {
    guard let known, known.isDurable, !known.isErased else { return nil }
    return HeldItem(id: known.id, mark: known.mark, size: known.size, isOpen: true, begins: begins)
  }

  private func opened(_ bytes: [UInt8], at path: String, _ begins: Int64?, _ now: Int64, _ known: KnownItem?)
    -> HeldItem?
  {
    guard !bytes.isEmpty else { return nil }
    // If no value would become durable, the item is reported unchanged.
    if let known, known.size == bytes.count, let item = Self.asBefore(known, begins), let file = PolarFile(path: path),
      !isNews(bytes, of: file, at: path, now)
    {
      return item
    }
    guard keepForFetch(bytes, of: path) else { return nil }
    var mark = PolarFileMark(lookAt: bytes.count, now)
    // The same look again, after it was only partly stored.
    if let known, !known.isDurable, !known.isErased, let before = PolarFileMark(known.mark), before.isOpen,
      before.size == bytes.count
    {
      mark = before
    }
    return HeldItem(id: path, mark: mark.text, size: bytes.count, isOpen: true, begins: begins)
  }
}
