// Taking a backup: of a store that is written to, in one reading that others turns of the loop come between; of a store
// at rest, as it lies there.

internal import CLMDB
public import EventLoop
public import Reasons

/// One backup of an open store, all of it as it was at one moment.
///
/// While it lasts no page is used again that was freed since: the file grows by what is written, some 30 pages a
/// minute. So it ends by itself when nobody asks for the next page, when it takes too long, when the store is in
/// trouble, and when another begins.
@LoopActor
public final class BackupSession {
  /// Between two pages: a client that seals them needs milliseconds.
  static let patience: Duration = .seconds(30)
  /// 1.5 GB at 3 MB/s, the slowest card and board, are 500 s.
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

  /// The next rows. Behind the last page it has ended.
  ///
  /// - Throws: `backupInterrupted` where it has ended before; why a secret cannot be read; `storeInputOutput`.
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
  /// As `Store.beginBackup`, of a store at rest: hands each page to `body`.
  ///
  /// - Throws: `controlNotAllowed` where this user may not read the key of the secrets; what `body` throws.
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
