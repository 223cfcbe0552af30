// Custody of items on the loop's side: records, and the bytes that are kept until an item is whole.

internal import EventLoop
public import Reasons

extension Store {
  /// What is known of the items of a wearable, by id. At most 1,024 are kept for one (fewer in a small store): those
  /// that were erased longest ago go first, then those that are no longer on it.
  ///
  /// - Throws: `storeInputOutput`; `storeFailing` while the store is being opened again, or is closed. So does all
  ///   reading here.
  public func custody(of wearable: WearableID) throws(HearthError) -> [CustodyRecord] {
    try reading { transaction throws(DatabaseFailure) in try CustodyTable.all(transaction, of: wearable) }
  }

  /// Keeps records, in place of older ones of the same items; durable when it returns. All or none.
  ///
  /// - Throws: `custodyInvalid` for an id that is none, or why the disk refused; then nothing has changed. So does all
  ///   writing here.
  public func putCustody(_ records: [CustodyRecord]) async throws(HearthError) {
    if records.isEmpty { return }
    let ready = try records.map { record throws(HearthError) in try Self.checked(record) }
    for wearable in Set(ready.map(\.wearable)) { try refuseForgotten(wearable) }
    let limits = limits
    try await changeCustody(pages: 6 + ready.count / 4) { transaction throws(DatabaseFailure) in
      var gone = 0
      for record in ready { gone += try CustodyTable.put(transaction, record, limits) }
      return gone
    }
  }

  /// Keeps bytes of an item together with its record, in one commit; the record's `fetched` becomes what is kept.
  ///
  /// - Parameter offset: how many bytes are kept already. The same bytes at the same place once more change nothing.
  /// - Throws: `stagedElsewhere` (H4107) where other than `offset` bytes are kept, also because they had to be given
  ///   up; `storeBatchTooLarge` for an item of more than 8 MiB (less in a small store); `storeRefusing` where there is
  ///   no room.
  public func stage(_ record: CustodyRecord, appending bytes: [UInt8], at offset: Int) async throws(HearthError) {
    var record = try Self.checked(record)
    try refuseForgotten(record.wearable)
    let limit = min(Staged.itemLimit, limits.stagedPages * Staged.pageSize)
    if offset < 0 || offset > limit || bytes.count > limit - offset {
      throw HearthError(.storeBatchTooLarge, "\(record.id): more than \(limit) bytes of one item cannot be kept")
    }
    record.fetched = offset + bytes.count
    let (ready, item, limits) = (record, StagedItem(wearable: record.wearable, id: record.id), limits)
    let elsewhere = try await changeCustody(pages: bytes.count / Staged.pageSize + 10, mayRefuse: true, sparing: item) {
      transaction throws(DatabaseFailure) in
      switch try Staged.append(transaction, item, bytes, at: offset) {
      case .elsewhere(let kept): return (0, kept)
      case .added: return (try CustodyTable.put(transaction, ready, limits), nil)
      }
    }
    if let elsewhere { throw HearthError(.stagedElsewhere, "\(record.id): \(elsewhere) bytes are kept, not \(offset)") }
  }

