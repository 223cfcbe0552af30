// How a store is opened for writing: look, lock, open, mark, see to its secrets.

internal import EventLoop
internal import Glibc
internal import Reasons

enum StoreOpening {
  static func open(_ options: StoreOptions, now: WallTime) throws(HearthError) -> (
    StoreLock, Environment, StoreSecrets, JournalFile?
  ) {
    let path = options.path
    if mkdir(path, 0o750) != 0, errno != EEXIST { throw openFailure(errno, path) }
    var status = stat()
    if stat(path, &status) != 0 { throw openFailure(errno, path) }
    if status.st_mode & S_IFMT != S_IFDIR { throw HearthError(.storeUnwritable, "\(path) is not a directory") }

    // A directory of this hub has a lock file, and even looking must not disturb a living owner. Elsewhere no file is
    // created before the directory's owner is known.
    var lock = try StoreLock(path, create: false)
    let isOurs = lock != nil
    var miscounts: String?
    var rescued: String?
    if isOurs {
      do throws(HearthError) { miscounts = try look(options) } catch {
        rescued = try StoreRescue.run(options, error, now: now)
        miscounts = try checkPages(options)
      }
    }
    let isPresent = try StoreProbe.isPresent(path, hasLock: isOurs)
    if lock == nil { lock = try StoreLock(path, create: true) }
    if !isPresent { RecordsCopy.setAside(path) }
    guard let lock else { throw HearthError(.storeUnwritable, "\(path)/hearth.lock cannot be made") }

    if isPresent, !isOurs { miscounts = try checkPages(options) }
    let permit = isPresent ? try FormatCopy.permit(path, progress: options.whileCopying) : nil
    try allocateReaderTable(path)
    do {
      var environment = try openEnvironment(
        options, mark: isPresent ? nil : FormatMark.bytes(created: now), permit)
      if !isPresent { syncDirectory(path) }
      let secrets = try StoreSecrets.prepare(&environment, options, isNew: !isPresent) { () throws(DatabaseFailure) in
        try openEnvironment(options, mark: nil)
      }
      environment.miscounts = miscounts
      let mended = try RecordsCopy.mend(environment, path)
      let lost = try environment.read { transaction throws(DatabaseFailure) in try JournalFile.loss(transaction, path) }
      environment.rescued = [rescued, mended, lost].compactMap { $0 }.joined(separator: "; ")
      // Keys that are not sealed are in no copy.
      if secrets.trouble == nil { RecordsCopy.keep(environment, path) }
      let journal = try JournalFile.attach(environment, options, isRescued: rescued != nil)
      return (lock, environment, secrets, journal)
    } catch {
      throw openFailure(error.code, path)
    }
  }

  /// Opens again after LMDB could not write its roots; the lock is still held.
  static func reopen(
    _ options: StoreOptions, account: WriteAccountFile, journal: JournalFile?
  ) throws(DatabaseFailure) -> (Environment, StoreWriter) {
    let miscounts = try PageCheck.run(options.path, size: options.sizeBytes)
    let environment = try openEnvironment(options, mark: nil)
    environment.miscounts = miscounts
    if let journal {
      try journal.load(environment)
    } else {
      environment.tail.replace(try JournalFile.tail(environment, options.path))
    }
    return (environment, try StoreWriter(environment, options, account: account, journal: journal))
  }

  /// Looks at a store that was left in our folder, and mends what may be mended in its file.
  ///
  /// - Returns: see `PageCheck.run`.
  /// - Throws: what a rescue is for.
  private static func look(_ options: StoreOptions) throws(HearthError) -> String? {
    var miscounts: String?
    do throws(HearthError) {
      if StoreProbe.isSound(options.path) {
        miscounts = try checkPages(options)
        try repairLength(options)
      }
      let isPresent = try StoreProbe.isPresent(options.path, hasLock: true)
      if isPresent || !RecordsCopy.exists(options.path) || !StoreProbe.hasFile(options.path) { return miscounts }
    } catch {
      if error.reason == .storeDamaged || error.reason == .storeForeign { throw error }
      // Whatever else is the matter is met again, and said.
      return nil
    }
    throw HearthError(.storeDamaged, "\(options.path)/data.mdb is empty, and there is a copy of its records")
  }

