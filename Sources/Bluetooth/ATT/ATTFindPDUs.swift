// Finding attributes: by handle range, by type and value, by group.

/// `04` — Find Information Request: the attributes of a handle range.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | first handle |
/// | 3 | 2 | last handle |
struct ATTFindInformationRequest: ATTPDU {
  static let opcode = ATTOpcode.findInformationRequest
  let start: UInt16
  let end: UInt16

  init(start: UInt16, end: UInt16) {
    self.start = start
    self.end = end
  }

  init?(parameters reader: inout ByteReader) {
    guard let start = reader.u16(), let end = reader.u16() else { return nil }
    self.init(start: start, end: end)
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: start)
    bytes.append(littleEndian: end)
  }
}

/// `05` — Find Information Response.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 1 | format: 1 for 16-bit types, 2 for 128-bit types |
/// | 2 | n × 4 or n × 18 | handle u16, type |
struct ATTFindInformationResponse: ATTPDU {
  static let opcode = ATTOpcode.findInformationResponse
  let entries: ATTEntries

  /// `entries` must be 4 or 18 bytes each.
  init(entries: ATTEntries) { self.entries = entries }

  init?(parameters reader: inout ByteReader) {
    guard let format = reader.u8(), format == 1 || format == 2,
      let entries = ATTEntries(reader.rest(), entryLength: format == 1 ? 4 : 18, minimum: 4)
    else { return nil }
    self.entries = entries
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(entries.entryLength == 4 ? 1 : 2)
    bytes.append(contentsOf: entries.bytes)
  }
}

/// `06` — Find By Type Value Request: attributes of a 16-bit type that have exactly this value.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | first handle |
/// | 3 | 2 | last handle |
/// | 5 | 2 | type, always 16 bits |
/// | 7 | n | value, at most MTU − 7 |
struct ATTFindByTypeValueRequest: ATTPDU {
  static let opcode = ATTOpcode.findByTypeValueRequest
  let start: UInt16
  let end: UInt16
  let type: UInt16
  let value: RawBytes

  init(start: UInt16, end: UInt16, type: UInt16, value: RawBytes) {
    self.start = start
    self.end = end
    self.type = type
    self.value = value
  }

  init?(parameters reader: inout ByteReader) {
    guard let start = reader.u16(), let end = reader.u16(), let type = reader.u16() else { return nil }
    self.init(start: start, end: end, type: type, value: reader.rest())
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: start)
    bytes.append(littleEndian: end)
    bytes.append(littleEndian: type)
    bytes.append(contentsOf: value)
  }
}

/// `07` — Find By Type Value Response.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | n × 4 | found handle u16, last handle of its group u16 |
struct ATTFindByTypeValueResponse: ATTPDU {
  static let opcode = ATTOpcode.findByTypeValueResponse
  let entries: ATTEntries

  /// `entries` must be 4 bytes each.
  init(entries: ATTEntries) { self.entries = entries }

  init?(parameters reader: inout ByteReader) {
    guard let entries = ATTEntries(reader.rest(), entryLength: 4, minimum: 4) else { return nil }
    self.entries = entries
  }

  func appendParameters(to bytes: inout [UInt8]) { bytes.append(contentsOf: entries.bytes) }
}

/// `10` — Read By Group Type Request: the groups (services) of a range with their values. Layout as Read By Type
/// Request.
struct ATTReadByGroupTypeRequest: ATTPDU {
  static let opcode = ATTOpcode.readByGroupTypeRequest
  let start: UInt16
  let end: UInt16
  let type: BluetoothUUID

  init(start: UInt16, end: UInt16, type: BluetoothUUID) {
    self.start = start
    self.end = end
    self.type = type
  }

  init?(parameters reader: inout ByteReader) {
    guard let start = reader.u16(), let end = reader.u16(), let type = reader.attributeType() else { return nil }
    self.init(start: start, end: end, type: type)
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: start)
    bytes.append(littleEndian: end)
    bytes.append(contentsOf: type.wireBytes)
  }
}

/// `11` — Read By Group Type Response.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 1 | length of an entry, at least 4 |
/// | 2 | n × length | first handle u16, last handle u16, value |
struct ATTReadByGroupTypeResponse: ATTPDU {
  static let opcode = ATTOpcode.readByGroupTypeResponse
  let entries: ATTEntries

  /// Entries must be 4 to 255 bytes long.
  init(entries: ATTEntries) { self.entries = entries }

  init?(parameters reader: inout ByteReader) {
    guard let length = reader.u8(), let entries = ATTEntries(reader.rest(), entryLength: Int(length), minimum: 4) else {
      return nil
    }
    self.entries = entries
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: entries.entryLength))
    bytes.append(contentsOf: entries.bytes)
  }
}

extension ByteReader {
  /// An attribute type that fills the rest of a PDU: 2 or 16 bytes.
  mutating func attributeType() -> BluetoothUUID? {
    guard remaining == 2 || remaining == 16 else { return nil }
    return BluetoothUUID(wire: rest())
  }
}
