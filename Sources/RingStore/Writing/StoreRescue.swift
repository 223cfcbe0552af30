// Rescue of a damaged store. The readable rest becomes a new file; the damaged one is set aside and never written to.

internal import CLMDB
internal import EventLoop
internal import Glibc
internal import Reasons

enum StoreRescue {
  /// Makes a new file from the readable rest of a damaged one. The caller holds the store's lock, and the file is not
  /// open.
  ///
  /// - Parameter why: what is wrong with it.
  /// - Returns: what was done, for people.
  /// - Throws: `why` if it is no store of this program, or if no part of it can be read; `storeNewer`; why the disk
  ///   refused.
  static func run(_ options: StoreOptions, _ why: HearthError, now: WallTime) throws(HearthError) -> String {
    let path = options.path
    let name = path + "/data.mdb"
    let descriptor = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { throw openFailure(errno, name) }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw openFailure(errno, name) }
    try refuseUnread(descriptor, name)
    // A page's own number may have made the file long, but not large.
    let bytes = min(max(0, Int(status.st_size)), Int(clamping: UInt64(max(0, status.st_blocks)) * 512))
    try refuseWithoutRoom(path, UInt64(bytes))
    var file = RescuedFile(descriptor, bytes: Int(status.st_size))
    let copy = RecordsCopy.load(path)
    // Two names that are no other program's.
    let isOurs = file.tables.filter { $0.newer != nil || $0.older != nil }.count > 2
    if !isOurs, copy == nil { throw why }
    let store: RescuedStore
    do throws(DatabaseFailure) {
      let size = max(options.sizeBytes, StoreOptions.minimumSize, bytes) + bytes / 4
      file.whileReading = options.whileRescuing
      store = try RescuedStore(path, size: size)
      try fill(store, &file, copy, options)
    } catch {
      throw error.isOfPages ? why : openFailure(error.code, path)
    }
    let lost = describe(file)
    let text = "\(why.detail); \(store.rows) entries were taken out\(lost.isEmpty ? "" : ", lost or older: \(lost)")"
    try refuseNewer(store)
    return "\(text); the damaged file is \(try store.takePlace(now: now))"
  }

  /// Refuses if the disk returns neither root: their content is unknown, and a later attempt may succeed.
  private static func refuseUnread(_ descriptor: Int32, _ name: String) throws(HearthError) {
    var byte: UInt8 = 0
    var code: Int32 = 0
    for place in [0, StorePages.size] {
      if pread(descriptor, &byte, 1, place) >= 0 { return }
      code = errno
    }
    throw openFailure(code, name)
  }

  /// Refuses unless there is room for all of the damaged file beside it.
  private static func refuseWithoutRoom(_ path: String, _ bytes: UInt64) throws(HearthError) {
    var room = statvfs()
    if statvfs(path, &room) != 0 { throw openFailure(errno, path) }
    if UInt64(room.f_bavail) * UInt64(room.f_frsize) < bytes + spare { throw openFailure(ENOSPC, path) }
  }

  /// Bytes that the hub needs for its next commits and its copy of the records.
  private static let spare: UInt64 = 8 << 20

  private static func fill(
    _ store: RescuedStore, _ file: inout RescuedFile, _ copy: [BackupRow]?, _ options: StoreOptions
  ) throws(DatabaseFailure) {
    let numbers = Tables.named.map { store.tables[keyPath: $0.field] }
    for (index, number) in numbers.enumerated() {
      try file.readNewest(index) { entry throws(DatabaseFailure) in
        try store.put(number, Array(entry.key), Array(entry.value), replaces: true)
      }
    }
    for (index, number) in numbers.enumerated() {
      try file.fill(index) { entry throws(DatabaseFailure) in
        try store.put(number, Array(entry.key), Array(entry.value), replaces: false)
      }
    }
    for row in copy ?? [] {
      guard let table = BackupTable(rawValue: row.table) else { continue }
      let number = store.tables[keyPath: table.field]
      let index = numbers.firstIndex(of: number) ?? 0
      if file.tables[index].gaps.hold(row.key) {
        try store.put(number, row.key, row.value, replaces: false)
      }
    }
    try store.flush()
    try store.environment.learnNumber()
    let gaps = Dictionary(uniqueKeysWithValues: file.tables.map { ($0.name, $0.gaps) })
    try store.keepJournalEnd(isOlder: (gaps["meta"] ?? []).hold(BackupTable.journalEnd))
    try store.markRings(
      gaps["chunks"] ?? [], rowsAreOld: !(gaps["rings"] ?? []).isEmpty, awaiting: options.awaitedReaders)
    try store.markJournal(gaps["journal"] ?? [])
  }

  /// Tables with gaps.
  private static func describe(_ file: RescuedFile) -> String {
    if file.isOfOlder { return "what the last commit wrote" }
    if file.roots.isEmpty { return "all samples" }
    if file.roots.count == 1 { return "perhaps what the last commit wrote" }
    return file.tables.filter { !$0.gaps.isEmpty }.map { table in
      "\(table.name) (\(table.gaps.count) \(table.gaps.count == 1 ? "gap" : "gaps"))"
    }.joined(separator: ", ")
  }

  private static func refuseNewer(_ store: RescuedStore) throws(HearthError) {
    let found: UInt16?
    do throws(DatabaseFailure) {
      found = try store.environment.read { transaction throws(DatabaseFailure) in
        try transaction.get(transaction.tables.meta, FormatMark.key).flatMap { FormatMark.version(of: $0) }
      }
    } catch { return }
    if let found, found > FormatMark.version {
      throw HearthError(
        .storeNewer, "the store has format \(found), this program knows formats up to \(FormatMark.version)")
    }
  }
}
