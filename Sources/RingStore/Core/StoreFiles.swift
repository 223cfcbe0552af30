// Checks before LMDB may touch any file: owner of the directory, lock holder, format.

internal import CLMDB
internal import EventLoop
internal import Glibc
internal import Reasons

/// The mark of a store, under the key "format" of the table `meta`.
///
/// | offset | bytes | field |
/// |---:|---:|---|
/// | 0 | 6 | `hearth` |
/// | 6 | 2 | version of the format |
/// | 8 | 8 | when the store was made, microseconds since 1970 |
struct FormatMark {
  static let key = Array("format".utf8)
  static let magic = Array("hearth".utf8)
  static let version: UInt16 = 8

  static func bytes(created: WallTime) -> [UInt8] {
    var bytes = magic
    bytes.append(littleEndian: version)
    bytes.append(littleEndian: created.microseconds)
    return bytes
  }

  /// Converts the mark of an earlier format to this one.
  ///
  /// - Returns: nil if no conversion is needed.
  static func upgraded(_ bytes: [UInt8], _ permit: ConversionPermit) -> [UInt8]? {
    guard let found = bytes.withUnsafeBytes({ version(of: $0) }), found < version, found == permit.found,
      bytes.count >= magic.count + 2
    else { return nil }
    var mark = magic
    mark.append(littleEndian: version)
    mark.append(contentsOf: bytes.dropFirst(magic.count + 2))
    return mark
  }

  /// The version of a mark; nil if it is not one of ours.
  static func version(of bytes: UnsafeRawBufferPointer) -> UInt16? {
    var reader = StoredReader(bytes)
    guard let magic = reader.take(magic.count), magic.elementsEqual(Self.magic) else { return nil }
    return reader.integer(UInt16.self)
  }
}

/// Look at a store's path.
enum StoreProbe {
  /// Looks without leaving a trace.
  ///
  /// - Parameter hasLock: there is a `hearth.lock`. An environment without any table then comes from a hub that died
  ///   while it made its store.
  /// - Returns: false if there is no store yet.
  /// - Throws: `storeForeign` for a foreign file, `storeNewer` for a later version, `storeInputOutput` for a damaged
  ///   one.
  static func isPresent(_ path: String, hasLock: Bool) throws(HearthError) -> Bool {
    let file = path + "/data.mdb"
    var status = stat()
    if stat(file, &status) != 0 {
      if errno == ENOENT { return false }
      throw openFailure(errno, file)
    }
    if status.st_size == 0 { return false }
    if !isSound(path) { throw HearthError(.storeForeign, "\(file) is not a store of Hearth") }
    let environment: Environment
    do { environment = try Environment(path: path, size: 0, mode: .traceless) } catch {
      if error.code == MDB_INVALID || error.code == MDB_VERSION_MISMATCH {
        throw HearthError(.storeForeign, "\(file) is not a store of Hearth")
      }
      throw openFailure(error.code, file)
    }
    defer { environment.close() }
    let (length, needed) = (environment.fileSize, environment.lengthKnown)
    if length < needed {
      throw HearthError(.storeInputOutput, "\(file) has \(length) bytes, its own tables need \(needed)")
    }
    var mark: UInt16?
    do throws(DatabaseFailure) {
      let broken = try PageCheck.broken(path, among: ["meta"])["meta"]
      if broken == PageCheck.otherKind { throw DatabaseFailure(call: file, code: MDB_INCOMPATIBLE) }
      if let what = broken {
        throw DatabaseFailure(call: "\(file) \(what)", code: MDB_CORRUPTED)
      }
      if hasLock, try environment.read({ transaction throws(DatabaseFailure) in transaction.entries(1) == 0 }) {
        return false
      }
      try environment.openTables(without: Tables.allButMeta)
      mark = try environment.read { transaction throws(DatabaseFailure) in
        try transaction.get(transaction.tables.meta, FormatMark.key).flatMap { FormatMark.version(of: $0) }
      }
    } catch {
      if error.isOfPages { throw HearthError(.storeDamaged, error.call) }
      let isAnswer = error.code == MDB_NOTFOUND || error.code == MDB_INCOMPATIBLE
      if !isAnswer { throw HearthError(.storeInputOutput, "\(file): \(error.text)") }
    }
    guard let mark else { throw HearthError(.storeForeign, "\(file) belongs to another program") }
    if mark > FormatMark.version {
      throw HearthError(
        .storeNewer, "\(file) has format \(mark), this program knows formats up to \(FormatMark.version)")
    }
    return true
  }

