// gzip and zlib, inflated within a bound, a little at a time.

public import Bluetooth
import CZlib

/// What stands in `.GZB` files and compressed events.
public enum Inflation {
  /// Bytes that one file may become: a day of exercise with all sensors, once a second, is some 2 MiB.
  public static let limit = 4 << 20
  /// Deflate makes at most 1032 bytes of one (RFC 1951: 258 bytes from two bits): what claims more is no deflate.
  private static let ratio = 1032
  /// Bytes that are looked at, and that are made, in one call.
  static let slice = 16_384

  public enum Defect: String, Error, Sendable {
    /// Neither gzip nor zlib, or damaged within: a checksum that does not fit, too.
    case malformed
    /// It ends before its end.
    case truncated
    case tooLarge = "too_large"
  }

  /// The content, at once. gzip and zlib are told apart by their first bytes; a gzip file may have several members
  /// (RFC 1952, section 2.2). What stands behind the last one is not looked at.
  public static func inflate(_ bytes: RawBytes, limit: Int = limit) throws(Defect) -> [UInt8] {
    let stream = Stream(limit: limit)
    var content: [UInt8] = []
    while try stream.next(bytes, into: &content) {}
    return content
  }

  /// One file under way. It is given the same bytes each time.
  final class Stream {
    private let limit: Int
    /// zlib remembers where it lies.
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
    /// - Returns: whether there is more.
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
      // zlib reads only; its interface is older than const.
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
      // Where all bytes were taken, there may still be more to write out.
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
