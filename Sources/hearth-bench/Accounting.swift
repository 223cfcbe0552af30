// Figures of the kernel about this process and the disk below a path.

import CLinux
import Glibc

/// Bytes that this process has given to write calls (`wchar` of /proc/self/io). For a store that syncs every commit,
/// that is what the disk gets.
func processBytesWritten() throws -> UInt64 { try procNumber("/proc/self/io", "wchar:") }

/// The kernel's account of pages that this process made dirty (`write_bytes`). If the page cache works in large folios
/// (ext4 from Linux 6.16 on, XFS, btrfs), a page of 4 KiB counts as its whole folio. That is up to hundreds of times
/// too much.
func processBytesDirtied() throws -> UInt64 { try procNumber("/proc/self/io", "write_bytes:") }

/// Bytes written to the disk below `path` since it exists, by all processes and the file system; nil if unknown.
func deviceBytesWritten(below path: String) -> UInt64? {
  var status = stat()
  guard stat(path, &status) == 0 else { return nil }
  let major = (status.st_dev >> 8 & 0xFFF) | (status.st_dev >> 32 & ~0xFFF)
  let minor = (status.st_dev & 0xFF) | (status.st_dev >> 12 & ~0xFF)
  let descriptor = open("/sys/dev/block/\(major):\(minor)/stat", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 512)
  let count = read(descriptor, &bytes, bytes.count)
  guard count > 0 else { return nil }
  let fields = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isWhitespace)
  // Documentation/block/stat.rst: sectors of 512 bytes written are the seventh.
  return fields.count > 6 ? UInt64(fields[6]).map { $0 * 512 } : nil
}

/// Memory other than pages of files, in kB (`RssAnon` of /proc/self/status).
func anonymousMemory() throws -> Int { Int(clamping: try procNumber("/proc/self/status", "RssAnon:")) }

/// The first number of the line that begins with `name`.
private func procNumber(_ path: String, _ name: StaticString) throws -> UInt64 {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
  defer { close(descriptor) }
  let number: UInt64? = withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    guard count > 0 else { return nil }
    let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    for line in buffer[..<count].split(separator: 0x0A) where line.starts(with: name) {
      var number: UInt64 = 0
      for digit in line.dropFirst(name.count).drop(while: { !(0x30...0x39).contains($0) }).prefix(while: {
        (0x30...0x39).contains($0)
      }) {
        number = number &* 10 &+ UInt64(digit - 0x30)
      }
      return number
    }
    return nil
  }
  guard let number else { throw BenchFailure("\(path) does not say \(name)") }
  return number
}

/// CLOCK_MONOTONIC, nanoseconds.
func monotonicNow() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Total length of all files directly in a directory.
func bytesOfFiles(in path: String) throws -> UInt64 {
  guard let directory = opendir(path) else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
  defer { closedir(directory) }
  var bytes: UInt64 = 0
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    var status = stat()
    if stat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG { bytes += UInt64(status.st_size) }
  }
  return bytes
}

/// The file system below a directory.
struct FileSystem {
  let name: String
  /// Whether it is in memory; then its figures do not apply to a disk.
  let isMemory: Bool

  init(of path: String) throws {
    var status = statfs()
    guard statfs(path, &status) == 0 else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
    // linux/magic.h
    let type = UInt32(truncatingIfNeeded: status.f_type)
    let known: [UInt32: String] = [
      0xEF53: "ext4", 0x9123_683E: "btrfs", 0x5846_5342: "xfs", 0xF2F5_2010: "f2fs", 0x794C_7630: "overlay",
      0x6969: "nfs", 0x4D44: "fat",
      0x0102_1994: "tmpfs", 0x8584_58F6: "ramfs",
    ]
    name = known[type] ?? "type 0x" + String(type, radix: 16)
    isMemory = ["tmpfs", "ramfs"].contains(name)
  }
}

/// Milliseconds to make one page of 4 KiB durable in a directory: the median of a hundred. That is the cost of waiting
/// for the disk.
func durablePageMilliseconds(in path: String) throws -> Double {
  let file = path + "/page"
  let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw BenchFailure("\(file): \(String(cString: strerror(errno)))") }
  defer {
    close(descriptor)
    unlink(file)
  }
  let page = [UInt8](repeating: 0x5A, count: 4096)
  var durations: [Int64] = []
  // The first one extends the file, and does not count.
  for round in 0...100 {
    let began = monotonicNow()
    guard pwrite(descriptor, page, page.count, 0) == page.count, fdatasync(descriptor) == 0 else {
      throw BenchFailure("\(file): \(String(cString: strerror(errno)))")
    }
    if round > 0 { durations.append(monotonicNow() - began) }
  }
  return Double(durations.sorted()[durations.count / 2]) / 1e6
}

/// Drops the kernel's cached pages of all files in a directory, without a privilege: they are written first, then
/// dropped. Pages that a process has mapped stay.
func dropCachedPages(in path: String) throws {
  guard let directory = opendir(path) else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
  defer { closedir(directory) }
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0 { continue }
    fsync(descriptor)
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    close(descriptor)
  }
}