  static func hasFile(_ path: String) -> Bool { access(path + "/data.mdb", F_OK) == 0 }

  /// Prefix of damaged files that were set aside.
  static let asideName = "data.mdb.damaged-"

  /// Bytes of damaged files that were set aside in the store's folder.
  static func bytesAside(_ path: String) -> UInt64 {
    guard let folder = opendir(path) else { return 0 }
    defer { closedir(folder) }
    var bytes: UInt64 = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var status = stat()
      guard name.hasPrefix(asideName), lstat("\(path)/\(name)", &status) == 0, status.st_size > 0 else { continue }
      bytes &+= UInt64(status.st_size)
    }
    return bytes
  }

  /// Whether LMDB may be let near the file: it divides by the page size that the root pages state, without a look at
  /// it. On 64-bit machines (LMDB 0.9, mdb.c: MDB_page, MDB_meta) that is the u32 at byte 40 of each of the first two
  /// pages.
  static func isSound(_ path: String) -> Bool {
    let descriptor = open(path + "/data.mdb", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    // Whatever is the matter, LMDB meets it too and says so.
    if descriptor < 0 { return true }
    defer { close(descriptor) }
    var isUnread = false
    func stated(_ root: Int) -> Int? {
      var size: UInt32 = 0
      let count = pread(descriptor, &size, 4, root + 40)
      isUnread = isUnread || count < 0
      return count == 4 ? Int(UInt32(littleEndian: size)) : nil
    }
    guard let size = stated(0), (512...65_536).contains(size), size.nonzeroBitCount == 1 else { return isUnread }
    return stated(size) == size || isUnread
  }
}

/// The right to write a store: a lock on `hearth.lock`, which holds the process number of its owner. The kernel lets go
/// of it when the owner dies, however it dies.
final class StoreLock: @unchecked Sendable {
  /// Locks of the open file, not of the process (Linux 3.15; the numbers are the same on every architecture). They also
  /// exclude a second store in this process, and testing one takes no lock. <fcntl.h> hides them from programs without
  /// _GNU_SOURCE.
  private static let getLock: Int32 = 36
  private static let setLock: Int32 = 37

  private var descriptor: Int32

