// Records with fields: the one form of everything small in the store, so that later versions may add fields and older ones keep them.

/// | bytes | field |
/// |---|---|
/// | 1 | layout: 1 |
/// | … | fields: tag (u8), length (varint), content |
/// | 4 | CRC-32C of everything before |
enum FieldCodec {
  static let layout: UInt8 = 1
  /// Of a whole record, in bytes.
  static let sizeLimit = 65_536
  /// Layout and checksum.
  static let frame = 5

  /// Whether the bytes are a record of this form, whatever its fields mean.
  static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard var fields = FieldReader(bytes) else { return false }
    while fields.next() != nil {}
    return fields.isWhole
  }

  /// The fields of a stored record whose tags are not among `known`, as they lie there: what a newer program wrote. Empty for a damaged one.
  static func unknown(in bytes: UnsafeRawBufferPointer, known: ClosedRange<UInt8>) -> [UInt8] {
    guard var fields = FieldReader(bytes) else { return [] }
    var kept: [UInt8] = []
    while let tag = fields.next() {
      if !known.contains(tag) { fields.keep(in: &kept) }
    }
    return fields.isWhole ? kept : []
  }
}

/// Writes one record.
struct FieldWriter {
  private var bytes: [UInt8] = [FieldCodec.layout]

  mutating func put(_ tag: UInt8, _ content: some Collection<UInt8>) {
    bytes.append(tag)
    bytes.append(varint: UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  mutating func put<T: FixedWidthInteger>(_ tag: UInt8, _ value: T) {
    withUnsafeBytes(of: value.littleEndian) { put(tag, $0) }
  }

  mutating func put(_ tag: UInt8, _ text: String) { put(tag, text.utf8) }

  /// The whole record. Fields that were not understood follow the others as they came; they stay away where the record would pass its limit.
  consuming func finish(unknown: [UInt8] = []) -> [UInt8] {
    if bytes.count + unknown.count + 4 <= FieldCodec.sizeLimit { bytes.append(contentsOf: unknown) }
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    bytes.append(littleEndian: crc.value)
    return bytes
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
struct FieldReader {
  private var reader: StoredReader
  private var tag: UInt8 = 0
  /// The content of the field that `next` came to.
  private(set) var content = UnsafeRawBufferPointer(start: nil, count: 0)
  /// No field so far was of a wrong form. Asked when `next` has given nil.
  private(set) var isWhole = true

  /// nil if the bytes are not an undamaged record of this layout.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= FieldCodec.frame, bytes.count <= FieldCodec.sizeLimit else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    var crc = CRC32C()
    crc.update(checked)
    guard UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: checked.count, as: UInt32.self)) == crc.value else { return nil }
    reader = StoredReader(checked)
    guard reader.u8() == FieldCodec.layout else { return nil }
  }

  /// Goes to the next field and gives its tag; nil at the end, and where the bytes make no sense.
  mutating func next() -> UInt8? {
    if reader.isAtEnd || !isWhole { return nil }
    guard let tag = reader.u8(), let length = reader.varint(), let length = Int(exactly: length), let content = reader.take(length) else {
      isWhole = false
      return nil
    }
    self.tag = tag
    self.content = content
    return tag
  }

  /// Says that this field is not what its tag promises: the record is damaged.
  mutating func refuse() { isWhole = false }

  /// A number of exactly its size.
  mutating func read<T: FixedWidthInteger>(_ value: inout T?) {
    guard content.count == MemoryLayout<T>.size else { return refuse() }
    value = T(littleEndian: content.loadUnaligned(as: T.self))
  }

  /// Sound UTF-8 of at most `limit` bytes.
  mutating func read(_ text: inout String?, atMost limit: Int) {
    guard content.count <= limit, let sound = String(validating: content, as: UTF8.self) else { return refuse() }
    text = sound
  }

  mutating func read(_ bytes: inout [UInt8]?, atMost limit: Int) {
    guard content.count <= limit else { return refuse() }
    bytes = Array(content)
  }

  /// Appends this field as it lies there.
  func keep(in bytes: inout [UInt8]) {
    bytes.append(tag)
    bytes.append(varint: UInt64(content.count))
    bytes.append(contentsOf: content)
  }
}
