// Reading values.

/// `08` — Read By Type Request: the values of all attributes of a type in a range.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | first handle |
/// | 3 | 2 | last handle |
/// | 5 | 2 or 16 | type |
struct ATTReadByTypeRequest: ATTPDU {
  static let opcode = ATTOpcode.readByTypeRequest
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

/// `09` — Read By Type Response.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 1 | length of an entry, at least 2 |
/// | 2 | n × length | handle u16, value (cut to the PDU and to 253 bytes) |
struct ATTReadByTypeResponse: ATTPDU {
  static let opcode = ATTOpcode.readByTypeResponse
  let entries: ATTEntries

  /// Entries must be 2 to 255 bytes long.
  init(entries: ATTEntries) { self.entries = entries }

  init?(parameters reader: inout ByteReader) {
    guard let length = reader.u8(), let entries = ATTEntries(reader.rest(), entryLength: Int(length), minimum: 2) else {
      return nil
    }
    self.entries = entries
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(UInt8(truncatingIfNeeded: entries.entryLength))
    bytes.append(contentsOf: entries.bytes)
  }
}

/// `0A` — Read Request.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | handle |
struct ATTReadRequest: ATTPDU {
  static let opcode = ATTOpcode.readRequest
  let handle: UInt16

  init(handle: UInt16) { self.handle = handle }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16() else { return nil }
    self.handle = handle
  }

  func appendParameters(to bytes: inout [UInt8]) { bytes.append(littleEndian: handle) }
}

/// `0B` — Read Response.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | n | value; exactly MTU − 1 bytes mean that there may be more |
struct ATTReadResponse: ATTPDU {
  static let opcode = ATTOpcode.readResponse
  let value: RawBytes

  init(value: RawBytes) { self.value = value }
  init?(parameters reader: inout ByteReader) { value = reader.rest() }
  func appendParameters(to bytes: inout [UInt8]) { bytes.append(contentsOf: value) }
}

/// `0C` — Read Blob Request: the rest of a long value from an offset.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | handle |
/// | 3 | 2 | offset |
struct ATTReadBlobRequest: ATTPDU {
  static let opcode = ATTOpcode.readBlobRequest
  let handle: UInt16
  let offset: UInt16

  init(handle: UInt16, offset: UInt16) {
    self.handle = handle
    self.offset = offset
  }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16(), let offset = reader.u16() else { return nil }
    self.init(handle: handle, offset: offset)
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(littleEndian: offset)
  }
}

/// `0D` — Read Blob Response. Layout as Read Response.
struct ATTReadBlobResponse: ATTPDU {
  static let opcode = ATTOpcode.readBlobResponse
  let value: RawBytes

  init(value: RawBytes) { self.value = value }
  init?(parameters reader: inout ByteReader) { value = reader.rest() }
  func appendParameters(to bytes: inout [UInt8]) { bytes.append(contentsOf: value) }
}

/// `0E` — Read Multiple Request.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | n × 2 | two handles or more |
struct ATTReadMultipleRequest: ATTPDU {
  static let opcode = ATTOpcode.readMultipleRequest
  let handles: [UInt16]

  init(handles: [UInt16]) { self.handles = handles }

  init?(parameters reader: inout ByteReader) {
    guard let handles = reader.handles() else { return nil }
    self.handles = handles
  }

  func appendParameters(to bytes: inout [UInt8]) {
    for handle in handles { bytes.append(littleEndian: handle) }
  }
}

/// `0F` — Read Multiple Response: the values one after another, without separators. The client must know their lengths.
struct ATTReadMultipleResponse: ATTPDU {
  static let opcode = ATTOpcode.readMultipleResponse
  let values: RawBytes

  init(values: RawBytes) { self.values = values }
  init?(parameters reader: inout ByteReader) { values = reader.rest() }
  func appendParameters(to bytes: inout [UInt8]) { bytes.append(contentsOf: values) }
}

/// `20` — Read Multiple Variable Request. Layout as Read Multiple Request.
struct ATTReadMultipleVariableRequest: ATTPDU {
  static let opcode = ATTOpcode.readMultipleVariableRequest
  let handles: [UInt16]

  init(handles: [UInt16]) { self.handles = handles }

  init?(parameters reader: inout ByteReader) {
    guard let handles = reader.handles() else { return nil }
    self.handles = handles
  }

  func appendParameters(to bytes: inout [UInt8]) {
    for handle in handles { bytes.append(littleEndian: handle) }
  }
}

/// `21` — Read Multiple Variable Response.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | … | length u16, value; the last value may be cut by the PDU, its length is still that of the whole value |
struct ATTReadMultipleVariableResponse: ATTPDU {
  static let opcode = ATTOpcode.readMultipleVariableResponse
  let list: RawBytes

  init(list: RawBytes) { self.list = list }
  init?(parameters reader: inout ByteReader) { list = reader.rest() }
  func appendParameters(to bytes: inout [UInt8]) { bytes.append(contentsOf: list) }
}

extension ByteReader {
  /// Two handles or more that fill the rest of a PDU.
  fileprivate mutating func handles() -> [UInt16]? {
    guard remaining >= 4, remaining % 2 == 0 else { return nil }
    var handles: [UInt16] = []
    handles.reserveCapacity(remaining / 2)
    while let handle = u16() { handles.append(handle) }
    return handles
  }
}
