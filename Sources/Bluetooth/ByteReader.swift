// Cursor that cannot leave its bytes; all bytes from the air are read with it.

/// Bytes that belong to the caller and are valid only during the call. Never stored.
public typealias RawBytes = UnsafeRawBufferPointer

/// Little-endian, bounds-checked cursor over borrowed bytes. Every read is total: it returns a value, or nil without
/// moving the cursor.
public struct ByteReader {
  private let bytes: RawBytes
  /// Bytes consumed so far.
  public private(set) var offset = 0

  /// A cursor at the first byte.
  public init(_ bytes: RawBytes) { self.bytes = bytes }

  /// Bytes left to read.
  public var remaining: Int { bytes.count - offset }
  /// True if all bytes are consumed.
  public var isAtEnd: Bool { offset >= bytes.count }

  /// Reads an unsigned byte.
  @inline(__always)
  public mutating func u8() -> UInt8? {
    guard remaining >= 1 else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a signed byte.
  @inline(__always)
  public mutating func i8() -> Int8? { u8().map { Int8(bitPattern: $0) } }

  /// Reads an unsigned integer of 16 bits, little-endian.
  @inline(__always)
  public mutating func u16() -> UInt16? { integer() }
  /// Reads a signed integer of 16 bits, little-endian.
  public mutating func i16() -> Int16? { u16().map { Int16(bitPattern: $0) } }
  /// Reads an unsigned integer of 32 bits, little-endian.
  public mutating func u32() -> UInt32? { integer() }
  /// Reads a signed integer of 32 bits, little-endian.
  public mutating func i32() -> Int32? { u32().map { Int32(bitPattern: $0) } }
  /// Reads an unsigned integer of 64 bits, little-endian.
  public mutating func u64() -> UInt64? { integer() }

  /// Three bytes, as in sensor status fields.
  public mutating func u24() -> UInt32? {
    guard remaining >= 3 else { return nil }
    defer { offset += 3 }
    return UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
  }

  /// The next `count` bytes in place.
  public mutating func take(_ count: Int) -> RawBytes? {
    guard count >= 0, remaining >= count else { return nil }
    defer { offset += count }
    return RawBytes(rebasing: bytes[offset..<(offset + count)])
  }

  /// Takes all remaining bytes, without a copy.
  public mutating func rest() -> RawBytes {
    defer { offset = bytes.count }
    return RawBytes(rebasing: bytes[offset...])
  }

  /// Skips bytes; false, without moving, if fewer are left.
  @discardableResult
  public mutating func skip(_ count: Int) -> Bool { take(count) != nil }

  @inline(__always)
  private mutating func integer<T: FixedWidthInteger>() -> T? {
    guard remaining >= MemoryLayout<T>.size else { return nil }
    defer { offset += MemoryLayout<T>.size }
    return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}

extension Array where Element == UInt8 {
  /// Appends the bytes of an integer, little-endian.
  public mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
