// Messages of days, as received and as stored. Each is read in its own turn of the event loop, so that an answer of
// hundreds of messages does not block it.

import Bluetooth
import EventLoop
import Health
import TopStepMessages
import Wearable

/// Message of an answer, and the day that it belongs to.
struct DayMessage: Sendable, Hashable {
  let bytes: [UInt8]
  /// nil if it cannot be read.
  let span: DaySpan?
  /// Unit of sleep lengths that this night shows by itself.
  let sleepUnit: SleepUnit?

  init(_ kind: DayKind, _ bytes: [UInt8]) {
    self.bytes = bytes
    span = try? kind.span(of: bytes)
    sleepUnit = kind == .sleep ? (try? TopStepSleepNight(wire: bytes)).flatMap { SleepLengths($0.items).shown } : nil
  }
}

/// Beginning of a message's day and its last second, s since 2000.
struct DaySpan: Sendable, Hashable {
  let begin, end: Int64
}

extension DayKind {
  /// Time span of a message. If the end is absent or impossible, the span has the length of a day.
  func span(of bytes: [UInt8]) throws(MalformedMessage) -> DaySpan {
    switch self {
    case .heartRate:
      let day = try TopStepHeartRateDay(wire: bytes)
      return DaySpan(begin: day.start, end: day.end)
    case .spo2, .stress:
      let day = try TopStepMeasuredDay(wire: bytes)
      return DaySpan(begin: day.start, end: day.end)
    case .sleep: return DaySpan(begin: try TopStepSleepNight(wire: bytes).midnight, end: 0)
    case .activity:
      let day = try TopStepActivityDay(wire: bytes)
      return DaySpan(begin: day.start, end: day.end)
    case .sport:
      let sport = try TopStepSport(wire: bytes)
      return DaySpan(begin: sport.start, end: sport.end)
    }
  }
}

/// Pieces of one day for `verify` and `decode`, one message per piece.
final class DayPieces: IncrementalDecoder {
  private let kind: DayKind
  private let mark: String
  private var verifying: DayReader?
  private var decoding: DayReader?

  init(_ kind: DayKind, mark: String) { (self.kind, self.mark) = (kind, mark) }

  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
    var reader: DayReader
    if let verifying { reader = verifying } else { reader = try self.reader(bytes, NoSink()) }
    let isMore = try reader.next()
    verifying = isMore ? reader : nil
    return isMore ? nil : verdict(reader)
  }

  private func reader(_ bytes: RawBytes, _ sink: any ItemSink) throws(ItemDefect) -> DayReader {
    let day = try DayItem(bytes)
    guard day.kind == kind else { throw .malformed("data of another kind") }
    return DayReader(day, into: sink)
  }

  private func verdict(_ reader: DayReader) -> ItemVerdict {
    let noun = reader.count == 1 ? "value" : "values"
    // An answer is complete as it is: later data belongs to another answer.
    var verdict = ItemVerdict(
      summary: "\(reader.count) \(noun)\(reader.item.isOver ? "" : " so far")", isFinal: true, mark: mark,
      isTimeUnsure: reader.item.isBeforeSetting)
    verdict.keepsBytes = reader.item.isOver
    verdict.mayRepeat = true
    return verdict
  }

  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
    var reader: DayReader
    if let decoding { reader = decoding } else { reader = try self.reader(bytes, sink) }
    let isMore = try reader.next()
    decoding = isMore ? reader : nil
    return isMore
  }

  func rewind() { decoding = nil }
}

/// Sink for verification: decoded values are discarded.
private final class NoSink: ItemSink {
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {}
  func noteAnomaly(_ what: StaticString) {}
}
