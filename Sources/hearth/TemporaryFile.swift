// A file without a name: room for what is too large for memory, gone when the command ends.

import Glibc
import Reasons

/// File in the folder of `TMPDIR`, else in /var/tmp: /tmp is memory on many machines.
final class TemporaryFile {
  private static let bufferLimit = 256 << 10

  private let folder: String
  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var mapping: UnsafeMutableRawBufferPointer?
  private(set) var size = 0

  /// - Throws: `storeInputOutput`.
  init() throws(HearthError) {
    folder = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
    var name = Array("\(folder)/hearth-export.XXXXXX".utf8CString)
    // Only its owner may read it.
    descriptor = mkstemp(&name)
    if descriptor < 0 { throw Self.failure(folder, errno) }
    unlink(name)
  }

  deinit {
    if let mapping { munmap(mapping.baseAddress, mapping.count) }
    close(descriptor)
  }

  private static func failure(_ folder: String, _ number: Int32) -> HearthError {
    HearthError(
      .storeInputOutput,
      "a temporary file in \(folder): \(String(cString: strerror(number))); set TMPDIR to another folder"
    )
  }

  /// - Throws: `storeInputOutput`.
  func append(_ bytes: [UInt8]) throws(HearthError) {
    pending += bytes
    if pending.count >= Self.bufferLimit { try flush() }
  }

  private func flush() throws(HearthError) {
    var start = 0
    while start < pending.count {
      let count = pending.withUnsafeBytes {
        write(descriptor, $0.baseAddress.map { $0 + start }, pending.count - start)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw Self.failure(folder, errno)
      }
      start += count
    }
    size += start
    pending.removeAll(keepingCapacity: true)
  }

  /// Returns all that was written, read and written in place. Valid as long as the file.
  ///
  /// - Parameter room: bytes that the file has at least. The disk gives them now: a disk that is full would
  ///   otherwise end the program at a write.
  /// - Throws: `storeInputOutput`.
  func contents(room: Int = 0) throws(HearthError) -> UnsafeMutableRawBufferPointer {
    try flush()
    if room > size {
      let failure = posix_fallocate(descriptor, 0, off_t(room))
      if failure != 0 { throw Self.failure(folder, failure) }
      size = room
    }
    if let mapping, mapping.count == size { return mapping }
    if let mapping { munmap(mapping.baseAddress, mapping.count) }
    mapping = nil
    guard size > 0 else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
      throw Self.failure(folder, errno)
    }
    let made = UnsafeMutableRawBufferPointer(start: address, count: size)
    mapping = made
    return made
  }
}