  /// - Parameter create: false to take the lock only if the file exists already.
  /// - Throws: `storeInUse` while another process has it; `storeUnwritable`, also for a link to another file, or a file
  ///   of another user.
  init?(_ path: String, create: Bool) throws(HearthError) {
    let file = Self.file(path)
    // A link in its place would let its maker choose which file is overwritten.
    descriptor = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0), 0o644)
    if descriptor < 0 {
      if errno == ENOENT, !create { return nil }
      throw openFailure(errno, file)
    }
    do throws(HearthError) { try refuseForeign(descriptor, file, in: path) } catch {
      Glibc.close(descriptor)
      throw error
    }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    var code: Int32 = 0
    _ = Self.patiently {
      code = fcntl(descriptor, Self.setLock, &lock) == 0 ? 0 : errno
      return code != EAGAIN && code != EACCES
    }
    if code != 0 {
      Glibc.close(descriptor)
      if code == EAGAIN || code == EACCES { throw Self.inUse(path) }
      throw openFailure(code, file)
    }
    let owner = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, owner, owner.count, 0)
  }

  deinit { release() }

  func release() {
    if descriptor < 0 { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  static func exists(_ path: String) -> Bool { access(file(path), F_OK) == 0 }

  /// Throws `storeInUse` if a living daemon has the store open.
  static func refuseIfHeld(_ path: String) throws(HearthError) {
    let descriptor = open(file(path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0 {
      if errno == ELOOP { throw openFailure(errno, file(path)) }
      return
    }
    defer { Glibc.close(descriptor) }
    let isFree = patiently {
      var lock = flock()
      lock.l_type = Int16(F_RDLCK)
      return fcntl(descriptor, getLock, &lock) != 0 || lock.l_type == Int16(F_UNLCK)
    }
    if !isFree { throw inUse(path) }
  }

  /// Repeats for a tenth of a second. A program that its owner was starting also has the lock, from the fork until its
  /// own first instruction.
  private static func patiently(_ isDone: () -> Bool) -> Bool {
    for _ in 0..<20 {
      if isDone() { return true }
      usleep(5_000)
    }
    return isDone()
  }

  private static func file(_ path: String) -> String { path + "/hearth.lock" }

  private static func inUse(_ path: String) -> HearthError {
    let owner = String(
      decoding: (readSmallFile(file(path)) ?? []).prefix { $0 >= 0x30 && $0 <= 0x39 }.prefix(10), as: UTF8.self)
    return HearthError(.storeInUse, "\(path) is open in \(owner.isEmpty ? "another process" : "process \(owner)")")
  }
}

/// Refuses what is no regular file, has a second name, or belongs to neither us, nor root, nor the owner of its folder.
///
/// - Throws: `storeUnwritable`.
private func refuseForeign(_ descriptor: Int32, _ file: String, in folder: String) throws(HearthError) {
  var (status, parent) = (stat(), stat())
  if fstat(descriptor, &status) != 0 || stat(folder, &parent) != 0 { throw openFailure(errno, file) }
  if status.st_mode & S_IFMT != S_IFREG { throw HearthError(.storeUnwritable, "\(file) is no regular file") }
  if status.st_nlink > 1 { throw HearthError(.storeUnwritable, "\(file) has a second name elsewhere") }
  if ![geteuid(), 0, parent.st_uid].contains(status.st_uid) {
    throw HearthError(.storeUnwritable, "\(file) belongs to uid \(status.st_uid)")
  }
}

/// Refuses a store with files that are links: LMDB follows them, and writes its table of readers even for a reader.
func refuseLinks(_ path: String) throws(DatabaseFailure) {
  for name in ["data.mdb", "lock.mdb"] {
    var status = stat()
    if lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw DatabaseFailure(call: "\(name) is no regular file", code: ELOOP)
    }
  }
}

/// The reason for an errno, or a code of LMDB, met while opening `file`.
func openFailure(_ code: Int32, _ file: String) -> HearthError {
  let detail = "\(file): \(String(cString: mdb_strerror(code)))"
  return switch code {
  case MDB_CORRUPTED: HearthError(.storeDamaged, detail)
  case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG: HearthError(.storeUnwritable, detail)
  case ENOSPC, EDQUOT, MDB_MAP_FULL: HearthError(.storeFull, detail)
  default: HearthError(.storeInputOutput, detail)
  }
}

/// The reason for a write that failed while the store was open. LMDB reports a write that was cut short by a full disk
/// as EIO, so the file system is asked.
func writeFailure(_ failure: DatabaseFailure, _ path: String) -> HearthError {
  let detail = "\(path): \(failure.text)"
  switch failure.code {
  case ENOSPC, EDQUOT, MDB_MAP_FULL: return HearthError(.storeFull, detail)
  case MDB_CORRUPTED: return HearthError(.storeDamaged, detail)
  case EIO:
    var space = statvfs()
    if statvfs(path, &space) == 0, space.f_bavail == 0 {
      return HearthError(.storeFull, "\(path): no space left on its file system")
    }
    return HearthError(.storeFailing, detail)
  default: return HearthError(.storeFailing, detail)
  }
}

/// Makes the entry of a new file in its directory survive a power cut.
func syncDirectory(_ path: String) {
  let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  if descriptor < 0 { return }
  fsync(descriptor)
  close(descriptor)
}
