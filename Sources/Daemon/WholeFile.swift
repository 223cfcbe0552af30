// File that is replaced atomically: readers see the old text or the new one, never a part.

import CLinux
import Glibc
import Metrics

/// Calls that wait for a disk: only on its thread.
enum WholeFile {
  struct Failure: Error, Sendable {
    let path: String
    let code: Int32

    /// `/run/hearth/metrics.prom cannot be written: not allowed`
    var clause: String { "\(path) cannot be written: \(Self.explain(code))" }

    private static func explain(_ code: Int32) -> String {
      switch code {
      case ENOENT: "its folder is not there"
      case EACCES, EPERM: "not allowed"
      case EROFS: "its folder is read-only, or the unit does not let hearthd write there"
      case ENOSPC, EDQUOT: "no room"
      case EISDIR, ENOTDIR: "a folder is in its place, or a file in that of its folder"
      case ELOOP: "a symbolic link has its name with \(temporarySuffix)"
      default: String(cString: strerror(code))
      }
    }
  }

  /// Suffix of the temporary file in the same folder, because a rename works within one file system only. Collectors
  /// read `*.prom`, which this does not match.
  static let temporarySuffix = ".new"

  /// Writes a file readable by all users, because readers have their own accounts. Not synced: after a power cut its
  /// content is worthless.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let temporary = path + temporarySuffix
    // Overwrites a leftover of a killed daemon, but never follows a link.
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = hearth_open(temporary, flags, 0o644)
    if descriptor < 0 { throw Failure(path: path, code: errno) }
    var code = fill(descriptor, bytes)
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, rename(temporary, path) != 0 { code = errno }
    if code == 0 { return }
    unlink(temporary)
    throw Failure(path: path, code: code)
  }

  /// Removes the file, and a partly written one.
  static func remove(_ path: String) {
    unlink(path)
    unlink(path + temporarySuffix)
  }

  /// 0, or the errno.
  private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
    // The unit's umask would exclude other users.
    if fchmod(descriptor, 0o644) != 0 { return errno }
    return bytes.withUnsafeBytes { bytes -> Int32 in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 {
          if errno == EINTR { continue }
          return errno
        }
        rest = rest.dropFirst(count)
      }
      return 0
    }
  }
}

extension ProcessFigures {
  /// Figures of this process; nil if the kernel does not provide them. Needs no disk.
  static func now() -> ProcessFigures? {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, let pages = residentPages() else { return nil }
    return ProcessFigures(
      processorTime: .seconds(time.tv_sec) + .nanoseconds(Int64(time.tv_nsec)),
      residentBytes: pages * Int(getpagesize()))
  }

  /// Second number of /proc/self/statm, in pages.
  private static func residentPages() -> Int? {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Seven numbers with at most 20 digits.
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let fields = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? Int(fields[1]) : nil
  }
}
