// Custody of fetched items: records, staged bytes, batches.

internal import EventLoop
internal import Reasons

@LoopActor
final class Custodian {
  let disk: StoreDisk
  let status: StatusKeeper
  let registry: RegistryKeeper
  let packer: Packer

  init(_ disk: StoreDisk, _ status: StatusKeeper, _ registry: RegistryKeeper, _ packer: Packer) {
    self.disk = disk
    self.status = status
    self.registry = registry
    self.packer = packer
  }

  /// See `Store.custody`.
  func custody(of wearable: WearableID) throws(HearthError) -> [CustodyRecord] {
    try disk.reading { transaction throws(DatabaseFailure) in try CustodyTable.all(transaction, of: wearable) }
  }

  /// See `Store.putCustody`.
  func putCustody(_ records: [CustodyRecord]) async throws(HearthError) {
    if records.isEmpty { return }
    let ready = try records.map { record throws(HearthError) in try Self.checked(record) }
    for wearable in Set(ready.map(\.wearable)) { try registry.refuseForgotten(wearable) }
    let limits = disk.limits
    try await changeCustody(pages: 6 + ready.count / 4) { transaction throws(DatabaseFailure) in
      var gone = 0
      for record in ready { gone += try CustodyTable.put(transaction, record, limits) }
      return gone
    }
  }

  /// See `Store.stage`.
  func stage(_ record: CustodyRecord, appending bytes: [UInt8], at offset: Int) async throws(HearthError) {
    var record = try Self.checked(record)
    try registry.refuseForgotten(record.wearable)
    let limit = min(Staged.itemLimit, disk.limits.stagedPages * Staged.pageSize)
    if offset < 0 || offset > limit || bytes.count > limit - offset {
      throw HearthError(.storeBatchTooLarge, "\(record.id): more than \(limit) bytes of one item cannot be kept")
    }
    record.fetched = offset + bytes.count
    let (ready, item, limits) = (record, StagedItem(wearable: record.wearable, id: record.id), disk.limits)
    let elsewhere = try await changeCustody(pages: bytes.count / Staged.pageSize + 10, mayRefuse: true, sparing: item) {
      transaction throws(DatabaseFailure) in
      switch try Staged.append(transaction, item, bytes, at: offset) {
      case .elsewhere(let kept): return (0, kept)
      case .added: return (try CustodyTable.put(transaction, ready, limits), nil)
      }
    }
    if let elsewhere { throw HearthError(.stagedElsewhere, "\(record.id): \(elsewhere) bytes are kept, not \(offset)") }
  }

