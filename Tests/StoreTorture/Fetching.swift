// Batches as a driver commits them, and an export as a reader takes it.

import EventLoop
import Health
import Reasons
import RingStore

/// Fetches from the memories of wearables that never end. A batch that the store refused is committed again until it
/// takes it.
@LoopActor
final class Fetching {
  private let store: Store
  /// Of each wearable the next item, as its newest receipt says.
  private var positions: [WearableID: UInt64] = [:]
  /// The numbers of those receipts.
  private var newest: [WearableID: UInt64] = [:]
  private var refused: [WearableID: FetchedBatch] = [:]
  private var visit: UInt64
  /// Bytes kept of the item that comes next.
  private var kept: [WearableID: Int] = [:]
  /// Bytes of that item were given up once.
  private var again: Set<WearableID> = []
  private let onReceipt: (Receipt) -> Void

  init(_ store: Store, onReceipt: @escaping (Receipt) -> Void) throws {
    self.store = store
    self.onReceipt = onReceipt
    visit = try store.recentVisits(1).first?.number ?? 0
    for wearable in store.wearables {
      let receipts = try store.recentReceipts(of: wearable.id, limit: 1)
      positions[wearable.id] = Self.position(receipts)
      newest[wearable.id] = receipts.first?.number
    }
  }

  /// The wearable with the oldest newest receipt. The smallest store keeps 256 receipts of them all. A wearable without
  /// a new one for that long loses its last receipt, and then the place to continue its fetching is unknown.
  var longestWaiting: WearableID {
    store.wearables.map(\.id).min { newest[$0] ?? 0 < newest[$1] ?? 0 } ?? WearableID(number: 1)
  }

  /// Begin of the next item, by the newest receipt.
  static func position(_ receipts: [Receipt]) -> UInt64 { receipts.first.map { Contents.position($0) } ?? 0 }

  func next(of wearable: WearableID, count: UInt64, again: Bool, now: WallTime) async throws {
    let batch: FetchedBatch
    let first = positions[wearable] ?? 0
    if let waiting = refused[wearable] {
      batch = waiting
    } else {
      visit += 1
      let clock = ClockEvidence(device: Int64(first), monotonic: Int64(visit), wall: now.microseconds, isTrusted: true)
      batch = try Contents.batch(
        wearable, first: first, count: count,
        visit: VisitRecord(number: visit, wearable: wearable, began: now, bytesFetched: count * 24, opened: clock))
    }
    refused[wearable] = batch
    let id = Contents.item(wearable, first: first)
    let item = CustodyRecord(
      wearable: wearable, id: id, fetchedAt: now, verifiedAt: now, durableAt: now, isFinal: true,
      visit: batch.visit.number)
    let receipt = try await store.commit(batch, custody: item, dropsStaged: true)
    kept[wearable] = nil
    refused[wearable] = nil
    positions[wearable] = Contents.position(receipt)
    newest[wearable] = receipt.number
    onReceipt(receipt)
    if again, try await store.commit(batch, custody: item, dropsStaged: true) != receipt {
      say("broken receipt \(receipt.number) is another one the second time")
    }
  }

  /// Keeps some more bytes of the item that comes next, as a link that brings a file in pieces does.
  func stage(of wearable: WearableID, count: Int, now: WallTime) async throws {
    let first = positions[wearable] ?? 0
    let id = Contents.item(wearable, first: first)
    let whole = Contents.stagedBytes(wearable, first: first)
    if kept[wearable] == nil {
      let found = try await store.staged(wearable, id)
      if !whole.starts(with: found) {
        say("broken \(id): \(found.count) bytes are kept, and not those that were fetched")
      }
      kept[wearable] = found.count
      let before = try store.custody(of: wearable).first { $0.id == id }
      if let before, before.fetchedAt == nil || before.remark == Contents.wasGivenUp {
        again.insert(wearable)
      } else {
        again.remove(wearable)
      }
    }
    let offset = kept[wearable] ?? 0
    let part = Array(whole[offset..<min(offset + count, whole.count)])
    let record = CustodyRecord(
      wearable: wearable, id: id, size: whole.count, fetchedAt: now,
      remark: again.contains(wearable) ? Contents.wasGivenUp : "", visit: visit)
    // Asked again after a failure: it may have arrived, and it may have been given up.
    kept[wearable] = nil
    do throws(HearthError) { try await store.stage(record, appending: part, at: offset) } catch {
      if error.reason == .stagedElsewhere { return }
      throw error
    }
    kept[wearable] = offset + part.count
    say("durable staged-\(wearable.number) \(Contents.staged(first, offset + part.count))")
  }

  /// The newest batch of each wearable, as a hub does that died before it could use the receipt.
  func repeatTheLast() async throws {
    for wearable in store.wearables {
      guard let receipt = try store.recentReceipts(of: wearable.id, limit: 1).first,
        let range = receipt.ranges.first(where: { $0.ring.seriesNumber == Contents.fetched.id })
      else { continue }
      let visit = VisitRecord(number: receipt.visit, wearable: wearable.id, began: receipt.committedAt)
      let batch = try Contents.batch(wearable.id, first: range.first, count: range.count, visit: visit)
      if try await store.commit(batch) != receipt {
        say("broken receipt \(receipt.number) is another one after a restart")
      }
    }
  }
}

/// A reader that takes everything once, and confirms what it has taken.
@LoopActor
final class Exporting {
  private let store: Store
  private var taken: [RingID: UInt64] = [:]

  init(_ store: Store) {
    self.store = store
    taken = (try? store.readers())?.first { $0.name == Contents.reader }?.rings ?? [:]
  }

  func some(pages: Int) async throws {
    let session = try await store.export(SampleQuery(), reader: Contents.reader, by: "store-torture")
    var next = taken
    for _ in 0..<pages {
      guard let page = try await session.next(limit: 2000) else { break }
      for item in page.samples {
        if let complaint = Contents.complaint(item) { say("broken \(complaint)") }
        let ring = RingID(wearable: item.wearable, seriesNumber: item.series.id, way: item.way)
        // What was evicted meanwhile is skipped.
        if item.ordinal < next[ring] ?? 0 { say("broken \(Contents.place(item)) is given again") }
        next[ring] = item.ordinal + 1
      }
    }
    try await session.confirm()
    taken = next
    if let reader = try store.readers().first(where: { $0.name == Contents.reader }) {
      say("durable exported \(reader.items)")
    }
  }
}
