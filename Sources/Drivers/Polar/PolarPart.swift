// The new part of a file that still changes.

import Bluetooth
import Health
import PolarMessages
import Wearable

/// A look at a file, or the final fetch when it is complete. Pure: from the file, its stored progress and the time of
/// the look.
struct PolarPart {
  /// Stored progress; nil before the first look.
  let before: PolarProgress?
  /// µs of the wearable's clock; nil if the file no longer changes.
  let lookedAt: Int64?

  /// Values that are more recent than this may still be rewritten, µs.
  static let settling: Int64 = 300_000_000
  /// Maximum values of sessions in one look. That many fit into one batch, which is stored as a whole or not at all.
  static let lookLimit = 8_000

  /// Maximum number of samples of a file that is compared with the stored ones: one every ten seconds of a day. A day's
  /// file has no more.
  static let sampleLimit = 10_000

  /// Values to store, and the progress after that.
  struct Content {
    let progress: PolarProgress?
    /// Stored values differ from the file's present ones.
    var isOther = false
    /// The file has more than `sampleLimit` samples.
    var isOverfull = false
    /// Samples that are passed on in slices; nil to pass all of them with `append`.
    var runs: SampleRuns?
    let append: (any ItemSink) -> Void
  }

  /// nil for kinds without progress.
  func content(_ contents: FileContents, of file: PolarFile, _ bytes: RawBytes, exerciseStart: Int64?) -> Content? {
    let samples = SampleBuffer(limit: Self.sampleLimit)
    func all(_ make: (SampleBuffer) -> Content) -> Content {
      contents.append(of: file, bytes, exerciseStart: exerciseStart, to: samples)
      var content = make(samples)
      content.isOverfull = samples.isOverfull
      return content
    }
    switch contents {
    case .activity, .temperature: return all(growing)
    case .sleep, .recharge, .sleepTemperature: return all { night($0, Self.sum(bytes)) }
    case .summary: return all(totals)
    case .spo2: return all { once($0, Self.sum($0, until: .max)) }
    case .undescribed where file.kind == .sleepScore: return once(SampleBuffer(limit: 0), Self.sum(bytes))
    case .automatic(let sessions): return automatic(sessions)
    default: return nil
    }
  }

  // MARK: files that grow at their end

  /// A file is complete if its last value precedes a look by more than this, µs. Each look follows the start of a sync,
  /// which makes the wearable write its data up to now.
  static let rest: Int64 = 3_600_000_000

  /// Values by time: all that ended after the stored ones and up to a safe time. Up to that time every series of the
  /// file has values, and they have settled. A file at rest is stored to its end, such as that of a morning that the
  /// afternoon's file follows.
  private func growing(_ all: SampleBuffer) -> Content {
    var from = Int64.min
    var known: UInt32?
    var hadAll = false
    if case .until(let time, let sum, let isAtRest)? = before { (from, known, hadAll) = (time, sum, isAtRest) }
    var lasts: [Series: Int64] = [:]
    var end = Int64.min
    all.forEach { series, values, time in
      end = max(end, Self.end(series, values, time))
      // A class of activity goes on until the next one.
      if series != .activeTime { lasts[series] = max(lasts[series] ?? .min, time) }
    }
    let isAtRest = lookedAt.map { end < $0 - Self.rest } ?? true
    var to = isAtRest ? end : lookedAt.map { min($0 - Self.settling, lasts.values.min() ?? .min) } ?? end
    to = max(from, to)
    let isOther = known.map { $0 != Self.sum(all, until: from) } ?? false
    let progress =
      to == .min ? before : PolarProgress.until(to, sum: Self.sum(all, until: to), isAtRest: isAtRest)
    let last = lookedAt == nil ? Int64.max : to
    return Content(progress: progress, isOther: isOther) { sink in
      all.noteAnomalies(to: sink)
      all.append(to: sink) { series, values, time in
        let end = Self.end(series, values, time)
        guard from < end, end <= last else { return false }
        // The file was continued after it seemed at rest: the class up to then is stored, so only its rest is added.
        guard hadAll, series == .activeTime, time < from, let value = values.last else { return true }
        sink.append(series, [end - from, value], bytes: [], at: from, kind: .normal, isManual: false)
        return false
      }
    }
  }