  /// See `Store.staged`.
  func staged(_ wearable: WearableID, _ id: String, room: Int = 0) async throws(HearthError) -> [UInt8] {
    let item = StagedItem(wearable: wearable, id: id)
    let before = try missing(item, of: 0)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(max(0, room), Staged.itemLimit))
    var offset = 0
    while true {
      let (isLast, end) = try disk.reading { transaction throws(DatabaseFailure) in
        try Staged.read(transaction, item, from: offset, pages: Self.stagedPagesPerTurn, into: &bytes)
      }
      if isLast {
        // The record is unchanged: no bytes were deleted meanwhile.
        if before == (try custody(item)), try missing(item, of: bytes.count) != nil {
          status.noteDamage([.staged(wearable, id)])
        }
        return bytes
      }
      offset = end
      await Task.yield()
    }
  }

  /// A quarter of a megabyte takes about a millisecond on the smallest board.
  private nonisolated static let stagedPagesPerTurn = 64

  /// See `Store.unstage`.
  func unstage(_ record: CustodyRecord) async throws(HearthError) {
    let ready = try Self.checked(record)
    let (item, limits) = (StagedItem(wearable: ready.wearable, id: ready.id), disk.limits)
    let pages = try stagedLeaves(item) + 8
    try await changeCustody(pages: pages) { transaction throws(DatabaseFailure) in
      try Staged.drop(transaction, item)
      return try CustodyTable.put(transaction, ready, limits)
    }
  }

  /// Leaf pages that refer to an item's bytes: deleting the bytes writes copies of these.
  func stagedLeaves(_ item: StagedItem) throws(HearthError) -> Int {
    Staged.leaves(try custody(item)?.fetched ?? 0)
  }

  /// The record of an item if it states more staged bytes than these; otherwise nil.
  private func missing(_ item: StagedItem, of count: Int) throws(HearthError) -> CustodyRecord? {
    try custody(item).flatMap { $0.durableAt == nil && $0.fetched > count ? $0 : nil }
  }

  private func custody(_ item: StagedItem) throws(HearthError) -> CustodyRecord? {
    try disk.reading { transaction throws(DatabaseFailure) in try CustodyTable.load(transaction, item.wearable, item.id)
    }
  }

  static func checked(_ record: CustodyRecord) throws(HearthError) -> CustodyRecord {
    if !CustodyRecord.isValid(id: record.id) {
      throw HearthError(
        .custodyInvalid,
        """
        '\(record.id.cut(toUTF8: 64).printable)' is not 1 to \(CustodyRecord.idLimit) printable characters without \
        spaces
        """
      )
    }
    return record.bounded()
  }

  // MARK: receipts and visits

  /// See `Store.receipt`.
  func receipt(_ number: UInt64) throws(HearthError) -> Receipt? {
    try disk.reading { transaction throws(DatabaseFailure) in try Receipts.load(transaction, number) }
  }

  /// See `Store.receipts`.
  func receipts(of wearable: WearableID, numbers: [UInt64]) throws(HearthError) -> [Receipt] {
    try disk.reading { transaction throws(DatabaseFailure) in
      var receipts: [Receipt] = []
      for number in numbers {
        if let receipt = try Receipts.load(transaction, number), receipt.wearable == wearable {
          receipts.append(receipt)
        }
      }
      return receipts
    }
  }

  /// See `Store.nextVisitNumber`.
  func nextVisitNumber() throws(HearthError) -> UInt64 {
    try disk.reading { transaction throws(DatabaseFailure) in try Visits.nextNumber(transaction) }
  }

  /// See `Store.putVisit`.
  func putVisit(_ visit: VisitRecord) async throws(HearthError) {
    let (ready, limit) = (visit.bounded(), disk.limits.visits)
    try await disk.change(pages: 6) { transaction throws(DatabaseFailure) in
      try Visits.put(transaction, ready, limit: limit)
    }
  }

  // MARK: one transaction

  private func changeCustody(
    pages: Int, _ body: @escaping @Sendable (Transaction) throws(DatabaseFailure) -> Int
  ) async throws(HearthError) {
    _ = try await changeCustody(pages: pages, mayRefuse: false, sparing: nil) {
      transaction throws(DatabaseFailure) -> (Int, Int?) in (try body(transaction), nil)
    }
  }

  /// The change makes room by deleting other items' bytes and old samples, but never samples of rings that refuse
  /// eviction.
  private func changeCustody(
    pages: Int, mayRefuse: Bool, sparing: StagedItem?,
    _ body: @escaping @Sendable (Transaction) throws(DatabaseFailure) -> (gone: Int, elsewhere: Int?)
  ) async throws(HearthError) -> Int? {
    try disk.refuseIfClosing()
    let limit = disk.limits.stagedPages
    do {
      let writer = try await disk.openWriter()
      let (result, outcome) = try await disk.perform {
        try writer.changeCustody(pages: pages, mayRefuse: mayRefuse, sparing: sparing, stagedLimit: limit, body)
      }
      disk.note(outcome)
      status.count { $0.custodyGivenWay += UInt64(result.gone) }
      return result.elsewhere
    } catch let failure as DatabaseFailure where failure.isRefusal {
      throw HearthError(
        .storeRefusing, "\(disk.options.path): there is no room for what was fetched; it stays on the wearable")
    } catch {
      throw await disk.explain(error)
    }
  }
}
