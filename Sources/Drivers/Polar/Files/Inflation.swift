// Bounded decompression of gzip and zlib, in slices.

public import Bluetooth
import CZlib

/// Decompression of `.GZB` files and compressed events.
public enum Inflation {
  /// Maximum number of decompressed bytes of a file. A day of exercise with all sensors, once a second, is some 2 MiB.
  public static let limit = 4 << 20
  /// Largest expansion of deflate: 1032 bytes from one (RFC 1951: 258 bytes from two bits). More than that is not valid
  /// deflate.
  private static let ratio = 1032
  /// Maximum number of bytes that one call reads, and most bytes that it writes.
  static let slice = 16_384

  /// Reason why decompression failed.
  public enum Defect: String, Error, Sendable {
    /// Bytes that are neither gzip nor zlib, or corrupt; also a wrong checksum.
    case malformed
    /// The data end before the compressed stream does.
    case truncated
    case tooLarge = "too_large"
  }

  /// Decompresses all bytes in one call. gzip and zlib are distinguished by their first bytes. A gzip file may have
  /// several members (RFC 1952, section 2.2). Bytes after the last member are ignored.
  ///
  /// - Throws: the defect of the stream; `tooLarge` beyond `limit` bytes.
  public static func inflate(_ bytes: RawBytes, limit: Int = limit) throws(Defect) -> [UInt8] {
    let stream = Stream(limit: limit)
    var content: [UInt8] = []
    while try stream.next(bytes, into: &content) {}
    return content
  }

  /// Decompression of one file in several calls, each with the same bytes.
  final class Stream {
    private let limit: Int
    /// zlib stores the address of this state, so it must not move.
    private let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var isBegun = false
    private var taken = 0
    private var made = 0
    private var isOver = false

    init(limit: Int) {
      self.limit = limit
      state.initialize(to: z_stream())
    }

    deinit {
      if isBegun { inflateEnd(state) }
      state.deinitialize(count: 1)
      state.deallocate()
    }

    /// Appends the next bytes of the content.
    ///
    /// - Returns: whether more bytes follow.
    func next(_ bytes: RawBytes, into content: inout [UInt8]) throws(Defect) -> Bool {
      if isOver { return false }
      guard let base = bytes.baseAddress, !bytes.isEmpty else { throw .truncated }
      if !isBegun {
        // 15: the largest window; 32: gzip or zlib.
        guard inflateInit2_(state, 15 + 32, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
          throw .malformed
        }
        isBegun = true
      }
      let offered = min(bytes.count - taken, Inflation.slice)
      // zlib only reads from it; the parameter lacks `const`.
      state.pointee.next_in = UnsafeMutablePointer(mutating: (base + taken).assumingMemoryBound(to: UInt8.self))
      state.pointee.avail_in = UInt32(offered)
      let (result, count) = withUnsafeTemporaryAllocation(byteCount: Inflation.slice, alignment: 1) { buffer in
        state.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        state.pointee.avail_out = UInt32(buffer.count)
        let result = CZlib.inflate(state, Z_NO_FLUSH)
        let count = buffer.count - Int(state.pointee.avail_out)
        content.append(contentsOf: buffer[..<count])
        return (result, count)
      }
      let consumed = offered - Int(state.pointee.avail_in)
      taken += consumed
      made += count
      guard made <= min(limit, bytes.count * Inflation.ratio) else { throw .tooLarge }
      switch result {
      // Even if all input was consumed, more output may be pending.
      case Z_OK: return true
      case Z_BUF_ERROR:
        if consumed + count == 0 { throw .truncated }
        return true
      case Z_STREAM_END:
        guard bytes.count - taken >= 2, bytes[taken] == 0x1F, bytes[taken + 1] == 0x8B else {
          isOver = true
          return false
        }
        guard inflateReset(state) == Z_OK else { throw .malformed }
        return true
      default: throw .malformed
      }
    }
  }
}
