// Records with tagged fields: the format of all small records of the store. Later versions may add fields, and older
// programs keep them.

/// | bytes | field |
/// |---|---|
/// | 1 | layout: 1 |
/// | … | fields: tag (u8), length (varint), content |
/// | 4 | CRC-32C of everything before |
public enum FieldCodec {
  /// First byte of a record.
  public static let layout: UInt8 = 1
  /// Largest record in bytes.
  public static let sizeLimit = 65_536
  /// Bytes of layout and checksum.
  public static let frame = 5

  /// Whether the bytes are a valid record of this form; the content of its fields is not checked.
  public static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard var fields = FieldReader(bytes) else { return false }
    while fields.next() != nil {}
    return fields.isWhole
  }

  /// Whether the bytes are a valid sequence of fields; their content is not checked.
  public static func areFields(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var fields = FieldReader(fields: bytes)
    while fields.next() != nil {}
    return fields.isWhole
  }

  /// The fields of a stored record with tags outside `known`, unchanged: those of a newer program. Empty for a damaged
  /// record.
  public static func unknown(in bytes: UnsafeRawBufferPointer, known: ClosedRange<UInt8>) -> [UInt8] {
    guard var fields = FieldReader(bytes) else { return [] }
    var kept: [UInt8] = []
    while let tag = fields.next() {
      if !known.contains(tag) { fields.keep(in: &kept) }
    }
    return fields.isWhole ? kept : []
  }
}

/// Writer of one record, or of fields within a field.
public struct FieldWriter {
  /// Fields written so far, without layout and checksum.
  public private(set) var fields: [UInt8] = []

  /// Creates a codec without fields.
  public init() {}

  /// Adds a field of bytes.
  public mutating func put(_ tag: UInt8, _ content: some Collection<UInt8>) {
    Self.head(tag, content.count, &fields)
    fields.append(contentsOf: content)
  }

  /// Adds a field of an integer, little-endian.
  public mutating func put<T: FixedWidthInteger>(_ tag: UInt8, _ value: T) {
    withUnsafeBytes(of: value.littleEndian) { put(tag, $0) }
  }

  /// Adds a field of UTF-8 text.
  public mutating func put(_ tag: UInt8, _ text: String) { put(tag, text.utf8) }

  /// Boolean: one byte, 0 or 1.
  public mutating func put(_ tag: UInt8, flag: Bool) { put(tag, UInt8(flag ? 1 : 0)) }

  /// Writes nested fields, with tags of their own.
  public mutating func put(_ tag: UInt8, nesting body: (inout FieldWriter) -> Void) {
    var nested = FieldWriter()
    body(&nested)
    put(tag, nested.fields)
  }

  /// Returns the whole record. Unknown fields are appended unchanged; they are left out if the record would exceed its
  /// limit.
  public consuming func finish(unknown: [UInt8] = []) -> [UInt8] {
    var bytes = [FieldCodec.layout] + fields
    if bytes.count + unknown.count + 4 <= FieldCodec.sizeLimit { bytes.append(contentsOf: unknown) }
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    withUnsafeBytes(of: crc.value.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Writes tag and length. The length is a varint: seven bits a byte, least significant group first, the top bit set
  /// on all but the last.
  fileprivate static func head(_ tag: UInt8, _ count: Int, _ bytes: inout [UInt8]) {
    bytes.append(tag)
    var rest = UInt64(count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Iterates over the fields of one record, whatever the bytes are.
///
///     while let tag = fields.next() {
///       switch tag {
///       case 1: fields.read(&name, atMost: 64)
///       default: break
///       }
///     }
///     guard fields.isWhole, let name else { return nil }
public struct FieldReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  private var tag: UInt8 = 0
  /// Content of the current field. Valid as long as the bytes of the record are.
  public private(set) var content = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether all fields so far were valid. To be checked after `next` has returned nil.
  public private(set) var isWhole = true

  /// nil if the bytes are no undamaged record of this layout.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= FieldCodec.frame, bytes.count <= FieldCodec.sizeLimit else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    var crc = CRC32C()
    crc.update(checked)
    guard UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: checked.count, as: UInt32.self)) == crc.value else {
      return nil
    }
    guard checked.first == FieldCodec.layout else { return nil }
    self.bytes = UnsafeRawBufferPointer(rebasing: checked.dropFirst())
  }

  /// Reads a sequence of fields without layout and checksum.
  public init(fields: UnsafeRawBufferPointer) { bytes = fields }

  /// Advances to the next field and returns its tag; nil at the end, and at invalid bytes.
  public mutating func next() -> UInt8? {
    if offset >= bytes.count || !isWhole { return nil }
    tag = bytes[offset]
    offset += 1
    guard let length = varint().flatMap({ Int(exactly: $0) }), bytes.count - offset >= length else {
      isWhole = false
      return nil
    }
    content = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
    offset += length
    return tag
  }

  /// Reads a varint of at most ten bytes and 64 bits.
  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// Marks this field as invalid for its tag: the record is damaged.
  public mutating func refuse() { isWhole = false }

  /// Reads a number of exactly its size.
  public mutating func read<T: FixedWidthInteger>(_ value: inout T?) {
    guard content.count == MemoryLayout<T>.size else { return refuse() }
    value = T(littleEndian: content.loadUnaligned(as: T.self))
  }

  /// Boolean: one byte, 0 or 1.
  public mutating func read(_ flag: inout Bool?) {
    guard content.count == 1, content[0] <= 1 else { return refuse() }
    flag = content[0] == 1
  }

  /// Reads valid UTF-8 of at most `limit` bytes.
  public mutating func read(_ text: inout String?, atMost limit: Int) {
    guard content.count <= limit, let sound = String(validating: content, as: UTF8.self) else { return refuse() }
    text = sound
  }

  /// Reads bytes; a longer field makes the record invalid.
  public mutating func read(_ bytes: inout [UInt8]?, atMost limit: Int) {
    guard content.count <= limit else { return refuse() }
    bytes = Array(content)
  }

  /// Nested fields of this field. The caller marks invalid ones with `refuse`.
  public var nested: FieldReader { FieldReader(fields: content) }

  /// Appends this field unchanged.
  public func keep(in bytes: inout [UInt8]) {
    FieldWriter.head(tag, content.count, &bytes)
    bytes.append(contentsOf: content)
  }
}

extension String {
  /// Prefix of at most `limit` bytes of UTF-8, cut between scalars.
  public func cut(toUTF8 limit: Int) -> String {
    if utf8.count <= limit { return self }
    var kept = String.UnicodeScalarView()
    var size = 0
    for scalar in unicodeScalars {
      size += UTF8.width(scalar)
      if size > limit { break }
      kept.append(scalar)
    }
    return String(kept)
  }
}
