// A file that others read at any moment: they find the old text or the new one, never a part.

import CLinux
import Glibc
import Metrics

/// Calls that wait for a disk: on its thread only.
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

  /// Beside it, as a name is taken within one file system only. Collectors read `*.prom`, which this is not.
  static let temporarySuffix = ".new"

  /// Readable by everybody, as whoever reads it has an account of its own. Not synced: after a power cut what it told
  /// is of no use to anybody.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let temporary = path + temporarySuffix
    // One that a killed daemon left is written over. Nothing follows a link that somebody put there.
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

  /// The file, and what is left of one that was being written.
  static func remove(_ path: String) {
    unlink(path)
    unlink(path + temporarySuffix)
  }

  /// 0, or the errno of what was refused.
  private static func fill(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
    // The unit's umask would keep others out.
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
  /// Of this process. nil where the kernel does not say; it is asked without a disk.
  static func now() -> ProcessFigures? {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, let pages = residentPages() else { return nil }
    return ProcessFigures(
      processorTime: .seconds(time.tv_sec) + .nanoseconds(Int64(time.tv_nsec)),
      residentBytes: pages * Int(getpagesize()))
  }

  /// The second number of /proc/self/statm, in pages of whatever size.
  private static func residentPages() -> Int? {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Seven numbers of 20 digits at most.
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let fields = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? Int(fields[1]) : nil
  }
}
