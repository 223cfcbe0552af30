// Restoring a backup: the new store is made beside the one of a fresh hub and replaces it with one rename. A kill at
// any moment leaves either the fresh hub's store or the whole restored one.

public import EventLoop
internal import Glibc
public import Reasons
internal import StateCodec

/// The restoration of a store. Holds the store's lock from beginning to end, so no daemon can start meanwhile.
public final class StoreRestore {
  /// The folder of the new store until `finish`: inside the store's folder, so that both are on the same disk.
  static let draftName = "restoring"
  /// Bytes of one transaction. Each transaction waits for the card once.
  private static let step = 4 << 20

  private let options: StoreOptions
  private let lock: StoreLock
  private let vault: SecretsVault
  private let keyFile: SecretsKeyFile
  private var environment: Environment?
  private var waiting: [(row: BackupRow, table: BackupTable)] = []
  private var waitingBytes = 0
  /// Rows added so far.
  public private(set) var rows: UInt64 = 0
  /// Called before each step that reaches the disk: tests kill themselves there.
  package var probe: (@Sendable (String) -> Void)?

  /// Checks that the hub is fresh, and begins.
  ///
  /// - Throws: `storeInUse` while a daemon runs; `restoreRefused` if the store has a wearable. The errors of
  ///   `Store.open`. `secretsKeyWrong` if the key found is not the key of this hub's store.
  public init(_ options: StoreOptions) throws(HearthError) {
    self.options = options
    let path = options.path
    if mkdir(path, 0o750) != 0, errno != EEXIST { throw openFailure(errno, path) }
    var held = try StoreLock(path, create: false)
    let isPresent = try StoreProbe.isPresent(path, hasLock: held != nil)
    if held == nil { held = try StoreLock(path, create: true) }
    guard let held else { throw HearthError(.storeUnwritable, "\(path)/hearth.lock cannot be made") }
    lock = held
    let mark = isPresent ? try Self.lookAt(path) : nil
    keyFile = SecretsKeyFile(options)
    vault = try Self.vault(keyFile, mark)
    Self.removeDraft(path)
    if mkdir(draft, 0o700) != 0 { throw openFailure(errno, draft) }
    do {
      let size = max(options.sizeBytes, StoreOptions.minimumSize)
      let environment = try Environment(path: draft, size: size, mode: .writer)
      self.environment = environment
      try environment.openTables(creating: true)
    } catch {
      throw openFailure(error.code, draft)
    }
  }

  deinit { abandon() }

  private var draft: String { Self.draft(options.path) }
  private static func draft(_ path: String) -> String { "\(path)/\(draftName)" }

  /// - Throws: `restoreRefused`.
  private static func lookAt(_ path: String) throws(HearthError) -> SecretsMark? {
    do {
      let environment = try Environment(path: path, size: 0, mode: .traceless)
      defer { environment.close() }
      try environment.openTables()
      let (wearables, mark) = try environment.read { transaction throws(DatabaseFailure) in
        (transaction.entries(transaction.tables.registry), try SecretsMark.load(transaction))
      }
      if wearables > 0 {
        throw HearthError(.restoreRefused, "the store at \(path) knows \(wearables) wearables")
      }
      return mark
    } catch let error as DatabaseFailure {
      throw openFailure(error.code, path)
    } catch let error as HearthError {
      throw error
    } catch {
      throw HearthError(.storeInputOutput, "\(path): \(error)")
    }
  }

  /// The key of the fresh hub's store, or a new one if the store has no key.
  private static func vault(_ file: SecretsKeyFile, _ mark: SecretsMark?) throws(HearthError) -> SecretsVault {
    var key: [UInt8]
    switch file.load() {
    case .key(let found): key = found
    case .absent: key = try file.make()
    case .denied: throw HearthError(.secretsKeyWrong, "\(file.path) may not be read by this user")
    case .refused(let why): throw why
    }
    guard let vault = SecretsVault(&key) else {
      throw HearthError(.secretsKeyMissing, "libsodium has no memory or no random numbers")
    }
    if let mark, mark.check != vault.check {
      throw HearthError(.secretsKeyWrong, "\(file.path) is not the key that this hub's store was made under")
    }
    return vault
  }

  private static func removeDraft(_ path: String) {
    let draft = draft(path)
    for name in ["data.mdb", "lock.mdb"] { unlink("\(draft)/\(name)") }
    rmdir(draft)
  }

