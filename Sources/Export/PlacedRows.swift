// Rows of one page with their places in the store, abbreviated if the reader wants that.

import CivilTime
internal import Health
public import RingStore

/// Writes the rows of one page as JSON objects.
///
/// | member | what |
/// |---|---|
/// | `enrolment`, `way`, `ordinal`, `parts` | the place, after the members of an export |
/// | `like` | abbreviated: the row of this page, from 0, that this one is like; it has only what follows besides |
/// | `after` | µs from the `time` of that row to its own, as an export rounds times |
/// | `value`, `end`, `ordinal`, `parts` | its own |
///
/// Most rows of a page differ from the row before of their ring only in time, value and ordinal. Rows that are in no
/// ring yet come in the order of arrival, so those are rarely neighbours.
public struct PlacedRows {
  /// Fields that similar rows share.
  private struct Written {
    let index: Int
    let flags: SampleFlags
    let clock: String?
    let wearer: String?
    let time: Int64
  }

  private let writer: SampleExport
  private let isBrief: Bool
  private var count = 0
  private var written: [RingID: Written] = [:]

  /// Rows of one page; `brief`: abbreviated.
  public init(_ writer: SampleExport, brief: Bool) {
    (self.writer, isBrief) = (writer, brief)
  }

  /// Appends a row, with a comma before it if it is not the first.
  public mutating func append(_ sample: StoredSample, to text: inout [UInt8]) {
    if count > 0 { text.append(UInt8(ascii: ",")) }
    defer { count += 1 }
    let row = writer.row(sample, placed: true)
    if isBrief, sample.bytes.isEmpty, row.period == nil, row.record == nil {
      let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
      if let known = written[ring], known.flags == sample.flags, known.clock == row.clock, known.wearer == row.wearer {
        text.append(contentsOf: "{\"like\":".utf8)
        text.append(digits: UInt64(known.index), width: 1)
        text.append(contentsOf: ",\"after\":".utf8)
        text.append(number: row.time &- known.time)
        row.appendValue(to: &text)
        row.appendEnd(to: &text)
        row.appendOrdinal(to: &text)
        return text.append(UInt8(ascii: "}"))
      }
      written[ring] = Written(
        index: count, flags: sample.flags, clock: row.clock, wearer: row.wearer, time: row.time)
    }
    row.appendJSON(to: &text)
  }
}

extension SampleExport {
  /// Rows that replace others with wrong times, as a list. Each also has `was`, the time that was exported before.
  /// `places`: with their places in the store.
  public func retimed(_ samples: [StoredSample], places: Bool) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "[")]
    for sample in samples {
      if text.count > 1 { text.append(UInt8(ascii: ",")) }
      var row = row(sample, placed: places)
      row.was = sample.storedTime.shown(sample.series)
      row.appendJSON(to: &text)
    }
    text.append(UInt8(ascii: "]"))
    return text
  }
}
