// Erasures: people with data that were, or are being, deleted. A record has a number and time spans, but no name.

public import EventLoop
internal import StateCodec

/// A stretch of time in which a wearable was on one person.
public struct WornSpan: Sendable, Hashable {
  /// Wearable that was worn.
  public let wearable: WearableID
  /// Begin of the stretch.
  public let from: WallTime
  /// Exclusive end; `Int64.max` if there is no later assignment.
  public let to: WallTime

  /// A stretch from `from` until before `to`.
  public init(wearable: WearableID, from: WallTime, to: WallTime) {
    self.wearable = wearable
    self.from = from
    self.to = to
  }
}

struct Erasure: Sendable, Hashable {
  let wearer: WearerID
  var begunAt: WallTime
  /// nil while data remain to be deleted.
  var doneAt: WallTime?
  var items: UInt64 = 0
  var spans: [WornSpan]

  /// The number of spans that one record can hold.
  static let spanLimit = 2800
}

extension People {
  /// The spans in which a person wore wearables, by wearable and time; adjacent spans are merged.
  func spans(of wearer: WearerID) -> [WornSpan] {
    var spans: [WornSpan] = []
    for (index, assignment) in assignments.enumerated() where assignment.wearer == wearer {
      let next = index + 1 < assignments.count ? assignments[index + 1] : nil
      let to = next.flatMap { $0.wearable == assignment.wearable ? $0.from : nil } ?? WallTime(microseconds: .max)
      if let last = spans.last, last.wearable == assignment.wearable, last.to == assignment.from {
        spans[spans.count - 1] = WornSpan(wearable: last.wearable, from: last.from, to: to)
      } else {
        spans.append(WornSpan(wearable: assignment.wearable, from: assignment.from, to: to))
      }
    }
    return spans
  }
}

/// Key: wearer (u32). Tags: 1 begun, 2 done (i64), 3 items (u64), 4 a span: wearable (u32), from, to (i64); repeated.
extension Erasure: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.erasures }
  static var tags: ClosedRange<UInt8> { 1...4 }

  var key: [UInt8] { [UInt8](bigEndian: wearer.number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, begunAt.microseconds)
    if let doneAt { fields.put(2, doneAt.microseconds) }
    fields.put(3, items)
    for span in spans {
      var content: [UInt8] = []
      content.append(littleEndian: span.wearable.number)
      content.append(littleEndian: span.from.microseconds)
      content.append(littleEndian: span.to.microseconds)
      fields.put(4, content)
    }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var times: [UInt8: Int64] = [:]
    var items: UInt64?
    var spans: [WornSpan] = []
    while let tag = fields.next() {
      switch tag {
      case 1, 2:
        var time: Int64?
        fields.read(&time)
        times[tag] = time
      case 3: fields.read(&items)
      case 4:
        var reader = StoredReader(fields.content)
        guard let wearable = reader.integer(UInt32.self), let from = reader.integer(Int64.self),
          let to = reader.integer(Int64.self), reader.isAtEnd, spans.count < Self.spanLimit
        else { return nil }
        spans.append(
          WornSpan(
            wearable: WearableID(number: wearable), from: WallTime(microseconds: from), to: WallTime(microseconds: to)))
      default: break
      }
    }
    guard let number = key.bigEndian(UInt32.self), let begun = times[1], let items else { return nil }
    self.init(
      wearer: WearerID(number: number), begunAt: WallTime(microseconds: begun),
      doneAt: times[2].map { WallTime(microseconds: $0) }, items: items, spans: spans)
  }
}
