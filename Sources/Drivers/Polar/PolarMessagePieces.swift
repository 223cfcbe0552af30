// A file of messages in `verify` and `decode`: decoded once, then stored in slices.

import Bluetooth
import EventLoop
import Health
import Wearable

/// The file is decompressed and parsed field by field (`FileReader`). Samples of long files are generated on demand
/// (`SampleRuns`); those of a day wait in a `SampleBuffer`.
final class PolarMessagePieces: IncrementalDecoder {
  private let item: HeldItem
  /// Start of the exercise that the file belongs to, µs since 1970; nil if unknown.
  private let exerciseStart: Int64?
  /// Latest time of the end of an exercise without a start, µs since 1970; nil for other files.
  private let endsBy: Int64?
  /// Part of a file that is looked at repeatedly; nil for other files.
  private let part: PolarPart?
  private var content: PolarPart.Content?
  private let mark: (_ contents: FileContents, _ bytes: RawBytes) -> String
  private var file: (path: PolarFile, contents: FileContents)?
  private var reader: FileReader?
  private var runs: SampleRuns?
  private var samples: SampleBuffer?
  private var next = 0

  /// Samples that are stored within 2 ms on the smallest board, as measured with the fields of activity files.
  static let size = 2000

  /// - Parameters:
  ///   - endsBy: for an exercise without a start.
  ///   - part: for a file that is looked at repeatedly.
  ///   - mark: gives the mark of the decoded content.
  init(
    _ item: HeldItem, exerciseStart: Int64?, endsBy: Int64? = nil, part: PolarPart? = nil,
    mark: @escaping (_ contents: FileContents, _ bytes: RawBytes) -> String
  ) {
    (self.item, self.exerciseStart, self.endsBy, self.part, self.mark) = (item, exerciseStart, endsBy, part, mark)
  }

  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
    guard let path = PolarFile(path: item.id) else { throw .unknownVersion("a file of no known kind") }
    do throws(FileContents.Defect) {
      let reader = reader ?? FileReader(path)
      self.reader = reader
      guard let contents = try reader.next(bytes) else { return nil }
      self.reader = nil
      file = (path, contents)
      content = part?.content(contents, of: path, bytes, exerciseStart: exerciseStart)
      if content?.isOverfull == true { throw FileContents.Defect.tooLarge }
      let isWhole = part?.lookedAt == nil
      let isOther = content?.isOther == true
      var verdict = ItemVerdict(
        summary: contents.summary + (isWhole ? "" : ", so far") + (isOther ? ", not as it was stored before" : ""),
        isFinal: isWhole, mark: mark(contents, bytes),
        isTimeUnsure: endsBy != nil)
      verdict.keepsBytes = isWhole
      verdict.progress = content.map { $0.progress?.bytes ?? [] }
      return verdict
    } catch { throw .malformed("\(path.kind.rawValue): \(error.code)") }
  }

  func rewind() { (next, runs) = (0, nil) }

  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
    guard let file else { throw .malformed("it was not looked at") }
    let start = exerciseStart ?? endsBy.map { $0 - file.contents.exerciseLength }
    if runs == nil {
      runs = content == nil ? file.contents.runs(of: file.path, exerciseStart: start) : content?.runs
    }
    if runs != nil { return runs?.next(Self.size, into: sink) ?? false }
    let samples = samples ?? SampleBuffer(limit: PolarPart.sampleLimit)
    if self.samples == nil {
      if let content {
        content.append(samples)
      } else {
        file.contents.append(of: file.path, bytes, exerciseStart: start, to: samples)
      }
      self.samples = samples
    }
    guard !samples.isOverfull else {
      throw .malformed("\(file.path.kind.rawValue): more than \(PolarPart.sampleLimit) samples")
    }
    if next == 0 { samples.noteAnomalies(to: sink) }
    let end = min(next + Self.size, samples.count)
    samples.append(next..<end, to: sink)
    next = end
    return next < samples.count
  }
}

/// Samples that wait to be passed on.
final class SampleBuffer: ItemSink {
  private struct Entry {
    let series: Series
    let kind: SampleKind
    let isManual: Bool
    let time: Int64
    /// End of its values and bytes, which begin at the end of the previous entry's.
    let valuesEnd: Int32
    let bytesEnd: Int32
  }

  private let limit: Int
  private var entries: [Entry] = []
  private var values: [Int64] = []
  private var bytes: [UInt8] = []
  private var anomalies: [StaticString] = []
  private(set) var isOverfull = false

  /// Maximum number of anomalies kept; the rest add no information.
  private static let anomalyLimit = 1000

  init(limit: Int) { self.limit = limit }

  var count: Int { entries.count }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    guard entries.count < limit, let valuesEnd = Int32(exactly: self.values.count + values.count),
      let bytesEnd = Int32(exactly: self.bytes.count + bytes.count)
    else {
      isOverfull = true
      return
    }
    self.values += values
    self.bytes += bytes
    entries.append(
      Entry(series: series, kind: kind, isManual: isManual, time: deviceTime, valuesEnd: valuesEnd, bytesEnd: bytesEnd))
  }

  func noteAnomaly(_ what: StaticString) { if anomalies.count < Self.anomalyLimit { anomalies.append(what) } }

  func noteAnomalies(to sink: any ItemSink) { for what in anomalies { sink.noteAnomaly(what) } }

  func forEach(_ body: (Series, ArraySlice<Int64>, _ time: Int64) -> Void) {
    var first = 0
    for entry in entries {
      body(entry.series, values[first..<Int(entry.valuesEnd)], entry.time)
      first = Int(entry.valuesEnd)
    }
  }

  /// Appends the samples that are wanted.
  func append(to sink: any ItemSink, where isWanted: (Series, ArraySlice<Int64>, _ time: Int64) -> Bool) {
    var index = 0
    forEach { series, values, time in
      if isWanted(series, values, time) { append(index..<index + 1, to: sink) }
      index += 1
    }
  }

  func append(_ range: Range<Int>, to sink: any ItemSink) {
    for index in range {
      let entry = entries[index]
      let (firstValue, firstByte) =
        index == 0 ? (0, 0) : (Int(entries[index - 1].valuesEnd), Int(entries[index - 1].bytesEnd))
      sink.append(
        entry.series, Array(values[firstValue..<Int(entry.valuesEnd)]),
        bytes: Array(bytes[firstByte..<Int(entry.bytesEnd)]), at: entry.time, kind: entry.kind,
        isManual: entry.isManual)
    }
  }
}
