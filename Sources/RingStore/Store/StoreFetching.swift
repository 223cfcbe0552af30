// Fetched data: items, their bytes, batches and receipts; and the packer's moves.

public import Health
public import Reasons

extension Store {
  /// Commits a batch with its visit and its watermarks in one transaction.
  ///
  /// Committing the same batch again has no effect and returns an equal receipt.
  ///
  /// - Throws: `storeRefusing` (H4102) if a ring or the store is at its bound and the samples are to stay on the
  ///   wearable; or the disk's error. The store is then unchanged.
  public func commit(_ batch: FetchedBatch) async throws(HearthError) -> Receipt {
    try await custodian.commit(batch)
  }

  /// Commits a batch like `commit(batch)`. The same transaction writes the item's custody record, with the number of
  /// the batch's receipt added, and deletes the item's staged bytes if `dropsStaged`. Both also happen for a batch
  /// that was durable before.
  ///
  /// - Throws: also `noSuchWearable` if the wearable was forgotten meanwhile, `custodyInvalid`, and
  ///   `storeBatchTooLarge` for an item of more than 64 parts.
  public func commit(_ batch: FetchedBatch, custody: CustodyRecord?, dropsStaged: Bool) async throws(HearthError)
    -> Receipt
  {
    try await custodian.commit(batch, custody: custody, dropsStaged: dropsStaged)
  }

  /// Returns why fetched samples of this series would be refused now; nil if they are accepted. The scheduler asks
  /// before a fetch.
  public func refusal(of wearable: WearableID, _ series: Series) -> HearthError? {
    custodian.refusal(of: wearable, series)
  }

  /// The custody records of a wearable, by id. At most 1,024 are stored for one (fewer in a small store). Items erased
  /// earliest are dropped first, then items no longer on the wearable.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func custody(of wearable: WearableID) throws(HearthError) -> [CustodyRecord] {
    try custodian.custody(of: wearable)
  }

  /// Writes records, replacing older ones of the same items, in one transaction; durable on return.
  ///
  /// - Throws: `custodyInvalid` for an invalid id, `noSuchWearable` for a forgotten wearable, or the disk's error (see
  ///   `Store`). The store is then unchanged.
  public func putCustody(_ records: [CustodyRecord]) async throws(HearthError) {
    try await custodian.putCustody(records)
  }

  /// Stages bytes of an item together with its record, in one commit; the record's `fetched` becomes the staged size.
  ///
  /// - Parameter offset: how many bytes are staged already. The same bytes at the same offset once more have no
  ///   effect.
  /// - Throws: `stagedElsewhere` (H4107) if other than `offset` bytes are staged, for example after a deletion for lack
  ///   of room. `storeBatchTooLarge` for an item of more than 8 MiB (less in a small store). `storeRefusing` without
  ///   room. Otherwise as `putCustody`.
  public func stage(_ record: CustodyRecord, appending bytes: [UInt8], at offset: Int) async throws(HearthError) {
    try await custodian.stage(record, appending: bytes, at: offset)
  }

  /// The verified staged bytes of an item, up to the first damaged one; empty without any. The loop gets its turn
  /// between pages.
  ///
  /// - Parameter room: final size of the buffer in bytes, which saves the caller a copy when appending.
  /// - Throws: why the store cannot be read, see `Store`.
  public func staged(_ wearable: WearableID, _ id: String, room: Int = 0) async throws(HearthError) -> [UInt8] {
    try await custodian.staged(wearable, id, room: room)
  }

  /// Deletes the staged bytes of an item and writes its record, in one commit.
  ///
  /// - Throws: `custodyInvalid` for an invalid id, or the store's error (see `Store`); the store is then unchanged.
  public func unstage(_ record: CustodyRecord) async throws(HearthError) {
    try await custodian.unstage(record)
  }

  // MARK: receipts and visits

  /// The receipt of that number; nil if it is unknown or deleted.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func receipt(_ number: UInt64) throws(HearthError) -> Receipt? {
    try custodian.receipt(number)
  }

  /// Receipts of these numbers that exist and belong to this wearable, in the requested order.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func receipts(of wearable: WearableID, numbers: [UInt64]) throws(HearthError) -> [Receipt] {
    try custodian.receipts(of: wearable, numbers: numbers)
  }

  /// The number for the next visit. A number that was never written may be assigned again.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func nextVisitNumber() throws(HearthError) -> UInt64 {
    try custodian.nextVisitNumber()
  }

  /// Writes the present state of a visit, replacing an earlier one; durable on return. The oldest visits are deleted.
  ///
  /// - Throws: the disk's error; the store is then unchanged.
  public func putVisit(_ visit: VisitRecord) async throws(HearthError) {
    try await custodian.putVisit(visit)
  }

  // MARK: rings

  /// Samples are being moved from the journal into the rings.
  public var isPacking: Bool { packer.isPacking }

  /// Returns when no move into the rings runs or is about to begin. For code that sets the clock by hand: a move takes
  /// milliseconds, in which no hours may pass.
  public func packed() async {
    await packer.packed()
  }

  /// Moves everything but the newest chunk of the journal into the rings, and enforces the rings' bounds. The store
  /// does that itself every half an hour, and when the journal has grown to a mebibyte.
  ///
  /// - Parameter whole: also moves the newest chunk, which holds the next sequence number; `meta` stores it then.
  /// - Throws: the disk's error; the samples are then still in the journal.
  public func pack(whole: Bool = false) async throws(HearthError) {
    try await packer.pack(whole: whole)
  }
}