  /// See `PageCheck.run`.
  private static func checkPages(_ options: StoreOptions) throws(HearthError) -> String? {
    do { return try PageCheck.run(options.path, size: options.sizeBytes) } catch {
      throw error.isOfPages ? HearthError(.storeDamaged, error.call) : openFailure(error.code, error.call)
    }
  }

  /// Makes the kernel read the data file from its disk again. Called while the file is not mapped.
  ///
  /// After a failed write, the kernel keeps the page and marks it clean. With ext4 (seen with Linux 7.2, default
  /// options) it also forgets that the block under a new page has no content yet. The next write of the page succeeds,
  /// and is lost when the page is dropped.
  static func forgetCached(_ options: StoreOptions) {
    let descriptor = Glibc.open(options.path + "/data.mdb", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { return }
    defer { close(descriptor) }
    // What can be written is; only clean pages are given up.
    _ = fdatasync(descriptor)
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }

  static func openEnvironment(
    _ options: StoreOptions, mark: [UInt8]?, _ permit: ConversionPermit? = nil
  ) throws(DatabaseFailure) -> Environment {
    let environment = try Environment(path: options.path, size: options.sizeBytes, mode: .writer)
    environment.extendToLengthKnown()
    if let mark {
      try environment.openTables(mark: mark)
    } else {
      try upgrade(environment, permit)
    }
    try environment.settleNumber { () throws(DatabaseFailure) in try JournalFile.storeNumber(environment, options.path)
    }
    // A file larger than its configured size, after that was reduced, has no free page to begin with. Allow the pages
    // that deleting old chunks takes.
    if environment.pageLimit * environment.pageSize > options.sizeBytes {
      try environment.widen(by: PageReserve.of(environment.pageLimit))
    }
    return environment
  }

  /// Makes the tables that an earlier format, or an earlier writer of this one, did not have. Marks the store with this
  /// format; its creation date stays.
  private static func upgrade(_ environment: Environment, _ permit: ConversionPermit?) throws(DatabaseFailure) {
    try environment.openTables()
    let old = try environment.read { transaction throws(DatabaseFailure) in
      try transaction.get(transaction.tables.meta, FormatMark.key).map { Array($0) }
    }
    if let old, let permit, let mark = FormatMark.upgraded(old, permit) {
      return try environment.openTables(mark: mark)
    }
    if environment.tables.present.count < Tables.named.count { try environment.openTables(creating: true) }
  }

  /// LMDB maps `lock.mdb` and writes to it; on a full disk that would kill the process instead of failing. So its only
  /// page is allocated before.
  private static func allocateReaderTable(_ path: String) throws(HearthError) {
    let file = Environment.readerTable(path)
    let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, Environment.fileMode)
    if descriptor < 0 { throw openFailure(errno, file) }
    defer { close(descriptor) }
    let code = posix_fallocate(descriptor, 0, Environment.readerTableSize)
    if code != 0 { throw openFailure(code, file) }
  }

  /// A file that is shorter than its roots say would kill the process that maps it. With our lock in our hands it may
  /// be filled up with zeros: what is lost then fails its checksum.
  private static func repairLength(_ options: StoreOptions) throws(HearthError) {
    guard let environment = try? Environment(path: options.path, size: 0, mode: .traceless) else { return }
    let length = environment.lengthKnown
    let isShort = environment.fileSize < length
    environment.close()
    // Roots that ask for more than the store may ever have are not believed; the probe says what is wrong.
    if !isShort || length > options.sizeBytes { return }
    let file = options.path + "/data.mdb"
    if truncate(file, length) != 0 { throw openFailure(errno, file) }
  }
}
