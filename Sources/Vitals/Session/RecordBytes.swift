// Encoding of a record's numbers and texts. The reader never traps, whatever the bytes are.

/// Appends numbers and texts, and fields of them.
struct RecordWriter {
  private(set) var bytes: [UInt8] = []

  /// Seven bits a byte, the least significant first; the top bit set on all but the last.
  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Zig-zag: 0, −1, 1, −2 are 0, 1, 2, 3.
  mutating func signed(_ value: Int64) { number(UInt64(bitPattern: value << 1 ^ value >> 63)) }

  /// Eight bytes, IEEE 754, little-endian.
  mutating func real(_ value: Double) {
    for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(8 * place))) }
  }

  /// Length and UTF-8.
  mutating func text(_ value: String) {
    number(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  /// Tag, length and content.
  mutating func field(_ tag: UInt8, _ content: (inout RecordWriter) -> Void) {
    var inner = RecordWriter()
    content(&inner)
    bytes.append(tag)
    number(UInt64(inner.bytes.count))
    bytes.append(contentsOf: inner.bytes)
  }
}

/// Reads untrusted bytes.
struct RecordReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  var isAtEnd: Bool { place >= bytes.endIndex }

  mutating func byte() throws(RecordDefect) -> UInt8 {
    guard place < bytes.endIndex else { throw .truncated }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func number() throws(RecordDefect) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      let next = try byte()
      // Only one bit of the tenth byte is left.
      guard shift < 63 || next <= 1 else { throw .number }
      value |= UInt64(next & 0x7F) << UInt64(shift)
      if next & 0x80 == 0 {
        // Each number has exactly one encoding, so that equal records have equal bytes.
        guard next != 0 || shift == 0 else { throw .number }
        return value
      }
    }
    throw .number
  }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type) throws(RecordDefect) -> Number {
    guard let value = Number(exactly: try number()) else { throw .number }
    return value
  }

  mutating func signed() throws(RecordDefect) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// Reads a real number, which must be finite.
  mutating func real() throws(RecordDefect) -> Double {
    var pattern: UInt64 = 0
    for place in 0..<8 { pattern |= UInt64(try byte()) << UInt64(8 * place) }
    let value = Double(bitPattern: pattern)
    guard value.isFinite else { throw .number }
    return value
  }

  mutating func text(atMost limit: Int) throws(RecordDefect) -> String {
    let content = try run()
    guard content.count <= limit, let text = String(validating: content, as: UTF8.self) else { throw .text }
    return text
  }

  /// Tag and content of the next field; nil at the end.
  mutating func field() throws(RecordDefect) -> (tag: UInt8, content: RecordReader)? {
    guard !isAtEnd else { return nil }
    let tag = try byte()
    return (tag, RecordReader(try run()))
  }

  private mutating func run() throws(RecordDefect) -> ArraySlice<UInt8> {
    let length = try number()
    guard length <= UInt64(bytes.endIndex - place) else { throw .truncated }
    let end = place + Int(length)
    defer { place = end }
    return bytes[place..<end]
  }
}
