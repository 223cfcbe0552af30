// Files that are written whole: a power cut leaves the one that was there, or the new one.

internal import Glibc

enum WholeFile {
  /// Writes a file in the store's folder under another name, and renames it once it is on the disk. The caller holds
  /// the store's lock.
  static func write(_ bytes: ArraySlice<UInt8>, _ name: String, in folder: String) throws(DatabaseFailure) {
    let (file, draft) = ("\(folder)/\(name)", "\(folder)/\(name).new")
    // A power cut may have left this file half written.
    unlink(draft)
    let output = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, Environment.fileMode)
    if output < 0 { throw DatabaseFailure(call: draft, code: errno) }
    defer { close(output) }
    do throws(DatabaseFailure) {
      try FormatCopy.fill(output, bytes, draft)
      if fsync(output) != 0 { throw DatabaseFailure(call: draft, code: errno) }
      if rename(draft, file) != 0 { throw DatabaseFailure(call: file, code: errno) }
    } catch {
      unlink(draft)
      throw error
    }
    syncDirectory(folder)
  }
}
