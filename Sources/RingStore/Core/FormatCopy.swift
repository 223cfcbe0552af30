// The copy of a store of an earlier format, made before its conversion. If the new version fails, the version before
// goes on with the copy (board/hearth-update). Without a copy there is no permit, and without a permit no conversion.

internal import CLMDB
internal import Glibc
internal import Reasons

/// Proof that a store may be converted to this format: a durable copy of it exists, or is not needed.
struct ConversionPermit {
  let found: UInt16
  fileprivate init(found: UInt16) { self.found = found }
}

/// The copy of a store before its conversion: `before-conversion/data.mdb` in the store's folder. The journal file is
/// copied along, as the latest samples may be in it alone. A file `format` with "7 8" means: it was of format 7 and
/// became one of 8. An incomplete copy lies in a folder of another name.
enum FormatCopy {
  static let folder = "before-conversion"
  /// The first format of a packaged version. For earlier formats there is no version to go back to, and a copy would
  /// keep keys in the clear that the conversion seals.
  static let firstPackaged: UInt16 = 6
  /// Room that must remain after the copy, in bytes: what a hub writes in a day within its budget.
  private static let reserve = 150_000_000
  private static let step = 4 << 20

  /// Makes the copy if one is needed; nil if the store needs no conversion. The caller holds the store's lock, and the
  /// store is not open.
  ///
  /// - Throws: `storeNotCopied`, with the store unchanged; `storeInputOutput` if its format mark cannot be read.
  static func permit(
    _ path: String, to version: UInt16 = FormatMark.version, progress: ((Int) -> Void)? = nil
  ) throws(HearthError) -> ConversionPermit? {
    guard let found = try format(path), found < version else { return nil }
    if found >= firstPackaged {
      do throws(DatabaseFailure) { try copy(path, "\(found) \(version)\n", progress) } catch {
        throw HearthError(.storeNotCopied, "\(path) of format \(found): \(error.text)")
      }
    }
    return ConversionPermit(found: found)
  }

  private static func format(_ path: String) throws(HearthError) -> UInt16? {
    do throws(DatabaseFailure) {
      let environment = try Environment(path: path, size: 0, mode: .traceless)
      defer { environment.close() }
      try environment.openTables()
      return try environment.read { transaction throws(DatabaseFailure) in
        try transaction.get(transaction.tables.meta, FormatMark.key).flatMap { FormatMark.version(of: $0) }
      }
    } catch {
      throw openFailure(error.code, path)
    }
  }

  private static func copy(_ path: String, _ formats: String, _ progress: ((Int) -> Void)?) throws(DatabaseFailure) {
    let (draft, final) = ("\(path)/\(folder).new", "\(path)/\(folder)")
    remove(draft)
    if mkdir(draft, 0o700) != 0 { throw DatabaseFailure(call: draft, code: errno) }
    do throws(DatabaseFailure) {
      try copyFile("\(path)/data.mdb", "\(draft)/data.mdb", progress)
      let journal = "\(path)/\(JournalTail.fileName)"
      if access(journal, F_OK) == 0 { try copyFile(journal, "\(draft)/\(JournalTail.fileName)", nil) }
      try write(Array(formats.utf8), "\(draft)/format")
    } catch {
      remove(draft)
      throw error
    }
    syncDirectory(draft)
    // The copy of an earlier conversion is useless now: it is for the version before the previous one.
    remove(final)
    if rename(draft, final) != 0 { throw DatabaseFailure(call: final, code: errno) }
    syncDirectory(path)
  }

  private static func copyFile(_ from: String, _ to: String, _ progress: ((Int) -> Void)?) throws(DatabaseFailure) {
    let input = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if input < 0 { throw DatabaseFailure(call: from, code: errno) }
    defer { close(input) }
    var (status, space) = (stat(), statvfs())
    if fstat(input, &status) != 0 || fstatvfs(input, &space) != 0 { throw DatabaseFailure(call: from, code: errno) }
    let size = Int(status.st_size)
    let (free, overflows) = Int(clamping: space.f_bavail).multipliedReportingOverflow(by: Int(clamping: space.f_frsize))
    if !overflows, free < size + reserve { throw DatabaseFailure(call: to, code: ENOSPC) }
    let output = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if output < 0 { throw DatabaseFailure(call: to, code: errno) }
    defer { close(output) }
    var (done, told) = (0, -1)
    var buffer = [UInt8](repeating: 0, count: step)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw DatabaseFailure(call: from, code: errno) }
      if count == 0 { break }
      try fill(output, buffer[..<count], to)
      done += count
      let percent = size > 0 ? min(100, done * 100 / size) : 100
      if percent != told { progress?(percent) }
      told = percent
    }
    if done < size { throw DatabaseFailure(call: from, code: EIO) }
    if fsync(output) != 0 { throw DatabaseFailure(call: to, code: errno) }
  }

  private static func write(_ bytes: [UInt8], _ path: String) throws(DatabaseFailure) {
    let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if output < 0 { throw DatabaseFailure(call: path, code: errno) }
    defer { close(output) }
    try fill(output, bytes[...], path)
    if fsync(output) != 0 { throw DatabaseFailure(call: path, code: errno) }
  }

  static func fill(_ output: Int32, _ bytes: ArraySlice<UInt8>, _ path: String) throws(DatabaseFailure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw DatabaseFailure(call: path, code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  private static func remove(_ folder: String) {
    for name in ["data.mdb", JournalTail.fileName, "format"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }
}
