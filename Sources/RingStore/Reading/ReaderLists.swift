// Lists of a store at rest.

public import EventLoop
public import Reasons

extension StoreReader {
  /// Returns accesses like `Store.accesses`, of a store at rest.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] {
    try reading { transaction throws(DatabaseFailure) in
      try transaction.latest(AccessRecord.self, limit: min(limit, TableLimits.listLimit)).records
    }.sorted { ($0.last, $0.number) > ($1.last, $1.number) }
  }
}

extension StoreReader {
  /// Returns the identity like `Store.identity`, of a store at rest.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func identity() throws(HearthError) -> StoreIdentity? {
    try reading { transaction throws(DatabaseFailure) in try StoreIdentity.load(transaction) }
  }
}

extension StoreReader {
  /// The newest visits, at most 10,000, in descending order.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func recentVisits(_ limit: Int) throws(HearthError) -> [VisitRecord] {
    try list { lists throws(DatabaseFailure) in try lists.visits(limit) }
  }

  /// The newest events, at most 10,000, in descending order.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func recentEvents(_ limit: Int, before: UInt64? = nil) throws(HearthError) -> [StoreEvent] {
    try list { lists throws(DatabaseFailure) in try lists.events(limit, before: before) }
  }

  /// The newest receipts of a wearable, at most 10,000, in descending order.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func recentReceipts(of wearable: WearableID, limit: Int) throws(HearthError) -> [Receipt] {
    try list { lists throws(DatabaseFailure) in try lists.receipts(of: wearable, limit) }
  }

  /// The export cursors, by name.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func readers() throws(HearthError) -> [ExportReader] {
    try list { lists throws(DatabaseFailure) in try lists.readers() }
  }

  /// The custody records of a wearable, by id.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func custody(of wearable: WearableID) throws(HearthError) -> [CustodyRecord] {
    try list { lists throws(DatabaseFailure) in try lists.custody(of: wearable) }
  }

  /// The verified staged bytes of an item, up to the first damaged one.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func staged(_ wearable: WearableID, _ id: String) throws(HearthError) -> [UInt8] {
    try list { lists throws(DatabaseFailure) in try lists.staged(wearable, id) }
  }

  /// Wearers, the retired ones too, in the order in which they were made.
  public var wearers: [Wearer] { people.wearers }

  /// The assignments of a wearable, in the order of time.
  public func assignments(of wearable: WearableID) -> [Assignment] { people.assignments(of: wearable) }

  /// The wearer of a sample that a wearable measured at that time; nil for no wearer.
  public func wearer(of wearable: WearableID, at time: WallTime) -> WearerID? { people.wearer(of: wearable, at: time) }

  private func list<T>(_ body: (TableLists) throws(DatabaseFailure) -> T) throws(HearthError) -> T {
    let result: T
    do { result = try body(TableLists(environment: environment)) } catch {
      throw HearthError(.storeInputOutput, "\(path): \(error.text)")
    }
    // Checked after reading: a reader without a slot may have read pages that a new daemon overwrote.
    try StoreLock.refuseIfHeld(path)
    return result
  }
}

extension StoreReader {
  /// Returns watermarks like `Store.watermarks`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func watermarks(of wearable: WearableID) throws(HearthError) -> [Watermark] {
    try reading { transaction throws(DatabaseFailure) in try Watermarks.all(transaction, of: wearable) }
  }
}
