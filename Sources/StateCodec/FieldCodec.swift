// Records with fields: the one form of everything small in the store, so that later versions may add fields and older
// ones keep them.

/// | bytes | field |
/// |---|---|
/// | 1 | layout: 1 |
/// | … | fields: tag (u8), length (varint), content |
/// | 4 | CRC-32C of everything before |
public enum FieldCodec {
  public static let layout: UInt8 = 1
  /// Of a whole record, in bytes.
  public static let sizeLimit = 65_536
  /// Layout and checksum.
  public static let frame = 5

  /// Whether the bytes are a record of this form, whatever its fields mean.
  public static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard var fields = FieldReader(bytes) else { return false }
    while fields.next() != nil {}
    return fields.isWhole
  }

  /// Whether the bytes are fields alone, one after the other, whatever they mean.
  public static func areFields(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var fields = FieldReader(fields: bytes)
    while fields.next() != nil {}
    return fields.isWhole
  }

  /// The fields of a stored record whose tags are not among `known`, as they lie there: what a newer program wrote.
  /// Empty for a damaged one.
  public static func unknown(in bytes: UnsafeRawBufferPointer, known: ClosedRange<UInt8>) -> [UInt8] {
    guard var fields = FieldReader(bytes) else { return [] }
    var kept: [UInt8] = []
    while let tag = fields.next() {
      if !known.contains(tag) { fields.keep(in: &kept) }
    }
    return fields.isWhole ? kept : []
  }
}

/// Writes one record, or fields within a field.
public struct FieldWriter {
  /// The fields so far, without layout and checksum.
  public private(set) var fields: [UInt8] = []

  public init() {}

  public mutating func put(_ tag: UInt8, _ content: some Collection<UInt8>) {
    Self.head(tag, content.count, &fields)
    fields.append(contentsOf: content)
  }

  public mutating func put<T: FixedWidthInteger>(_ tag: UInt8, _ value: T) {
    withUnsafeBytes(of: value.littleEndian) { put(tag, $0) }
  }

  public mutating func put(_ tag: UInt8, _ text: String) { put(tag, text.utf8) }

  /// One byte, 0 or 1.
  public mutating func put(_ tag: UInt8, flag: Bool) { put(tag, UInt8(flag ? 1 : 0)) }

  /// Several values of one thing: fields within a field, with tags of their own.
  public mutating func put(_ tag: UInt8, nesting body: (inout FieldWriter) -> Void) {
    var nested = FieldWriter()
    body(&nested)
    put(tag, nested.fields)
  }

  /// The whole record. Fields that were not understood follow the others as they came; they stay away where the record
  /// would pass its limit.
  public consuming func finish(unknown: [UInt8] = []) -> [UInt8] {
    var bytes = [FieldCodec.layout] + fields
    if bytes.count + unknown.count + 4 <= FieldCodec.sizeLimit { bytes.append(contentsOf: unknown) }
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    withUnsafeBytes(of: crc.value.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Tag and length. The length is a varint: seven bits a byte, least significant group first, the top bit set on all
  /// but the last.
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

/// Walks the fields of one record, whatever the bytes are.
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
  /// The content of the field that `next` came to. Valid as long as the bytes of the record are.
  public private(set) var content = UnsafeRawBufferPointer(start: nil, count: 0)
  /// No field so far was of a wrong form. Asked when `next` has given nil.
  public private(set) var isWhole = true

  /// nil if the bytes are not an undamaged record of this layout.
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

  /// Of fields alone, without layout and checksum.
  public init(fields: UnsafeRawBufferPointer) { bytes = fields }

  /// Goes to the next field and gives its tag; nil at the end, and where the bytes make no sense.
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

  /// At most ten bytes and 64 bits.
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

  /// Says that this field is not what its tag promises: the record is damaged.
  public mutating func refuse() { isWhole = false }

  /// A number of exactly its size.
  public mutating func read<T: FixedWidthInteger>(_ value: inout T?) {
    guard content.count == MemoryLayout<T>.size else { return refuse() }
    value = T(littleEndian: content.loadUnaligned(as: T.self))
  }

  /// One byte, 0 or 1.
  public mutating func read(_ flag: inout Bool?) {
    guard content.count == 1, content[0] <= 1 else { return refuse() }
    flag = content[0] == 1
  }

  /// Sound UTF-8 of at most `limit` bytes.
  public mutating func read(_ text: inout String?, atMost limit: Int) {
    guard content.count <= limit, let sound = String(validating: content, as: UTF8.self) else { return refuse() }
    text = sound
  }

  public mutating func read(_ bytes: inout [UInt8]?, atMost limit: Int) {
    guard content.count <= limit else { return refuse() }
    bytes = Array(content)
  }

  /// The fields within this field. Whoever walks them says with `refuse` that they are not what they should be.
  public var nested: FieldReader { FieldReader(fields: content) }

  /// Appends this field as it lies there.
  public func keep(in bytes: inout [UInt8]) {
    FieldWriter.head(tag, content.count, &bytes)
    bytes.append(contentsOf: content)
  }
}

extension String {
  /// At most `limit` bytes of UTF-8, cut between scalars.
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
