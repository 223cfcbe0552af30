// Frames of the simple management protocol (MCUmgr): a header, followed by a CBOR map.

public import Bluetooth

/// Header: the first eight bytes of a frame. Numbers are big-endian.
///
///     0   u8   bits 0-2 operation, bits 3-4 version
///     1   u8   flags
///     2   u16  bytes that follow the header
///     4   u16  group
///     6   u8   sequence, given back in the answer
///     7   u8   command
public struct SMPHeader: Sendable, Hashable {
  /// Length in bytes.
  public static let size = 8

  /// Operation of a request or an answer.
  public enum Operation: UInt8, Sendable, Hashable {
    case read, readReply, write, writeReply
  }

  /// Operation: read or write, request or answer.
  public var operation: Operation
  /// 0: errors are `rc` alone; 1: errors have a group, too.
  public var version: UInt8 = 1
  /// Flags, as received; requests have 0.
  public var flags: UInt8 = 0
  /// Bytes that follow the header.
  public var length: UInt16
  /// Group of commands, such as 8 for files.
  public var group: UInt16
  /// Number that an answer repeats.
  public var sequence: UInt8
  /// Number of the command in its group.
  public var command: UInt8

  /// A header; `length` in bytes.
  public init(
    _ operation: Operation, version: UInt8 = 1, length: UInt16 = 0, group: UInt16, sequence: UInt8, command: UInt8
  ) {
    (self.operation, self.version, self.length) = (operation, version, length)
    (self.group, self.sequence, self.command) = (group, sequence, command)
  }

  /// nil below eight bytes, and for an unknown operation.
  public init?(_ bytes: RawBytes) {
    var reader = ByteReader(bytes)
    guard let first = reader.u8(), let flags = reader.u8(), let length = reader.u16(), let group = reader.u16(),
      let sequence = reader.u8(),
      let command = reader.u8(), let operation = Operation(rawValue: first & 7)
    else { return nil }
    self.init(
      operation, version: first >> 3 & 3, length: length.byteSwapped, group: group.byteSwapped, sequence: sequence,
      command: command)
    self.flags = flags
  }

  public func encode() -> [UInt8] {
    var bytes: [UInt8] = [version << 3 | operation.rawValue, flags]
    bytes.append(littleEndian: length.byteSwapped)
    bytes.append(littleEndian: group.byteSwapped)
    return bytes + [sequence, command]
  }
}

/// Complete frame.
public struct SMPFrame: Sendable, Hashable {
  /// Maximum number of accepted bytes after a header. The insole's buffer has 2,475 for a whole frame, and other builds
  /// up to twice that.
  public static let payloadLimit = 4096

  /// Header of the frame.
  public var header: SMPHeader
  /// Map; nil if no bytes follow the header.
  public var payload: CBOR?

  /// A frame; `payload` nil: no bytes follow the header.
  public init(_ header: SMPHeader, _ payload: CBOR?) {
    self.header = header
    self.payload = payload
  }

  /// Reason why a frame is refused.
  public enum Defect: Error, Sendable, Hashable {
    case header
    /// The number of bytes differs from the header.
    case length(says: Int, has: Int)
    case payload(CBORDefect)
  }

  /// Parses the single frame that the bytes contain.
  ///
  /// - Throws: `header` if the header is incomplete or names no operation. `length` if the length is wrong or exceeds
  ///   `payloadLimit`. `payload` for a payload that is no CBOR value.
  public init(_ bytes: RawBytes) throws(Defect) {
    guard let header = SMPHeader(bytes) else { throw .header }
    let payload = bytes.count - SMPHeader.size
    guard payload == Int(header.length), payload <= Self.payloadLimit else {
      throw .length(says: Int(header.length), has: payload)
    }
    self.header = header
    if payload == 0 { return }
    do throws(CBORDefect) { self.payload = try CBORReader.read(RawBytes(rebasing: bytes[SMPHeader.size...])) } catch {
      throw .payload(error)
    }
  }

  /// Encodes the frame with the correct length in its header.
  public func encode(indefinite: Bool = false) -> [UInt8] {
    let content = payload?.encode(indefinite: indefinite) ?? []
    var header = header
    header.length = UInt16(clamping: content.count)
    return header.encode() + content
  }
}
