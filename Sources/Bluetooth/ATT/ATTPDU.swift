// Encoding and decoding of PDUs. The structures themselves are in the files beside this one, grouped by procedure.

/// ATT PDU as a structure (Core specification, volume 3, part F, 3.4).
///
/// Values inside are borrowed: a decoded structure is valid only as long as the bytes it was read from. All integers
/// are little-endian. A correct server never uses handle 0, but this code does not rely on it.
protocol ATTPDU {
  static var opcode: ATTOpcode { get }
  /// Reads the parameters after the opcode. Nil if they are too short or inconsistent. The caller checks that no bytes
  /// remain.
  init?(parameters: inout ByteReader)
  /// Appends the parameters after the opcode.
  func appendParameters(to bytes: inout [UInt8])
}

extension ATTPDU {
  /// Reads a whole PDU. Nil if it is of another type, too short, too long, or inconsistent.
  init?(_ pdu: RawBytes) {
    var reader = ByteReader(pdu)
    guard reader.u8() == Self.opcode.rawValue else { return nil }
    self.init(parameters: &reader)
    guard reader.isAtEnd else { return nil }
  }

  /// Bytes of the PDU, from opcode to last parameter.
  var bytes: [UInt8] {
    var bytes = [Self.opcode.rawValue]
    appendParameters(to: &bytes)
    return bytes
  }
}

/// List of at least one entry, all of the same length, as in most discovery responses.
struct ATTEntries {
  let entryLength: Int
  let bytes: RawBytes

  /// Nil if the bytes are not a positive number of whole entries, or an entry is shorter than `minimum`.
  init?(_ bytes: RawBytes, entryLength: Int, minimum: Int) {
    guard entryLength >= minimum, entryLength > 0, !bytes.isEmpty, bytes.count % entryLength == 0 else { return nil }
    self.entryLength = entryLength
    self.bytes = bytes
  }

  var count: Int { bytes.count / entryLength }

  /// A cursor over entry `index`, which must be less than `count`.
  subscript(index: Int) -> ByteReader {
    ByteReader(RawBytes(rebasing: bytes[index * entryLength..<(index + 1) * entryLength]))
  }
}

/// `01` — Error Response.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 1 | opcode of the refused request |
/// | 2 | 2 | handle the error is about; 0 if none |
/// | 4 | 1 | error code |
struct ATTErrorResponse: ATTPDU {
  static let opcode = ATTOpcode.errorResponse
  let request: UInt8
  let handle: UInt16
  let code: ATTErrorCode

  init(request: UInt8, handle: UInt16, code: ATTErrorCode) {
    self.request = request
    self.handle = handle
    self.code = code
  }

  init?(parameters reader: inout ByteReader) {
    guard let request = reader.u8(), let handle = reader.u16(), let code = reader.u8() else { return nil }
    self.init(request: request, handle: handle, code: ATTErrorCode(rawValue: code))
  }

  func appendParameters(to bytes: inout [UInt8]) {
    bytes.append(request)
    bytes.append(littleEndian: handle)
    bytes.append(code.rawValue)
  }
}

/// `02` — Exchange MTU Request: the largest PDU that the client accepts.
///
/// | offset | size | field |
/// |---|---|---|
/// | 1 | 2 | MTU of the client, at least 23 |
struct ATTExchangeMTURequest: ATTPDU {
  static let opcode = ATTOpcode.exchangeMTURequest
  let mtu: UInt16

  init(mtu: UInt16) { self.mtu = mtu }

  init?(parameters reader: inout ByteReader) {
    guard let mtu = reader.u16() else { return nil }
    self.mtu = mtu
  }

  func appendParameters(to bytes: inout [UInt8]) { bytes.append(littleEndian: mtu) }
}

/// `03` — Exchange MTU Response: the largest PDU that the server accepts. Same layout as the request.
struct ATTExchangeMTUResponse: ATTPDU {
  static let opcode = ATTOpcode.exchangeMTUResponse
  let mtu: UInt16

  init(mtu: UInt16) { self.mtu = mtu }

  init?(parameters reader: inout ByteReader) {
    guard let mtu = reader.u16() else { return nil }
    self.mtu = mtu
  }

  func appendParameters(to bytes: inout [UInt8]) { bytes.append(littleEndian: mtu) }
}
