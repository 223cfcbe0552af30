// Files of backups, written piece by piece under another name, and renamed when they are complete. A folder
// keeps the newest ones.

import EventLoop
import Glibc
import HubProtocol
import Reasons

/// A file that gets its name when it is complete, or never. Only its owner can read it.
final class BackupFile {
  private let path: String
  private let draft: String
  private let force: Bool
  private var descriptor: Int32
  private(set) var size = 0

  /// - Throws: `backupFileUnusable`.
  init(_ path: String, force: Bool) throws(HearthError) {
    self.path = path
    self.force = force
    draft = "\(path).\(getpid()).part"
    var status = stat()
    if !force, lstat(path, &status) == 0 { throw Self.failure(path, EEXIST) }
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw Self.failure(draft, errno) }
  }

  deinit { abandon() }

  static func failure(_ path: String, _ code: Int32) -> HearthError {
    let why = code == EEXIST ? "is there already; --force writes over it" : String(cString: strerror(code))
    return HearthError(.backupFileUnusable, "\(harmless(path, limit: 256)): \(why)")
  }

  func write(_ bytes: [UInt8]) throws(HearthError) {
    let code = PrivateFile.send(bytes, to: descriptor)
    if code != 0 { throw Self.failure(draft, code) }
    size += bytes.count
  }

  /// Makes the file durable on disk under its name.
  func finish() throws(HearthError) {
    var code = fsync(descriptor) == 0 ? 0 : errno
    if close(descriptor) != 0, code == 0 { code = errno }
    descriptor = -1
    if code == 0 { code = PrivateFile.move(draft, path, force) }
    if code != 0 {
      unlink(draft)
      throw Self.failure(path, code)
    }
    PrivateFile.syncFolder(of: path)
  }

  private func abandon() {
    if descriptor < 0 { return }
    close(descriptor)
    descriptor = -1
    unlink(draft)
  }
}

/// Folder of scheduled backups. Names are `NAME-20261126T120000Z.hearth`, so that their order is the order of time.
struct BackupFolder {
  static let ending = ".hearth"
  let path: String
  let hub: String

  func file(_ time: WallTime) -> String {
    "\(path)/\(hub)-\(time.fileStamp)\(Self.ending)"
  }

  /// Names of this hub's files, oldest first, and of incomplete ones.
  private func names() throws(HearthError) -> (files: [String], parts: [String]) {
    guard let directory = opendir(path) else { throw BackupFile.failure(path, errno) }
    defer { closedir(directory) }
    var (files, parts): ([String], [String]) = ([], [])
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard name.hasPrefix(hub + "-") else { continue }
      let rest = name.dropFirst(hub.utf8.count + 1)
      let stamp = rest.prefix(16)
      guard stamp.utf8.count == 16, stamp.hasSuffix("Z"), stamp.contains("T") else { continue }
      if rest.dropFirst(16) == Self.ending[...] { files.append(name) }
      if rest.hasSuffix(".part") { parts.append(name) }
    }
    return (files.sorted(), parts)
  }

  /// Time of the newest backup; nil without one.
  func newest() throws(HearthError) -> WallTime? {
    guard let name = try names().files.last else { return nil }
    var status = stat()
    if stat("\(path)/\(name)", &status) != 0 { return nil }
    return WallTime(microseconds: Int64(status.st_mtim.tv_sec) * 1_000_000)
  }

  /// Deletes all but the newest backups, and incomplete ones. Only called while no other backup is being made.
  func prune(keeping count: Int) throws(HearthError) {
    let (files, parts) = try names()
    for name in files.dropLast(count) + parts { unlink("\(path)/\(name)") }
  }
}
