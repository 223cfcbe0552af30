// Decoded samples of one item, split into batches for the store, with times corrected to the hub's clock.

import CivilTime
import Custody
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Turns one item into batches: its raw bytes first, then the decoded samples. Equal bytes are always split into equal
/// parts.
///
/// The parts are counted before the first is made, because the source of each batch names their number. So a batch
/// never stands for more than it holds. Both passes go piece by piece, and other tasks run between two pieces.
@LoopActor
struct ItemBatches {
  let item: HeldItem
  let wearable: WearableID
  var times: ItemTimes
  /// Whether its raw bytes are stored before the samples.
  var keepsBytes = true
  /// Whether samples that the store already has are left out.
  var mayRepeat = false
  /// Zone of the hub's days.
  var zone: TimeZoneRules = .utc
  /// Time of the raw bytes, and of samples without a time.
  let fallback: WallTime
  /// Bytes of memory in one batch.
  let limit: Int
  let bytes: [UInt8]
  /// Verified; nil if the bytes could not be decoded and only they are stored.
  let pieces: (any IncrementalDecoder)?

  /// Limit of receipts for one item.
  nonisolated static let partLimit = ItemPart.limit

  /// Result of the first pass through an item.
  struct Count {
    /// Number of batches.
    var parts: Int
    /// Oddities, and what they are.
    var anomalies: Int
    var odd: OddTally
    /// Values with a future time.
    var refused: Int
    /// Values outside the bounds of their series.
    var impossible: Int
    /// Approximate upper bound of its bytes on the card.
    var bytes: Int
  }

  /// Counts the batches, and what is left out of them.
  ///
  /// - Throws: `malformed` for more than `partLimit`, or the decoder's error.
  func count() async throws(ItemDefect) -> Count {
    let sink = PartSink(self)
    let feed = ItemFeed(self, sink)
    while try feed.next() { await Task.yield() }
    if sink.part > Self.partLimit { throw .malformed("it decodes to more than \(Self.partLimit) batches") }
    return Count(
      parts: sink.part, anomalies: sink.anomalies, odd: sink.odd, refused: sink.refused, impossible: sink.impossible,
      bytes: sink.stored)
  }

  /// The wanted batches, one after the other.
  func cut(into parts: Int, visit: VisitRecord, isWanted: @escaping (Int) -> Bool) -> ItemCut {
    let sink = PartSink(self)
    sink.make = { part throws(HearthError) in
      guard isWanted(part) else { return nil }
      guard let part = item.part(part, of: parts) else {
        throw HearthError(.custodyInvalid, "\(item.id): no such part")
      }
      var batch = FetchedBatch(wearable: wearable, part: part, visit: visit)
      batch.leavesOutRepetitions = mayRepeat
      return batch
    }
    return ItemCut(self, sink, parts: parts)
  }
}

/// The second pass through one item.
@LoopActor
final class ItemCut {
  private let id: String
  private let parts: Int
  private let sink: PartSink
  private let feed: ItemFeed
  private var isOver = false

  fileprivate init(_ batches: ItemBatches, _ sink: PartSink, parts: Int) {
    id = batches.item.id
    self.parts = parts
    self.sink = sink
    feed = ItemFeed(batches, sink)
    sink.begin()
  }

  /// The next wanted batch, with its part, counted from 1; nil after the last.
  func next() async throws(HearthError) -> (part: Int, batch: FetchedBatch)? {
    while true {
      if let trouble = sink.trouble { throw trouble }
      if let whole = sink.takeWhole() { return whole }
      if isOver { return nil }
      do throws(ItemDefect) { isOver = try !feed.next() } catch { throw different }
      if isOver {
        if sink.part != parts { throw different }
        sink.finish()
      }
      await Task.yield()
    }
  }

  private var different: HearthError { HearthError(.itemDefective, "\(id) decoded differently the second time") }
}

/// Passes an item to a sink: its raw bytes, then its samples.
@LoopActor
private final class ItemFeed {
  private let bytes: [UInt8]
  private let begins: Int64?
  private let pieces: (any IncrementalDecoder)?
  private let sink: PartSink
  private let rawSize: Int
  private var told = 0
  private var isRaw: Bool

  init(_ batches: ItemBatches, _ sink: PartSink) {
    bytes = batches.bytes
    begins = batches.item.begins
    pieces = batches.pieces
    isRaw = batches.keepsBytes || pieces == nil
    rawSize = max(1, min(FetchedBatch.recordLimit, batches.limit / 2))
    self.sink = sink
    pieces?.rewind()
  }

  /// Passes one piece; false: that was the last.
  func next() throws(ItemDefect) -> Bool {
    if isRaw {
      let piece = bytes[told...].prefix(rawSize)
      sink.appendRaw(Array(piece), at: begins)
      told += piece.count
      isRaw = told < bytes.count
      return isRaw || pieces != nil
    }
    guard let pieces else { return false }
    let piece: Result<Bool, ItemDefect> = bytes.withUnsafeBytes { bytes in
      do throws(ItemDefect) { return .success(try pieces.decodeNext(bytes, into: sink)) } catch {
        return .failure(error)
      }
    }
    return try piece.get()
  }
}
