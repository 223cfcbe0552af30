// Cursor that cannot leave its bytes; all bytes from the air are read with it.

/// Bytes that belong to the caller and are valid only during the call. Never stored.
public typealias RawBytes = UnsafeRawBufferPointer

/// Little-endian, bounds-checked cursor over borrowed bytes. Every read is total: it returns a value, or nil without
/// moving the cursor.
public struct ByteReader {
  private let bytes: RawBytes
  public private(set) var offset = 0

  public init(_ bytes: RawBytes) { self.bytes = bytes }

  public var remaining: Int { bytes.count - offset }
  public var isAtEnd: Bool { offset >= bytes.count }

  @inline(__always)
  public mutating func u8() -> UInt8? {
    guard remaining >= 1 else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  @inline(__always)
  public mutating func i8() -> Int8? { u8().map { Int8(bitPattern: $0) } }

  @inline(__always)
  public mutating func u16() -> UInt16? { integer() }
  public mutating func i16() -> Int16? { u16().map { Int16(bitPattern: $0) } }
  public mutating func u32() -> UInt32? { integer() }
  public mutating func i32() -> Int32? { u32().map { Int32(bitPattern: $0) } }
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

  /// Everything that is left, in place.
  public mutating func rest() -> RawBytes {
    defer { offset = bytes.count }
    return RawBytes(rebasing: bytes[offset...])
  }

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
  public mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
