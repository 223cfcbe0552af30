// Rows of one page with their places in the store, in few words where a reader wants that.

import CivilTime
internal import Health
public import RingStore

/// Writes the rows of one page as JSON objects.
///
/// | member | what |
/// |---|---|
/// | `enrolment`, `way`, `ordinal`, `parts` | the place, after the members of an export |
/// | `like` | in brief: the row of this page, from 0, that this one is like; it has only what follows besides |
/// | `after` | µs from the `time` of that row to its own, as an export rounds times |
/// | `value`, `end`, `ordinal`, `parts` | its own |
///
/// Most rows of a page have all but time, value and ordinal from the one before of their ring; what is in no ring yet
/// comes in the order of arrival, so those are rarely neighbours.
public struct PlacedRows {
  /// What rows that are like each other share.
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

  public init(_ writer: SampleExport, brief: Bool) {
    (self.writer, isBrief) = (writer, brief)
  }

  /// One row, with a comma before it if it is not the first.
  public mutating func append(_ sample: StoredSample, to text: inout [UInt8]) {
    if count > 0 { text.append(UInt8(ascii: ",")) }
    defer { count += 1 }
    let (content, wearer) = (SampleContent(sample), writer.wearer(of: sample))
    if isBrief, sample.bytes.isEmpty, !content.hasMembers {
      let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
      if let known = written[ring], known.flags == sample.flags, known.clock == sample.clockName,
        known.wearer == wearer
      {
        text.append(contentsOf: "{\"like\":".utf8)
        text.append(digits: UInt64(known.index), width: 1)
        text.append(contentsOf: ",\"after\":".utf8)
        text.append(number: sample.shownTime &- known.time)
        SampleExport.appendValue(content, to: &text)
        SampleExport.appendEnd(sample, content, to: &text)
        return SampleExport.appendOrdinal(of: sample, to: &text)
      }
      written[ring] = Written(
        index: count, flags: sample.flags, clock: sample.clockName, wearer: wearer, time: sample.shownTime)
    }
    writer.appendJSON(sample, content, wearer, to: &text)
    // The line's end, and the object's.
    text.removeLast(2)
    SampleExport.appendPlace(of: sample, to: &text)
  }
}

extension SampleExport {
  /// One line of ndjson that also says its place in the store.
  public func appendPlaced(_ sample: StoredSample, to text: inout [UInt8]) {
    appendJSON(sample, SampleContent(sample), wearer(of: sample), to: &text)
    text.removeLast(2)
    Self.appendPlace(of: sample, to: &text)
    text.append(UInt8(ascii: "\n"))
  }

  /// Rows that take the place of others whose times were off, as a list: of each also `was`, the time it was given
  /// with. `places`: with their places in the store.
  public func retimed(_ samples: [StoredSample], places: Bool) -> [UInt8] {
    var text: [UInt8] = [UInt8(ascii: "[")]
    var rows = PlacedRows(self, brief: false)
    for sample in samples {
      if places {
        rows.append(sample, to: &text)
      } else {
        if text.count > 1 { text.append(UInt8(ascii: ",")) }
        append(sample, to: &text)
        text.removeLast()
      }
      text.removeLast()
      text.append(contentsOf: ",\"was\":\"".utf8)
      text.append(time: sample.storedTime, of: sample.series)
      text.append(contentsOf: "\"}".utf8)
    }
    text.append(UInt8(ascii: "]"))
    return text
  }
}

extension StoredSample {
  /// µs since 1970 as an export writes them: to the millisecond before, where the series has no more.
  fileprivate var shownTime: Int64 {
    series.timeStep == 1 ? time.microseconds : time.microseconds &- floorRemainder(time.microseconds, 1000)
  }
}

extension SampleExport {
  /// A sample's place in its store, and the end of its object.
  fileprivate static func appendPlace(of sample: StoredSample, to text: inout [UInt8]) {
    text.append(contentsOf: ",\"enrolment\":".utf8)
    text.append(digits: UInt64(sample.wearable.number), width: 1)
    text.append(contentsOf: ",\"way\":\"".utf8)
    text.append(contentsOf: sample.way.name.utf8)
    text.append(UInt8(ascii: "\""))
    appendOrdinal(of: sample, to: &text)
  }

  fileprivate static func appendOrdinal(of sample: StoredSample, to text: inout [UInt8]) {
    text.append(contentsOf: ",\"ordinal\":".utf8)
    text.append(digits: sample.ordinal, width: 1)
    if sample.parts > 1 {
      text.append(contentsOf: ",\"parts\":".utf8)
      text.append(digits: UInt64(sample.parts), width: 1)
    }
    text.append(UInt8(ascii: "}"))
  }
}
