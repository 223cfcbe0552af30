// Reading and writing of stored bytes: a cursor with bounds checks, and variable-length integers.

/// A little-endian cursor that cannot leave its bytes. Every read returns a value or nil: a card may return any bytes.
struct StoredReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset >= bytes.count }

  @inline(__always)
  mutating func u8() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func integer<T: FixedWidthInteger>(_: T.Type) -> T? {
    guard bytes.count - offset >= MemoryLayout<T>.size else { return nil }
    defer { offset += MemoryLayout<T>.size }
    return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, bytes.count - offset >= count else { return nil }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
  }

  /// The remaining bytes as text.
  mutating func rest() -> String? { text(bytes.count - offset) }

  mutating func text(_ count: Int) -> String? { take(count).map { String(decoding: $0, as: UTF8.self) } }

  /// Seven bits a byte, least significant first, at most ten bytes and 64 bits.
  @inline(__always)
  mutating func varint() -> UInt64? {
    guard let first = u8() else { return nil }
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while let byte = u8() {
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }

  /// Small magnitudes of either sign in few bytes: 0, -1, 1, -2 … are 0, 1, 2, 3 …
  @inline(__always)
  mutating func zigzag() -> Int64? {
    guard let raw = varint() else { return nil }
    return unzigzag(raw)
  }
}

/// Writes a varint at `offset`; returns the offset behind it. The caller has room for ten bytes.
@inline(__always)
func putVarint(_ value: UInt64, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int {
  var value = value
  var offset = offset
  while value >= 0x80 {
    bytes[offset] = UInt8(truncatingIfNeeded: value) | 0x80
    value >>= 7
    offset += 1
  }
  bytes[offset] = UInt8(truncatingIfNeeded: value)
  return offset + 1
}

@inline(__always)
func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

@inline(__always)
func unzigzag(_ raw: UInt64) -> Int64 { Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1) }

/// Bytes of a varint, 1 to 10.
@inline(__always)
func varintSize(_ value: UInt64) -> Int { (70 - (value | 1).leadingZeroBitCount) / 7 }

extension UnsafeMutableRawBufferPointer {
  @inline(__always)
  func store<T: FixedWidthInteger>(_ value: T, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }
}

extension Array where Element == UInt8 {
  mutating func append<T: FixedWidthInteger>(littleEndian value: T) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  mutating func append(varint value: UInt64) {
    var value = value
    while value >= 0x80 {
      append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    append(UInt8(truncatingIfNeeded: value))
  }
}

// Keys are big-endian, so that their order is that of the numbers.

extension Array where Element == UInt8 {
  mutating func append<T: FixedWidthInteger>(bigEndian value: T) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  init<T: FixedWidthInteger>(bigEndian value: T) {
    self.init()
    append(bigEndian: value)
  }
}

extension StoredReader {
  mutating func bigEndian<T: FixedWidthInteger>(_: T.Type) -> T? { integer(T.self)?.byteSwapped }
}
