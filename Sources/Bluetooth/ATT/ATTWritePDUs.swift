// Writing values, at once or in prepared parts.

/// `12` — Write Request.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | handle |
/// | 3 | n | value, at most MTU − 3 |
struct ATTWriteRequest: ATTPDU {
  static let opcode = ATTOpcode.writeRequest
  let handle: UInt16
  let value: RawBytes

  init(handle: UInt16, value: RawBytes) {
    self.handle = handle
    self.value = value
  }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16() else { return nil }
    self.init(handle: handle, value: reader.rest())
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(contentsOf: value)
  }
}

/// `13` — Write Response: only the opcode.
struct ATTWriteResponse: ATTPDU {
  static let opcode = ATTOpcode.writeResponse
  init() {}
  init?(parameters reader: inout ByteReader) {}
  func appendParameters(to bytes: inout [UInt8]) {}
}

/// `52` — Write Command: as Write Request, but without a response.
struct ATTWriteCommand: ATTPDU {
  static let opcode = ATTOpcode.writeCommand
  let handle: UInt16
  let value: RawBytes

  init(handle: UInt16, value: RawBytes) {
    self.handle = handle
    self.value = value
  }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16() else { return nil }
    self.init(handle: handle, value: reader.rest())
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(contentsOf: value)
  }
}

/// `16` — Prepare Write Request: one part of a long value, to be written by Execute Write.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | handle |
/// | 3 | 2 | offset of the part |
/// | 5 | n | part, at most MTU − 5 |
struct ATTPrepareWriteRequest: ATTPDU {
  static let opcode = ATTOpcode.prepareWriteRequest
  let handle: UInt16
  let offset: UInt16
  let part: RawBytes

  init(handle: UInt16, offset: UInt16, part: RawBytes) {
    self.handle = handle
    self.offset = offset
    self.part = part
  }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16(), let offset = reader.u16() else { return nil }
    self.init(handle: handle, offset: offset, part: reader.rest())
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(littleEndian: offset)
    bytes.append(contentsOf: part)
  }
}

/// `17` — Prepare Write Response: the request's parameters again, so that the client can compare them.
struct ATTPrepareWriteResponse: ATTPDU {
  static let opcode = ATTOpcode.prepareWriteResponse
  let handle: UInt16
  let offset: UInt16
  let part: RawBytes

  init(handle: UInt16, offset: UInt16, part: RawBytes) {
    self.handle = handle
    self.offset = offset
    self.part = part
  }

  init?(parameters reader: inout ByteReader) {
    guard let handle = reader.u16(), let offset = reader.u16() else { return nil }
    self.init(handle: handle, offset: offset, part: reader.rest())
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: handle)
    bytes.append(littleEndian: offset)
    bytes.append(contentsOf: part)
  }
}

/// `18` — Execute Write Request.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 1 | 0: forget the prepared parts; 1: write them |
struct ATTExecuteWriteRequest: ATTPDU {
  static let opcode = ATTOpcode.executeWriteRequest
  let flags: UInt8

  init(flags: UInt8) { self.flags = flags }

  init?(parameters reader: inout ByteReader) {
    guard let flags = reader.u8() else { return nil }
    self.flags = flags
  }

  func appendParameters(to bytes: inout [UInt8]) { bytes.append(flags) }
}

/// `19` — Execute Write Response: only the opcode.
struct ATTExecuteWriteResponse: ATTPDU {
  static let opcode = ATTOpcode.executeWriteResponse
  init() {}
  init?(parameters reader: inout ByteReader) {}
  func appendParameters(to bytes: inout [UInt8]) {}
}
