// Lines of samples for long exports. What the rows of a ring have in common is made once.

internal import CivilTime
internal import Health
public import RingStore

/// Writes samples as the lines that `ExportRow` makes of them, byte by byte the same.
///
/// Successive rows of a ring with one number each differ in time and number alone. What is around these is kept, until
/// flags, clock or wearer change.
public struct SampleLines {
  /// The bytes around time and number, and what they hold for.
  private struct Frame {
    let ring: RingID
    let flags: SampleFlags
    let clock: String?
    let wearer: WearerID?
    let head: [UInt8]
    let tail: [UInt8]

    func holds(_ sample: StoredSample, _ wearer: WearerID?) -> Bool {
      sample.flags == flags && sample.clockName == clock && wearer == self.wearer
    }
  }

  private let writer: SampleExport
  private let format: SampleExport.Format
  private let saysBytes: Bool
  private var moments = MomentWriter()
  private var frames: [RingID: Frame] = [:]
  private var last: Frame?

  /// - Parameters:
  ///   - bytes: with the bytes of records and of waveforms in an encoding of the wearable's own.
  public init(_ writer: SampleExport, _ format: SampleExport.Format, bytes: Bool = true) {
    (self.writer, self.format, saysBytes) = (writer, format, bytes)
  }

  /// Appends a line and its line feed.
  public mutating func append(_ sample: StoredSample, to text: inout [UInt8]) {
    guard let frame = frame(sample) else { return writer.row(sample).append(as: format, bytes: saysBytes, to: &text) }
    text.append(contentsOf: frame.head)
    moments.append(sample.time.shown(sample.series), to: &text)
    switch format {
    case .ndjson: text.append(contentsOf: "\",\"value\":".utf8)
    case .csv: text.append(UInt8(ascii: ","))
    }
    sample.series.append(sample.value, to: &text)
    text.append(contentsOf: frame.tail)
  }

  /// nil for a sample that is more than a time and a number.
  private mutating func frame(_ sample: StoredSample) -> Frame? {
    guard sample.values.isEmpty, sample.bytes.isEmpty else { return nil }
    let wearer = writer.wearerID(of: sample)
    let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
    if let last, last.ring == ring, last.holds(sample, wearer) { return last }
    if let known = frames[ring], known.holds(sample, wearer) {
      last = known
      return known
    }
    guard sample.series.layout == .scalar else { return nil }
    last = makeFrame(sample, ring, wearer)
    frames[ring] = last
    return last
  }

  private func makeFrame(_ sample: StoredSample, _ ring: RingID, _ wearer: WearerID?) -> Frame {
    let row = writer.row(sample)
    var (head, tail): ([UInt8], [UInt8]) = ([], [])
    switch format {
    case .ndjson:
      row.appendJSONHead(to: &head)
      row.appendJSONTail(to: &tail)
      tail.append(UInt8(ascii: "\n"))
    case .csv:
      row.appendCSVHead(to: &head)
      row.appendCSVTail(bytes: saysBytes, to: &tail)
    }
    return Frame(
      ring: ring, flags: sample.flags, clock: sample.clockName, wearer: wearer, head: head, tail: tail)
  }
}
