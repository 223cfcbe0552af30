// gzip and zlib, inflated within a bound.

public import Bluetooth
import CZlib

/// What stands in `.GZB` files and compressed events.
public enum Inflation {
  /// Bytes that one file may become: a day of exercise with all sensors, once a second, is below 4 MiB.
  public static let limit = 16 << 20
  /// Deflate makes at most 1032 bytes of one (RFC 1951: 258 bytes from two bits): what claims more is no deflate.
  private static let ratio = 1032

  public enum Defect: String, Error, Sendable {
    /// Neither gzip nor zlib, or damaged within: a checksum that does not fit, too.
    case malformed
    /// It ends before its end.
    case truncated
    case tooLarge = "too_large"
  }

  /// The content. gzip and zlib are told apart by their first bytes; a gzip file may have several members (RFC 1952,
  /// section 2.2). What stands behind the last one is not looked at.
  public static func inflate(_ bytes: RawBytes, limit: Int = limit) throws(Defect) -> [UInt8] {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { throw .truncated }
    guard let count = UInt32(exactly: bytes.count) else { throw .tooLarge }
    var stream = z_stream()
    // zlib reads only; its interface is older than const.
    stream.next_in = UnsafeMutablePointer(mutating: base.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = count
    // 15: the largest window; 32: gzip or zlib.
    guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .malformed
    }
    defer { inflateEnd(&stream) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      var made = 0
      let result = chunk.withUnsafeMutableBufferPointer { buffer in
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(buffer.count)
        let result = CZlib.inflate(&stream, Z_NO_FLUSH)
        made = buffer.count - Int(stream.avail_out)
        return result
      }
      guard content.count + made <= min(limit, bytes.count * ratio) else { throw .tooLarge }
      content += chunk[..<made]
      switch result {
      case Z_OK: continue
      case Z_STREAM_END:
        let next = bytes.count - Int(stream.avail_in)
        guard bytes.count - next >= 2, bytes[next] == 0x1F, bytes[next + 1] == 0x8B else { return content }
        guard inflateReset(&stream) == Z_OK else { throw .malformed }
      case Z_BUF_ERROR: throw .truncated
      default: throw .malformed
      }
    }
  }
}
