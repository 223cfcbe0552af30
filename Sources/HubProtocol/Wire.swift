// Bytes of the socket, and the ends of messages.

internal import Glibc

extension [UInt8] {
  /// Appends the bytes of one recv(2) and returns its result; errno is from that call.
  package mutating func receive(from descriptor: Int32, upTo size: Int) -> Int {
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, size, 0)
      if count > 0 { append(contentsOf: buffer[..<count]) }
      return count
    }
  }

  /// The first zero byte at or after `start`.
  package func firstZero(from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < bytes.count, let found = memchr(base + start, 0, bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}