  /// The bytes that are kept of an item, verified; where some are damaged, those before them. Empty if there are none.
  /// The loop gets its turn between pages.
  ///
  /// - Parameter room: bytes that will lie behind each other in the end: whoever adds to them has no second copy then.
  public func staged(_ wearable: WearableID, _ id: String, room: Int = 0) async throws(HearthError) -> [UInt8] {
    let item = StagedItem(wearable: wearable, id: id)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(max(0, room), Staged.itemLimit))
    var offset = 0
    while true {
      let (isLast, end) = try reading { transaction throws(DatabaseFailure) in
        try Staged.read(transaction, item, from: offset, pages: Self.stagedPagesPerTurn, into: &bytes)
      }
      if isLast { return bytes }
      offset = end
      await Task.yield()
    }
  }

  /// A quarter of a megabyte takes about a millisecond on the smallest board.
  private nonisolated static let stagedPagesPerTurn = 64

  /// Throws away the bytes that are kept of an item, and keeps its record, in one commit.
  public func unstage(_ record: CustodyRecord) async throws(HearthError) {
    let ready = try Self.checked(record)
    let (item, limits) = (StagedItem(wearable: ready.wearable, id: ready.id), limits)
    let pages = try stagedLeaves(item) + 8
    try await changeCustody(pages: pages) { transaction throws(DatabaseFailure) in
      try Staged.drop(transaction, item)
      return try CustodyTable.put(transaction, ready, limits)
    }
  }

  /// Pages that name those of an item's bytes: copies of them are written when the bytes go.
  func stagedLeaves(_ item: StagedItem) throws(HearthError) -> Int {
    try (custody(item)?.fetched ?? 0) / (Staged.pageSize * 20)
  }

  /// The same for everything of a wearable, its records too.
  func custodyLeaves(of wearable: WearableID) throws(HearthError) -> Int {
    let records = try custody(of: wearable)
    return records.count / 8 + records.reduce(0) { $0 + $1.fetched / (Staged.pageSize * 20) } + 4
  }

  private func custody(_ item: StagedItem) throws(HearthError) -> CustodyRecord? {
    try reading { transaction throws(DatabaseFailure) in try CustodyTable.load(transaction, item.wearable, item.id) }
  }

  /// A visit may outlast the enrolment of its wearable. Nothing it still has is kept: it would come after whatever was
  /// purged.
  ///
  /// - Throws: `noSuchWearable`
  func refuseForgotten(_ wearable: WearableID) throws(HearthError) {
    guard wearable.number < registry.nextNumber, !wearables.contains(where: { $0.id == wearable }) else { return }
    throw HearthError(.noSuchWearable, "wearable \(wearable.number) was forgotten")
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

  /// The receipt of that number; nil if there is none, or it has given way.
  public func receipt(_ number: UInt64) throws(HearthError) -> Receipt? {
    try reading { transaction throws(DatabaseFailure) in try Receipts.load(transaction, number) }
  }

  /// Those of these receipts that are there and are of this wearable, in the order of asking.
  public func receipts(of wearable: WearableID, numbers: [UInt64]) throws(HearthError) -> [Receipt] {
    try reading { transaction throws(DatabaseFailure) in
      var receipts: [Receipt] = []
      for number in numbers {
        if let receipt = try Receipts.load(transaction, number), receipt.wearable == wearable {
          receipts.append(receipt)
        }
      }
      return receipts
    }
  }

  /// The number for the next visit. One that was never written may be given again.
  public func nextVisitNumber() throws(HearthError) -> UInt64 {
    try reading { transaction throws(DatabaseFailure) in try Visits.nextNumber(transaction) }
  }

  /// Writes a visit as it stands, in place of what was written of it before; durable when it returns. The oldest visits
  /// give way.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
  public func putVisit(_ visit: VisitRecord) async throws(HearthError) {
    let (ready, limit) = (visit.bounded(), limits.visits)
    try await change(pages: 6) { transaction throws(DatabaseFailure) in try Visits.put(transaction, ready, limit: limit)
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

  /// Room for it is made of other items' bytes and of old samples, never of such as should have stayed on their
  /// wearable.
  private func changeCustody(
    pages: Int, mayRefuse: Bool, sparing: StagedItem?,
    _ body: @escaping @Sendable (Transaction) throws(DatabaseFailure) -> (gone: Int, elsewhere: Int?)
  ) async throws(HearthError) -> Int? {
    if isClosing { throw HearthError(.storeFailing, "\(options.path) is being closed") }
    let limit = limits.stagedPages
    do {
      let writer = try await openWriter()
      let (result, outcome) = try await disk.perform {
        try writer.changeCustody(pages: pages, mayRefuse: mayRefuse, sparing: sparing, stagedLimit: limit, body)
      }
      note(outcome)
      latestStatus.custodyGivenWay += UInt64(result.gone)
      return result.elsewhere
    } catch let failure as DatabaseFailure where failure.isRefusal {
      throw HearthError(
        .storeRefusing, "\(options.path): there is no room for what was fetched; it stays on the wearable")
    } catch {
      throw await explain(error)
    }
  }
}
