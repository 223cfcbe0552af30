// Files as the commands read, write and name them.

import EventLoop
import Glibc
import HubProtocol
import Reasons

extension WallTime {
  /// Second in UTC for a file's name, as in `20261126T120000Z`: the order of names is the order of time.
  var fileStamp: String { rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z" }
}

/// Small files that are read and written as a whole.
enum PrivateFile {
  static func failure(_ path: String, _ code: Int32) -> HearthError {
    HearthError(.bondFileUnreadable, "\(harmless(path)): \(String(cString: strerror(code)))")
  }

  /// - Parameter path: `-` for standard input.
  static func read(_ path: String, limit: Int) throws(HearthError) -> [UInt8] {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw failure(path, errno) }
    defer { if descriptor != 0 { close(descriptor) } }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw failure(path, errno) }
      if count == 0 { return bytes }
      bytes += part.prefix(count)
      if bytes.count > limit {
        throw HearthError(.bondFileUnreadable, "\(harmless(path)) has more than \(limit) bytes")
      }
    }
  }

  static func refuseTaken(_ path: String, force: Bool) throws(HearthError) {
    var status = stat()
    if !force, lstat(path, &status) == 0 {
      throw HearthError(.bondFileUnreadable, "\(harmless(path)) is there already; --force writes over it")
    }
  }

  /// Writes a file completely or not at all, readable only by its owner. Durable when this returns.
  static func write(_ bytes: [UInt8], to path: String, force: Bool) throws(HearthError) {
    let draft = "\(path).\(getpid()).part"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw failure(draft, errno) }
    var code = send(bytes, to: descriptor)
    if code == 0, fsync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0 { code = move(draft, path, force) }
    if code != 0 {
      unlink(draft)
      if code == EEXIST { try refuseTaken(path, force: false) }
      throw failure(path, code)
    }
    syncFolder(of: path)
  }

  /// Writes all bytes. Returns 0, or errno.
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count >= 0 { sent += count } else if errno != EINTR { return errno }
    }
    return 0
  }

  /// Makes the name of a new file durable, so that it survives a power cut.
  static func syncFolder(of path: String) {
    let slash = path.lastIndex(of: "/")
    let folder = open(
      slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      _ = fsync(folder)
      close(folder)
    }
  }

  /// Renames a draft. Returns 0, or errno. Without `force` a file that appeared meanwhile stays.
  static func move(_ draft: String, _ path: String, _ force: Bool) -> Int32 {
    if !force {
      if link(draft, path) == 0 {
        unlink(draft)
        return 0
      }
      // On a file system without hard links, such as a stick from a PC, check first and then rename.
      if ![EPERM, EOPNOTSUPP, ENOSYS].contains(errno) { return errno }
      if access(path, F_OK) == 0 { return EEXIST }
    }
    return rename(draft, path) == 0 ? 0 : errno
  }
}
