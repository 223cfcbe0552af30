// A store whose daemon is down, read-only.

internal import Glibc
public import Reasons

/// Reads a store beside no daemon. Leaves the store as it is; where it may not write LMDB's `lock.mdb` either, it reads without a slot in it.
///
/// Not for use on the daemon's own open store: `Store.read` is.
public final class StoreReader {
  private let path: String
  private let environment: Environment
  public let wearables: [WearableRecord]
  /// Those that were forgotten; their samples keep their name.
  public let retiredWearables: [WearableRecord]
  /// As it was when the reader was made.
  public let status: StoreStatus

  /// - Throws: `storeAbsent` (H4009), `storeInUse` (H4005: a living daemon has it, ask it), `storeForeign`, `storeNewer`, `storeUnwritable`
  ///   for missing permission, `storeInputOutput`.
  public init(path: String) throws(HearthError) {
    self.path = path
    try StoreLock.refuseIfHeld(path)
    if try !StoreProbe.isPresent(path, hasLock: StoreLock.exists(path)) { throw HearthError(.storeAbsent, "there is no store at \(path)") }
    do {
      environment = try Self.open(path)
      try environment.openTables()
      let registry = try environment.read { transaction throws(DatabaseFailure) in try Registry.load(transaction) }
      let size = environment.pageLimit * environment.pageSize
      let (extent, evicted) = try StoreWriter(environment, sizeBytes: size).state
      var status = StoreStatus(path: path, sizeBytes: size)
      status.corruptRecords = registry.corrupt
      status.note(extent, evicted, pageSize: environment.pageSize)
      self.status = status
      wearables = registry.records.filter { $0.retiredAt == nil }
      retiredWearables = registry.records.filter { $0.retiredAt != nil }
    } catch {
      throw openFailure(error.code, path)
    }
  }

  private static func open(_ path: String) throws(DatabaseFailure) -> Environment {
    // Only a table that is there in full is safe to map, see `StoreOpening`.
    var status = stat()
    if stat(Environment.readerTable(path), &status) != 0 || status.st_size < Environment.readerTableSize {
      return try Environment(path: path, size: 0, mode: .traceless)
    }
    do { return try Environment(path: path, size: 0, mode: .reader) } catch {
      return try Environment(path: path, size: 0, mode: .traceless)
    }
  }

  /// Durable samples in order of sequence, at most `limit` (1 to 10,000).
  ///
  /// - Throws: `storeInUse` if a daemon has been started meanwhile: ask it, from the same cursor. `storeInputOutput`.
  public func read(_ query: SampleQuery, after cursor: JournalCursor? = nil, limit: Int = 1000) throws(HearthError) -> SamplePage {
    do {
      let page = try environment.read { transaction throws(DatabaseFailure) in
        try JournalScan.page(transaction, query, after: cursor, limit: limit)
      }
      // After, not before: a reader without a slot may have read pages that a new daemon wrote over.
      try StoreLock.refuseIfHeld(path)
      return page
    } catch let failure as DatabaseFailure {
      throw HearthError(.storeInputOutput, "\(path): \(failure.text)")
    } catch let error as HearthError {
      throw error
    } catch {
      throw HearthError(.storeInputOutput, "\(path): \(error)")
    }
  }
}
