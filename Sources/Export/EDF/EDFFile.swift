// Rows as one EDF+ file, or BDF+ if a signal needs more than 16 bits.
//
// The rows stand in a temporary file, which is read four times; the file is written in place. Memory is bounded by the
// number of gaps and of data records, not by the number of rows.
//
// - A value of a scalar or a vector stands in the cell of its second. Faster values have several cells a second.
// - Samples of a waveform stand one after the other at the rate at which they came.
// - Rows that overlap stand in signals beside each other. Values of different origin or kind do, too.
// - All else is an annotation: beats, intervals, trainings, gaps, doubts about values.

internal import Health

/// Encoder of one file.
public struct EDFFile {
  /// Reason why no file can be made.
  public enum Problem: Error, Sendable, Hashable {
    /// Fault that no row is there.
    case empty
    /// The numbers of a signal do not fit 24 bits.
    case tooWide(signal: String)
    case tooManySignals(Int)
  }

  /// Readers that were tried have no more room.
  static let signalLimit = 512

  /// BDF+, with 24 bits.
  public var isWide: Bool { header.isWide }
  /// EDF+C; else EDF+D.
  public var isContinuous: Bool { header.isContinuous }
  /// Number of stretches between gaps.
  public let stretches: Int
  /// Number of blocks of waveforms that found no place.
  public let leftOut: Int
  /// Bytes of the annotations in each data record.
  var annotationBytes: Int { layout.room.bytes }
  /// Size of the file in bytes.
  public var size: Int { header.count + header.records * layout.recordSize }

  private let devices: [String]
  private let notes: [String]
  private let tracks: EDFTracks
  private let records: EDFRecords
  private let layout: EDFLayout
  private let header: EDFHeader

  /// - Parameters:
  ///   - rows: as `EDFRow.append` writes them.
  ///   - devices: names of the wearables, as rows number them.
  ///   - notes: what is to be said at the start of the file.
  /// - Throws: `empty` without a row of the years 1970 to 9999. `tooWide` if the numbers of a signal need more than 24
  ///   bits. `tooManySignals` for more than 512.
  public init(
    _ rows: UnsafeRawBufferPointer, devices: [String], identity: EDFIdentity, notes: [String] = []
  ) throws(Problem) {
    (self.devices, self.notes) = (devices, notes)
    var tracks = EDFTracks()
    var earliest: Int64?
    Self.forEach(rows) { row in
      tracks.add(row)
      if EDFTracks.times.contains(row.time) { earliest = min(earliest ?? .max, row.time) }
    }
    guard let earliest else { throw .empty }
    tracks.finish()
    var survey = EDFSurvey(tracks)
    var placement = EDFPlacement(tracks, devices: devices)
    Self.run(rows, &placement, &survey)
    if tracks.all.isEmpty { survey.records.mark(Self.record(of: earliest, tracks)) }
    survey.records.finish()
    let signals = try EDFLayout.signals(tracks, placement, devices)
    var count = EDFCount(survey.records)
    var second = EDFPlacement(tracks, devices: devices)
    for note in notes { count.annotate(EDFAnnotation(time: count.start * 1_000_000, text: note)) }
    Self.run(rows, &second, &count)
    layout = EDFLayout(signals, room: count.room(isWide: signals.isWide))
    header = EDFHeader(
      isWide: signals.isWide, isContinuous: survey.records.isContinuous, identity: identity, start: count.start,
      records: survey.records.count, recordLength: tracks.recordLength, signals: signals.signals,
      annotationBytes: layout.room.bytes)
    (self.tracks, records, leftOut) = (tracks, survey.records, placement.leftOut)
    stretches = survey.records.stretches
  }

  /// - Parameters:
  ///   - rows: the same as before.
  ///   - bytes: `size` of them.
  public func write(_ rows: UnsafeRawBufferPointer, to bytes: UnsafeMutableRawBufferPointer) {
    guard bytes.count >= size else { return }
    bytes.copyBytes(from: header.bytes)
    var writer = EDFWriter(layout, records, bytes, body: header.count)
    writer.prepare()
    for note in notes { writer.annotate(EDFAnnotation(time: header.start * 1_000_000, text: note)) }
    var placement = EDFPlacement(tracks, devices: devices)
    Self.run(rows, &placement, &writer)
  }

  private static func record(of time: Int64, _ tracks: EDFTracks) -> Range<Int64> {
    let record = time / 1_000_000 / tracks.recordLength
    return record..<(record + 1)
  }

  private static func forEach(_ rows: UnsafeRawBufferPointer, _ body: (EDFRow) -> Void) {
    var offset = 0
    while let row = EDFRow(rows, at: &offset) { row.forEachPart(body) }
  }

  private static func run(_ rows: UnsafeRawBufferPointer, _ placement: inout EDFPlacement, _ sink: inout some EDFSink) {
    forEach(rows) { placement.place($0, &sink) }
    placement.finish(&sink)
  }
}
