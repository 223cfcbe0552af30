// Read-only access to a store without a running daemon.

public import EventLoop
internal import Glibc
public import Health
public import Reasons

/// Reads a store without a running daemon. Leaves the store unchanged. If it may not write LMDB's `lock.mdb` either, it
/// reads without a slot in it.
///
/// Not for use on the daemon's own open store: `Store` reads that.
///
/// Functions that read throw *the reader's error*. `storeInUse` if a daemon was started meanwhile: ask it.
/// `storeInputOutput`. `storeUnwritable` if `hearth.lock` is a link.
public final class StoreReader {
  let path: String
  let environment: Environment
  private let extent: StoreSummary
  /// The bounds of the hub's configuration: a store does not know its own.
  private let bounds: RetentionBounds
  package let people: People
  /// Bonds by address type and address.
  public let bonds: [Bond]
  /// Enrolled wearables when the reader was made.
  public let wearables: [WearableRecord]
  /// Wearables that were forgotten; their samples keep their name.
  public let retiredWearables: [WearableRecord]
  let secrets: StoreSecrets
  /// Status when the reader was made. The trouble in it names tables that are damaged and therefore not read.
  public let status: StoreStatus

  /// - Throws: `storeAbsent` (H4009), `storeInUse` (H4005: a living daemon has it, ask it), `storeForeign`,
  ///   `storeNewer`, `storeUnreadable` for missing permission, `storeInputOutput`.
  public init(path: String, options: StoreOptions? = nil) throws(HearthError) {
    self.path = path
    bounds = options?.bounds ?? RetentionBounds()
    if access("\(path)/data.mdb", R_OK) != 0, errno == EACCES {
      throw HearthError(.storeUnreadable, "\(path)/data.mdb may not be read by this user")
    }
    try StoreLock.refuseIfHeld(path)
    if try !Self.isPresent(path) { throw HearthError(.storeAbsent, "there is no store at \(path)") }
    do {
      let broken = try PageCheck.broken(path, among: Tables.names)
      environment = try Self.open(path)
      try environment.openTables(without: Set(broken.keys))
      if environment.number == .none, let told = try JournalFile.storeNumber(environment, path) {
        environment.number = told
      }
      environment.tail.replace(try JournalFile.tail(environment, path))
      let mark = try environment.read { transaction throws(DatabaseFailure) in try SecretsMark.load(transaction) }
      let secrets = StoreSecrets.forReading(options ?? StoreOptions(path: path), mark)
      let (registry, found) = try environment.read { transaction throws(DatabaseFailure) in
        (try Registry.load(transaction, secrets.vault), try StoreSummary.recover(transaction))
      }
      self.secrets = secrets
      var extent = found
      extent.fileSize = environment.fileSize
      extent.readersInUse = environment.readersInUse
      var status = StoreStatus(path: path, sizeBytes: environment.pageLimit * environment.pageSize)
      status.corruptRecords = registry.corrupt + extent.rings.rebuilt.count
      status.note(extent, pageSize: environment.pageSize)
      if !broken.isEmpty {
        let texts = broken.sorted { $0.key < $1.key }.map { "\($0.key), which \($0.value)" }
        status.trouble = HearthError(.storeDamaged, "\(path): not read: \(texts.joined(separator: "; "))")
      }
      let now = WallTime(microseconds: Int64(Glibc.time(nil)) * 1_000_000)
      status.bytesAside = StoreProbe.bytesAside(path)
      if let options { extent.wear.zone = options.timeZone }
      status.wear = extent.wear.status(budget: options?.budgetPerDay, now: now)
      self.extent = extent
      self.status = status
      people = registry.people
      bonds = registry.bonds
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

  /// Runs a transaction of at most a page's work.
  ///
  /// - Throws: `storeInUse` if a daemon has been started meanwhile: ask it. `storeInputOutput`.
  func reading<T>(_ body: (Transaction) throws(DatabaseFailure) -> T) throws(HearthError) -> T {
    let result: T
    do { result = try environment.read(body) } catch { throw HearthError(.storeInputOutput, "\(path): \(error.text)") }
    // After, not before: a reader without a slot may have read pages that a new daemon wrote over.
    try StoreLock.refuseIfHeld(path)
    return result
  }

  /// True if there is a store. Files beside a copy of a store's records are one, whatever its pages say.
  private static func isPresent(_ path: String) throws(HearthError) -> Bool {
    do throws(HearthError) {
      return try StoreProbe.isPresent(path, hasLock: StoreLock.exists(path))
    } catch {
      let isOfPages = error.reason == .storeForeign || error.reason == .storeInputOutput
      throw isOfPages && RecordsCopy.exists(path) ? HearthError(.storeDamaged, error.detail) : error
    }
  }

  var rebuilt: [RingID: RingState] { extent.rings.rebuilt }

  /// The bonds, with their keys.
  ///
  /// - Throws: `controlNotAllowed` if this user may not read the key that they are sealed under, `secretsKeyMissing` or
  ///   `secretsKeyWrong`.
  public func bondsWithKeys() throws(HearthError) -> [Bond] {
    guard bonds.contains(where: { $0.isSealed }) else { return bonds }
    throw secrets.trouble ?? HearthError(.secretsKeyWrong, "\(path): a bond is sealed under another key")
  }

  /// Rings like `Store.rings`.
  public var rings: [RingStatus] { extent.rings.rings.map { StoreView.status($0.id, $0.state, bounds) } }

  /// Exports like `Store.export`; confirming needs a daemon.
  ///
  /// - Throws: `controlBadParameter` for a reader together with a time, or the reader's error, see `StoreReader`.
  public func export(_ query: SampleQuery, reader: String? = nil) throws(HearthError) -> OfflineExport {
    var positions: [RingID: UInt64] = [:]
    if let reader {
      let found = try reading { transaction throws(DatabaseFailure) in try Readers.load(transaction, reader) }
      if query.hasTimes { throw SampleQuery.timesWithReader }
      positions = found?.rings ?? [:]
    }
    return OfflineExport(self, SampleWalk(query, from: positions, rebuilt: extent.rings.rebuilt))
  }

  /// Returns the newest like `Store.newest`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func newest(_ count: Int, of wearable: WearableID, _ series: Series) throws(HearthError) -> [StoredSample] {
    let count = min(max(count, 1), SampleWalk.sampleLimit)
    var walk = try reading { transaction throws(DatabaseFailure) in
      try StoreView.newest(transaction, wearable, series, count, extent.rings.rebuilt)
    }
    var newest: [StoredSample] = []
    while true {
      let page = try reading { transaction throws(DatabaseFailure) in
        try walk.page(transaction, limit: SampleWalk.sampleLimit)
      }
      StoreView.keep(page.samples, &newest, count)
      if page.isLast { return newest }
    }
  }

  /// Scans like `Store.scan`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func scan(
    _ wearable: WearableID, _ series: Series, since: WallTime?, until: WallTime? = nil, _ body: (ItemColumns) -> Void
  ) throws(HearthError) {
    var walk = ColumnWalk(wearable, series, since: since, until: until, rebuilt: extent.rings.rebuilt)
    var columns = ItemColumns(valueCount: series.layout.valueCount, hasBytes: series.layout.hasBytes)
    while !walk.isDone {
      try reading { transaction throws(DatabaseFailure) in try walk.step(transaction, &columns) }
      body(columns)
    }
  }

  /// Verifies like `Store.verify`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func verify() throws(HearthError) -> VerifyReport {
    var verifier = StoreVerifier(secrets.vault)
    for what in PageCheck.findings(path, size: 0) { verifier.find("data.mdb", what) }
    let lost = try reading({ transaction throws(DatabaseFailure) in try JournalFile.loss(transaction, path) })
    if let lost { verifier.find(JournalTail.fileName, lost) }
    while try reading({ transaction throws(DatabaseFailure) in try verifier.step(transaction) }) {}
    return verifier.report
  }
}

/// Session like `ExportSession`, of a store at rest.
public final class OfflineExport {
  private let reader: StoreReader
  private var walk: SampleWalk
  private var isDone = false

  init(_ reader: StoreReader, _ walk: SampleWalk) {
    self.reader = reader
    self.walk = walk
  }

  /// The next page of at most about `limit` samples; nil behind the last.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func next(limit: Int = 1000) throws(HearthError) -> SamplePage? {
    if isDone { return nil }
    let page = try reader.reading { transaction throws(DatabaseFailure) in try walk.page(transaction, limit: limit) }
    isDone = page.isLast
    return page
  }
}