  /// Adds rows. Their secrets are sealed under this hub's key before they reach the disk.
  ///
  /// - Throws: `backupDamaged` for a row of an unknown table; `storeFull` if the store is too small; the disk's error.
  ///   The restoration has then failed, and the hub's store is unchanged.
  public func add(_ rows: [BackupRow]) throws(HearthError) {
    for row in rows {
      guard let table = BackupTable(rawValue: row.table), !row.key.isEmpty, row.key.count <= BackupRow.keyLimit else {
        throw HearthError(.backupDamaged, "it has an entry of table \(row.table), which no hub writes")
      }
      if table == .meta, !BackupTable.metaKeys.contains(row.key), row.key != BackupTable.journalEnd {
        throw HearthError(.backupDamaged, "it has an entry that no hub writes")
      }
      waiting.append((row, table))
      waitingBytes += row.key.count + row.value.count
      if waitingBytes >= Self.step { try write() }
    }
  }

  /// Writes the rows that are waiting.
  func flush() throws(HearthError) { try write() }

  private func write() throws(HearthError) {
    guard let environment else { throw HearthError(.storeFailing, "the restoring has ended") }
    let ready = waiting.map { entry in (entry.table, entry.row.key, sealed(entry.row, entry.table)) }
    probe?("rows")
    do {
      try environment.write { transaction throws(DatabaseFailure) in
        for (table, key, value) in ready { try transaction.put(transaction.tables[keyPath: table.field], key, value) }
      }
    } catch {
      throw writeFailure(error, draft)
    }
    rows += UInt64(waiting.count)
    waiting = []
    waitingBytes = 0
  }

  private func sealed(_ row: BackupRow, _ table: BackupTable) -> [UInt8] {
    guard let name = table.nameOfSeals else { return row.value }
    return row.key.withUnsafeBytes { key in
      row.value.withUnsafeBytes { value in
        SecretsConversion.sealed(name, Cursor.Entry(key: key, value: value), vault)
      }
    } ?? row.value
  }

  /// Puts the restored store in place of the fresh one, after all rows were added. The store is whole and durable on
  /// return.
  ///
  /// - Parameters:
  ///   - format: of the store that was backed up.
  ///   - madeAt: when the backup was made.
  ///   - radio: the address that the adapter is to have from now on.
  /// - Throws: `storeNewer` for a format of later programs; the disk's error. The hub's store is then unchanged.
  public func finish(
    format: UInt16, madeAt: WallTime, radio: RadioIdentity? = nil, now: WallTime
  ) throws(HearthError) {
    if format > FormatMark.version {
      throw HearthError(
        .storeNewer, "the backup is of format \(format), this program knows formats up to \(FormatMark.version)")
    }
    try write()
    guard let environment else { throw HearthError(.storeFailing, "the restoring has ended") }
    do throws(DatabaseFailure) { try environment.settleNumber() } catch { throw writeFailure(error, draft) }
    let (mark, path) = (SecretsMark(check: vault.check, isClean: true), options.path)
    do {
      try environment.write { transaction throws(DatabaseFailure) in
        try transaction.put(transaction.tables.meta, FormatMark.key, FormatMark.bytes(created: now))
        try mark.keep(transaction)
        try BackupMark.keep(transaction, madeAt)
        try radio?.keep(transaction)
        let number = try Events.nextNumber(transaction)
        try transaction.put(
          StoreEvent(
            number: number, time: now, reason: Reason.restored.rawValue, wearable: nil,
            text: "from a backup of \(madeAt.rfc3339)", span: EventSpan()))
      }
    } catch {
      throw writeFailure(error, draft)
    }
    environment.close()
    self.environment = nil
    try giveToOwner()
    probe?("rename")
    // LMDB makes a new reader table for the new file.
    unlink(Environment.readerTable(path))
    if rename("\(draft)/data.mdb", "\(path)/data.mdb") != 0 { throw openFailure(errno, "\(path)/data.mdb") }
    probe?("renamed")
    syncDirectory(path)
    Self.removeDraft(path)
    lock.release()
  }

  /// Gives the files to the owner of the folder: root restores, but the hub runs as its own user.
  private func giveToOwner() throws(HearthError) {
    var folder = stat()
    guard geteuid() == 0, stat(options.path, &folder) == 0, folder.st_uid != 0 else { return }
    var files = ["\(draft)/data.mdb", "\(options.path)/hearth.lock"]
    if !keyFile.isCredential { files.append(keyFile.path) }
    for file in files where lchown(file, folder.st_uid, folder.st_gid) != 0 { throw openFailure(errno, file) }
  }

  /// Leaves the fresh hub's store as it was. Idempotent; has no effect after `finish`.
  public func abandon() {
    guard let environment else { return }
    environment.close()
    self.environment = nil
    Self.removeDraft(options.path)
    lock.release()
  }
}

/// The format of the stores that this program writes.
public let storeFormat = Int(FormatMark.version)