  private static func end(_ series: Series, _ values: ArraySlice<Int64>, _ time: Int64) -> Int64 {
    guard series.layout == .interval, let length = values.first else { return time }
    let (end, overflow) = time.addingReportingOverflow(length)
    return overflow ? time : end
  }

  /// FNV-1a, 32 bits, of all values that ended by then.
  private static func sum(_ all: SampleBuffer, until: Int64) -> UInt32 {
    var sum: UInt32 = 0x811C_9DC5
    func add(_ number: Int64) {
      for shift in stride(from: 0, to: 64, by: 8) {
        sum = (sum ^ UInt32(truncatingIfNeeded: number >> shift) & 0xFF) &* 0x0100_0193
      }
    }
    all.forEach { series, values, time in
      guard end(series, values, time) <= until else { return }
      add(Int64(series.id))
      add(time)
      values.forEach(add)
    }
    return sum
  }

  static func sum(_ bytes: RawBytes) -> UInt32 { bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 } }

  // MARK: nights

  /// A night is stored as a whole when its results are there. If it is computed again, its numbers replace the earlier
  /// ones in a day's line. Sleep stages are summed, so only those after the stored ones are added.
  private func night(_ all: SampleBuffer, _ sum: UInt32) -> Content {
    var end = Int64.min
    all.forEach { series, values, time in if series == .sleepStage { end = max(end, Self.end(series, values, time)) } }
    guard case .night(let known, let stored)? = before else {
      return Content(progress: .night(sum: sum, end: end)) { sink in
        all.noteAnomalies(to: sink)
        all.append(to: sink) { _, _, _ in true }
      }
    }
    if known == sum { return Content(progress: before) { _ in } }
    return Content(progress: .night(sum: sum, end: max(end, stored)), isOther: true) { sink in
      all.noteAnomalies(to: sink)
      all.append(to: sink) { series, values, time in series != .sleepStage || Self.end(series, values, time) > stored }
    }
  }

  // MARK: files that are written once

  /// Returns the samples, unless the file is unchanged.
  private func once(_ all: SampleBuffer, _ sum: UInt32) -> Content {
    var known: UInt32?
    if case .night(let sum, _)? = before { known = sum }
    return Content(progress: .night(sum: sum, end: .min), isOther: known.map { $0 != sum } ?? false) { sink in
      all.noteAnomalies(to: sink)
      if known != sum { all.append(0..<all.count, to: sink) }
    }
  }

  // MARK: sums of the day

  private func totals(_ all: SampleBuffer) -> Content {
    var known: PolarTotals?
    if case .totals(let totals)? = before { known = totals }
    let growth = PolarTotals.growth(of: all, after: known, lookedAt: lookedAt)
    // A day without stored sums gets one value for the whole day once it is over.
    let isWholeDay = known == nil && lookedAt == nil
    return Content(progress: growth.totals.map { .totals($0) } ?? before, isOther: growth.isOther) { sink in
      all.noteAnomalies(to: sink)
      if isWholeDay { return all.append(0..<all.count, to: sink) }
      for new in growth.values {
        sink.append(new.series, [new.length, new.amount], bytes: [], at: new.begins, kind: .normal, isManual: false)
      }
    }
  }

  // MARK: sessions

  private func automatic(_ file: PbAutomaticSampleSessions) -> Content {
    guard let day = file.day.civil else {
      return Content(progress: before, runs: SampleRuns(file.runs())) { _ in }
    }
    var known = PolarSessions(day: day)
    if case .sessions(let sessions)? = before, sessions.day == day { known = sessions }
    guard let lookedAt else {
      // The file is removed soon, so its progress is no longer needed.
      let run = SampleRuns(AutomaticRun(file, after: known).map { [$0] } ?? [])
      return Content(progress: .sessions(PolarSessions(day: day)), runs: run) { sink in
        var run = run
        while run.next(.max, into: sink) {}
      }
    }
    let new = file.append(after: &known, until: lookedAt - Self.settling, limit: Self.lookLimit)
    return Content(progress: .sessions(known)) { sink in new.append(to: sink) }
  }
}
