// Decoded samples of one item, cut into batches that the store takes, with times corrected to the hub's clock.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Turns one item into batches: its raw bytes first, then what they decode to, in parts that are the same whenever the same bytes are cut.
///
/// The parts are counted before the first is made, because each batch's source names how many there are; so a batch never stands for more than
/// it holds.
struct ItemBatches {
  let item: HeldItem
  let wearable: WearableID
  let correction: ClockCorrection?
  /// Of the raw bytes, and of what has no time.
  let fallback: WallTime
  /// Bytes of memory in one batch.
  let limit: Int
  let bytes: [UInt8]
  /// Samples of the bytes; nil where they could not be understood and only the bytes are kept.
  let decode: ((any ItemSink) throws(ItemDefect) -> Void)?

  /// Receipts that one item may have.
  static let partLimit = CustodyRecord.receiptLimit

  /// How many batches it makes, and what was odd.
  ///
  /// - Throws: `unsupported` for more than `partLimit`, or what `decode` throws.
  func count() throws(ItemDefect) -> (parts: Int, anomalies: Int) {
    let sink = PartSink(limit: limit, wanted: nil)
    try feed(sink)
    if sink.part > Self.partLimit { throw .malformed("it decodes to more than \(Self.partLimit) batches") }
    return (sink.part, sink.anomalies)
  }

  /// One batch, counted from 1.
  func batch(_ part: Int, of parts: Int, visit: VisitRecord) throws(HearthError) -> FetchedBatch {
    let batch = try FetchedBatch(wearable: wearable, source: item.source(part: part, of: parts), visit: visit)
    let sink = PartSink(limit: limit, wanted: part)
    sink.batch = batch
    sink.correction = correction
    sink.fallback = fallback
    do throws(ItemDefect) { try feed(sink) } catch {
      throw HearthError(.itemDefective, "\(item.id) decoded differently the second time")
    }
    if let trouble = sink.trouble { throw trouble }
    return sink.batch ?? batch
  }

  private func feed(_ sink: PartSink) throws(ItemDefect) {
    var rest = bytes[...]
    repeat {
      let piece = rest.prefix(min(FetchedBatch.recordLimit, limit / 2))
      rest = rest.dropFirst(piece.count)
      sink.appendRaw(Array(piece), at: item.begins)
    } while !rest.isEmpty
    if let decode { try decode(sink) }
  }
}

/// Counts the parts, and fills the wanted one.
private final class PartSink: ItemSink {
  private let limit: Int
  private let wanted: Int?
  private(set) var part = 1
  private var size = 0
  private(set) var anomalies = 0
  var batch: FetchedBatch?
  var correction: ClockCorrection?
  var fallback = WallTime(microseconds: 0)
  private(set) var trouble: HearthError?

  init(limit: Int, wanted: Int?) {
    self.limit = limit
    self.wanted = wanted
  }

  func append(_ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool) {
    // A driver that gets this wrong has met bytes its author did not think of.
    guard values.count == series.layout.valueCount, bytes.isEmpty || series.layout.hasBytes, bytes.count <= FetchedBatch.recordLimit else {
      anomalies += 1
      return
    }
    // Where no reading of the clock reaches, the wearable's own time is all there is.
    let time = correction?.hubTime(of: deviceTime) ?? deviceTime
    put(series, values, bytes, at: WallTime(microseconds: time), SampleFlags(origin: .fetched, kind: kind, isManual: isManual))
  }

  func appendRaw(_ bytes: [UInt8], at deviceTime: Int64?) {
    let time = deviceTime.map { WallTime(microseconds: correction?.hubTime(of: $0) ?? $0) } ?? fallback
    put(.raw, [0], bytes, at: time, .fetched)
  }

  private func put(_ series: Series, _ values: [Int64], _ bytes: [UInt8], at time: WallTime, _ flags: SampleFlags) {
    // As the batch itself counts.
    let need = 24 + values.count * 8 + bytes.count
    if size > 0, size + need > limit {
      part += 1
      size = 0
    }
    size += need
    guard part == wanted, trouble == nil else { return }
    do throws(HearthError) { try batch?.append(series, values, bytes: bytes, at: time, flags: flags) } catch { trouble = error }
  }

  func noteAnomaly(_ what: StaticString) { anomalies += 1 }
}
