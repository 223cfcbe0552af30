// Files of a set-up. Each is durable on disk when its function returns.

import Glibc
import HubProtocol
import Reasons

enum SetupFiles {
  static func failure(_ path: String, _ code: Int32) -> HearthError {
    HearthError(.setupNotWritten, "\(harmless(path, limit: 256)): \(String(cString: strerror(code)))")
  }

  /// Writes directly under this name, so that a power cut may leave a part of the file. For drafts, and for file
  /// systems without a journal, on which a new name is no safer than new content.
  ///
  /// - Throws: `setupNotWritten`.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644, like other: String? = nil)
    throws(HearthError)
  {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode)
    if descriptor < 0 { throw failure(path, errno) }
    var code: Int32 = 0
    var status = stat()
    // Owner and mode of the replaced file, so that the same users can read the new one.
    if let other, stat(other, &status) == 0 {
      if fchmod(descriptor, status.st_mode & 0o7777) != 0 { code = errno }
      if code == 0, status.st_uid != geteuid() || status.st_gid != getegid() {
        if fchown(descriptor, status.st_uid, status.st_gid) != 0 { code = errno }
      }
    }
    if code == 0 { code = PrivateFile.send(bytes, to: descriptor) }
    if code == 0, fsync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code != 0 { throw failure(path, code) }
    PrivateFile.syncFolder(of: path)
  }

  /// Replaces a file as a whole or not at all, on a file system with a journal.
  ///
  /// - Throws: `setupNotWritten`.
  static func replace(_ path: String, with bytes: [UInt8], mode: mode_t, like other: String? = nil)
    throws(HearthError)
  {
    let draft = path + ".new"
    try write(bytes, to: draft, mode: mode, like: other)
    try rename(draft, to: path)
  }

  static func rename(_ from: String, to path: String) throws(HearthError) {
    if Glibc.rename(from, path) != 0 { throw failure(path, errno) }
    PrivateFile.syncFolder(of: path)
  }

  static func remove(_ path: String) throws(HearthError) {
    if unlink(path) != 0, errno != ENOENT { throw failure(path, errno) }
    PrivateFile.syncFolder(of: path)
  }

  static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Checks that this process may write a file of this name.
  ///
  /// - Throws: `setupNotWritten`.
  static func refuseUnwritable(_ path: String) throws(HearthError) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    if access(folder, W_OK | X_OK) != 0 { throw failure(path, errno) }
  }
}
