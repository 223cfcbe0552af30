// Taking a backup. An open store is read in one transaction that spans many turns of the loop; a store at rest is read
// in one go.

internal import CLMDB
public import EventLoop
public import Reasons

/// A backup of an open store: its whole content at one moment.
///
/// While a backup runs, LMDB reuses no page freed since its start: the file grows by what is written, some 30 pages a
/// minute. A backup therefore ends by itself after 15 minutes, or if no page is requested for 30 s. A failure of the
/// store and the beginning of another backup end it too.
@LoopActor
public final class BackupSession {
  /// Limit between two pages: a client that seals them needs milliseconds.
  static let patience: Duration = .seconds(30)
  /// Limit of a backup: 1.5 GB at 3 MB/s, the slowest card and board, are 500 s.
  static let limit: Duration = .seconds(900)

  private let loop: any Loop
  private let secrets: StoreSecrets
  private let began: Instant
  private var transaction: Transaction?
  private var walk: BackupWalk
  private var timer: LoopTimer?

  init(_ loop: any Loop, _ secrets: StoreSecrets, _ environment: Environment, samples: Bool)
    throws(DatabaseFailure)
  {
    let transaction = try environment.begin(readOnly: true)
    do throws(DatabaseFailure) { walk = try BackupWalk(transaction, samples: samples) } catch {
      mdb_txn_abort(transaction.handle)
      throw error
    }
    self.loop = loop
    self.secrets = secrets
    self.transaction = transaction
    began = loop.now
    arm()
  }

  /// Returns the next rows. The backup ends with the last page.
  ///
  /// - Throws: `backupInterrupted` if the backup has ended before; an error if a secret cannot be read;
  ///   `storeInputOutput`.
  public func page() throws(HearthError) -> BackupPage {
    if loop.now - began > Self.limit { end() }
    guard let transaction else {
      throw HearthError(.backupInterrupted, "the hub needed the room that a backup keeps, or waited too long for it")
    }
    arm()
    do {
      switch try walk.page(transaction, secrets.vault) {
      case .rows(let bytes):
        if walk.isDone { end() }
        return BackupPage(bytes: bytes, isLast: walk.isDone)
      case .locked:
        end()
        throw locked(secrets)
      }
    } catch let error as HearthError {
      throw error
    } catch {
      end()
      throw HearthError(.storeInputOutput, "a backup cannot be read: \(error)")
    }
  }

  /// Idempotent.
  public func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
    if let transaction { mdb_txn_abort(transaction.handle) }
    transaction = nil
  }

  private func arm() {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: Self.patience) { [weak self] in self?.end() }
  }
}

private func locked(_ secrets: StoreSecrets) -> HearthError {
  secrets.trouble ?? HearthError(.secretsKeyWrong, "a secret in the store is sealed under another key")
}

/// The value of the key `backup` of `meta`: when the newest backup was made (i64, microseconds since 1970).
enum BackupMark {
  static let key = Array("backup".utf8)

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> WallTime? {
    guard let bytes = try transaction.get(transaction.tables.meta, key), bytes.count == 8 else { return nil }
    var reader = StoredReader(bytes)
    return reader.integer(Int64.self).map { WallTime(microseconds: $0) }
  }

  static func keep(_ transaction: Transaction, _ time: WallTime) throws(DatabaseFailure) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: time.microseconds)
    try transaction.put(transaction.tables.meta, key, bytes)
  }
}

extension StoreReader {
  /// Backs up a store at rest, as `Store.beginBackup` does for an open one, and hands each page to `body`.
  ///
  /// - Throws: `controlNotAllowed` if this user may not read the key of the secrets; what `body` throws.
  public func backup(samples: Bool, _ body: (BackupPage) throws(HearthError) -> Void) throws(HearthError) {
    var walk = try reading { transaction throws(DatabaseFailure) in try BackupWalk(transaction, samples: samples) }
    while !walk.isDone {
      let vault = secrets.vault
      let page = try reading { transaction throws(DatabaseFailure) in try walk.page(transaction, vault) }
      guard case .rows(let bytes) = page else { throw locked(secrets) }
      try body(BackupPage(bytes: bytes, isLast: walk.isDone))
    }
  }
}
