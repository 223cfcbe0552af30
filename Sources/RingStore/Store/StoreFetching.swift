// What is fetched: items, their bytes, batches and receipts; and what the packer does with samples.

public import Health
public import Reasons

extension Store {
  /// Makes a batch durable: all of it, with its visit and the watermarks that it moves, or nothing.
  ///
  /// Committing the same batch again changes nothing and gives an equal receipt.
  ///
  /// - Throws: `storeRefusing` (H4102) where a ring or the store is at its bound and its samples are to stay on the
  ///   wearable; or why the disk refused. Then nothing has changed.
  public func commit(_ batch: FetchedBatch) async throws(HearthError) -> Receipt {
    try await custodian.commit(batch)
  }

  /// As `commit(batch)`; in the same transaction the item's record of custody is kept, with the number of the batch's
  /// receipt added to it, and the bytes that were kept of the item are thrown away if `dropsStaged`. A batch that was
  /// durable before does both all the same.
  ///
  /// - Throws: also `noSuchWearable` where the wearable was forgotten meanwhile, `custodyInvalid`, and
  ///   `storeBatchTooLarge` for an item of more than 64 parts.
  public func commit(_ batch: FetchedBatch, custody: CustodyRecord?, dropsStaged: Bool) async throws(HearthError)
    -> Receipt
  {
    try await custodian.commit(batch, custody: custody, dropsStaged: dropsStaged)
  }

  /// Why fetched samples of this series would be refused now; nil if they are welcome. For the scheduler, before it
  /// fetches.
  public func refusal(of wearable: WearableID, _ series: Series) -> HearthError? {
    custodian.refusal(of: wearable, series)
  }

  /// What is known of the items of a wearable, by id. At most 1,024 are kept for one (fewer in a small store): those
  /// that were erased longest ago go first, then those that are no longer on it.
  ///
  /// - Throws: `storeInputOutput`; `storeFailing` while the store is being opened again, or is closed. So does all
  ///   reading here.
  public func custody(of wearable: WearableID) throws(HearthError) -> [CustodyRecord] {
    try custodian.custody(of: wearable)
  }

  /// Keeps records, in place of older ones of the same items; durable when it returns. All or none.
  ///
  /// - Throws: `custodyInvalid` for an id that is none, or why the disk refused; then nothing has changed. So does all
  ///   writing here.
  public func putCustody(_ records: [CustodyRecord]) async throws(HearthError) {
    try await custodian.putCustody(records)
  }

  /// Keeps bytes of an item together with its record, in one commit; the record's `fetched` becomes what is kept.
  ///
  /// - Parameter offset: how many bytes are kept already. The same bytes at the same place once more change nothing.
  /// - Throws: `stagedElsewhere` (H4107) where other than `offset` bytes are kept, also because they had to be given
  ///   up; `storeBatchTooLarge` for an item of more than 8 MiB (less in a small store); `storeRefusing` where there is
  ///   no room.
  public func stage(_ record: CustodyRecord, appending bytes: [UInt8], at offset: Int) async throws(HearthError) {
    try await custodian.stage(record, appending: bytes, at: offset)
  }

  /// The bytes that are kept of an item, verified; where some are damaged, those before them. Empty if there are none.
  /// The loop gets its turn between pages.
  ///
  /// - Parameter room: bytes that will lie behind each other in the end: whoever adds to them has no second copy then.
  public func staged(_ wearable: WearableID, _ id: String, room: Int = 0) async throws(HearthError) -> [UInt8] {
    try await custodian.staged(wearable, id, room: room)
  }

  /// Throws away the bytes that are kept of an item, and keeps its record, in one commit.
  public func unstage(_ record: CustodyRecord) async throws(HearthError) {
    try await custodian.unstage(record)
  }

  // MARK: receipts and visits

  /// The receipt of that number; nil if there is none, or it has given way.
  public func receipt(_ number: UInt64) throws(HearthError) -> Receipt? {
    try custodian.receipt(number)
  }

  /// Those of these receipts that are there and are of this wearable, in the order of asking.
  public func receipts(of wearable: WearableID, numbers: [UInt64]) throws(HearthError) -> [Receipt] {
    try custodian.receipts(of: wearable, numbers: numbers)
  }

  /// The number for the next visit. One that was never written may be given again.
  public func nextVisitNumber() throws(HearthError) -> UInt64 {
    try custodian.nextVisitNumber()
  }

  /// Writes a visit as it stands, in place of what was written of it before; durable when it returns. The oldest visits
  /// give way.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
  public func putVisit(_ visit: VisitRecord) async throws(HearthError) {
    try await custodian.putVisit(visit)
  }

  // MARK: rings

  /// Samples are being moved from the journal into the rings.
  public var isPacking: Bool { packer.isPacking }

  /// Returns when nothing is being moved into the rings, nor about to be. For whoever sets the clock by hand: no hours
  /// pass while that takes milliseconds.
  public func packed() async {
    await packer.packed()
  }

  /// Moves everything but the newest chunk of the journal into the rings, and holds the rings to their bounds. Happens
  /// by itself every half an hour, and when the journal has grown to a mebibyte.
  ///
  /// `whole`: the newest chunk too, and with it the journal's place for new numbers, which `meta` has then.
  ///
  /// - Throws: why the disk refused; then everything is still in the journal.
  public func pack(whole: Bool = false) async throws(HearthError) {
    try await packer.pack(whole: whole)
  }
}
