// The bytes of one item during the transfer from the wearable: in memory, and staged in the store before they could be
// lost.

import Bluetooth
import EventLoop
import Reasons
import RingStore
import Wearable

/// Takes the bytes of one item from a driver. Bytes are staged in steps of 64 KiB, and whenever fetching ends before
/// the item is complete. So they survive lost links, restarts and power cuts. Bytes that may prove to be durable
/// already stay only in memory, as staging would replace the record that says so. Such an item begins again with the
/// next visit.
@LoopActor
final class ItemFetch: ByteSink {
  private(set) var record: CustodyRecord
  private(set) var bytes: [UInt8] = []
  /// Number of staged bytes.
  private var kept = 0
  private var restarts = 0
  /// The last answer given to the fetcher.
  private(set) var taking = Taking.more
  /// True if it is not staged until its content is known.
  private let isProvisional: Bool
  private let store: Store
  private let book: CustodyBook
  /// Whether the turn is over; called after each piece of data.
  private let mustYield: @LoopActor () -> Bool
  private let onBytes: @LoopActor (Int) -> Void

  /// Commits of the size of a flash page: smaller steps would wear the card, larger ones lose more in a power cut.
  static let step = 64 << 10
  /// Limit of bytes that the store holds for one item.
  nonisolated static let limit = 8 << 20
  static let restartLimit = 3

  init(
    _ record: CustodyRecord, isProvisional: Bool, store: Store, book: CustodyBook,
    mustYield: @escaping @LoopActor () -> Bool,
    onBytes: @escaping @LoopActor (Int) -> Void
  ) {
    self.record = record
    self.isProvisional = isProvisional
    self.store = store
    self.book = book
    self.mustYield = mustYield
    self.onBytes = onBytes
  }

  /// Finds bytes that an earlier visit staged.
  func resume() async throws(VisitTrouble) {
    if record.fetched == 0 {
      // The staged bytes belong to an earlier item of the same id.
      if let old = book[record.id], old.durableAt == nil, old.fetched > 0 { try await forget() }
      return
    }
    do throws(HearthError) {
      bytes = try await store.staged(record.wearable, record.id, room: max(record.fetched, record.size ?? 0))
    } catch {
      throw .noRoom("\(error)")
    }
    kept = bytes.count
    // Damaged, dropped for another item, or longer than the item is now: from the beginning.
    if kept != record.fetched || kept > record.size ?? .max { try await forget() }
  }

  var offset: Int { bytes.count }

  func take(_ more: RawBytes) async throws(VisitTrouble) -> Taking {
    guard more.count <= Self.limit - bytes.count else {
      throw .unsupported("\(record.id) is larger than \(Self.limit >> 20) MiB")
    }
    makeRoom(for: more.count)
    bytes.append(contentsOf: more)
    onBytes(more.count)
    if bytes.count - kept >= Self.step { try await keep() }
    taking = mustYield() && !isWhole ? .enough : .more
    if taking == .enough { try await keep() }
    return taking
  }

  /// Reserves memory for the whole item at once, so that it never exists twice while it grows; pages that were not
  /// written use no memory. Beyond its announced size it grows by an eighth.
  private func makeRoom(for more: Int) {
    let count = bytes.count + more
    if count <= bytes.capacity { return }
    bytes.reserveCapacity(min(Self.limit, max(record.size ?? 0, count + max(count / 8, Self.step))))
  }

  private var isWhole: Bool { record.size.map { bytes.count >= $0 } ?? false }

  func startOver(mark: String, size: Int?) async throws(VisitTrouble) {
    restarts += 1
    if restarts > Self.restartLimit { throw .framing("\(record.id) changed \(restarts) times while it was read") }
    guard HeldItem(id: record.id, mark: mark, size: size).isWellFormed else {
      throw .framing("\(record.id): an invalid mark")
    }
    record.mark = mark
    record.size = size
    try await drop()
  }

  /// Drops the staged bytes.
  func drop() async throws(VisitTrouble) {
    if kept > 0 { return try await forget() }
    bytes = []
    record.receipts = []
  }

  /// Drops them in the store, too.
  private func forget() async throws(VisitTrouble) {
    bytes = []
    kept = 0
    record.fetched = 0
    record.receipts = []
    do throws(HearthError) { try await store.unstage(record) } catch { throw .noRoom("\(error)") }
    book.note(record)
  }

  /// Makes durable what came so far. Called also when the link has ended.
  func keep() async throws(VisitTrouble) {
    if bytes.count == kept || isProvisional { return }
    guard record.fetched == kept, kept < bytes.count else {
      fatalError("the bytes of an item that are kept are not those that its record counts")
    }
    let end = bytes.count
    do throws(HearthError) { try await store.stage(record, appending: Array(bytes[kept..<end]), at: kept) } catch {
      // The staged bytes were dropped for another item: all of them are written again.
      if error.reason == .stagedElsewhere {
        kept = 0
        record.fetched = 0
      }
      throw .noRoom(error.detail)
    }
    kept = end
    record.fetched = end
    book.note(record)
  }
}
