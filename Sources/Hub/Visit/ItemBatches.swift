// Decoded samples of one item, cut into batches that the store takes, with times corrected to the hub's clock.

import CivilTime
import Custody
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Turns one item into batches: its raw bytes first, then what they decode to, in parts that are the same whenever the
/// same bytes are cut.
///
/// The parts are counted before the first is made, because each batch's source names how many there are; so a batch
/// never stands for more than
/// it holds. Both passes go piece by piece, and everybody else has a turn between two pieces.
@LoopActor
struct ItemBatches {
  let item: HeldItem
  let wearable: WearableID
  var times: ItemTimes
  /// Its bytes go before what they decode to.
  var keepsBytes = true
  /// What the store has of it is left out.
  var mayRepeat = false
  /// Where the hub's days begin.
  var zone: TimeZoneRules = .utc
  /// Of the raw bytes, and of what has no time.
  let fallback: WallTime
  /// Bytes of memory in one batch.
  let limit: Int
  let bytes: [UInt8]
  /// Verified; nil where the bytes could not be understood and only they are kept.
  let pieces: (any ItemPieces)?

  /// Receipts that one item may have.
  nonisolated static let partLimit = ItemPart.limit

  /// What the first pass through an item finds.
  struct Count {
    /// Batches that it makes.
    var parts: Int
    /// Oddities, and what they are.
    var anomalies: Int
    var odd: OddTally
    /// Values of the future.
    var refused: Int
    /// Values outside the bounds of their series.
    var impossible: Int
    /// What it takes of the card at most, about.
    var bytes: Int
  }

  /// How many batches it makes, and what is left out of them.
  ///
  /// - Throws: `malformed` for more than `partLimit`, or what decoding throws.
  func count() async throws(ItemDefect) -> Count {
    let sink = PartSink(self)
    let feed = ItemFeed(self, sink)
    while try feed.next() { await Task.yield() }
    if sink.part > Self.partLimit { throw .malformed("it decodes to more than \(Self.partLimit) batches") }
    return Count(
      parts: sink.part, anomalies: sink.anomalies, odd: sink.odd, refused: sink.refused, impossible: sink.impossible,
      bytes: sink.stored)
  }

  /// The batches one after the other, of those that are wanted.
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

  /// The next batch that is wanted, and which part it is, counted from 1; nil behind the last.
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

/// Hands an item to a sink: its raw bytes, then its samples.
@LoopActor
private final class ItemFeed {
  private let bytes: [UInt8]
  private let begins: Int64?
  private let pieces: (any ItemPieces)?
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

  /// One piece; false: that was the last.
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
