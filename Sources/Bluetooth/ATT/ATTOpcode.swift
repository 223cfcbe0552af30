// PDU types, and which type is the response to which.

/// The first byte of every ATT PDU (Core specification, volume 3, part F, 3.4.8).
///
/// Bit 6 marks a command (never answered), bit 7 an authentication signature; the rest is the method.
public enum ATTOpcode: UInt8, Sendable, Hashable, CaseIterable {
  case errorResponse = 0x01
  case exchangeMTURequest = 0x02
  case exchangeMTUResponse = 0x03
  case findInformationRequest = 0x04
  case findInformationResponse = 0x05
  case findByTypeValueRequest = 0x06
  case findByTypeValueResponse = 0x07
  case readByTypeRequest = 0x08
  case readByTypeResponse = 0x09
  case readRequest = 0x0A
  case readResponse = 0x0B
  case readBlobRequest = 0x0C
  case readBlobResponse = 0x0D
  case readMultipleRequest = 0x0E
  case readMultipleResponse = 0x0F
  case readByGroupTypeRequest = 0x10
  case readByGroupTypeResponse = 0x11
  case writeRequest = 0x12
  case writeResponse = 0x13
  case prepareWriteRequest = 0x16
  case prepareWriteResponse = 0x17
  case executeWriteRequest = 0x18
  case executeWriteResponse = 0x19
  case notification = 0x1B
  case indication = 0x1D
  case confirmation = 0x1E
  case readMultipleVariableRequest = 0x20
  case readMultipleVariableResponse = 0x21
  case multipleNotification = 0x23
  case writeCommand = 0x52
  case signedWriteCommand = 0xD2
}

/// Side that sends a PDU, and what the other side must reply.
enum ATTRole: Equatable {
  /// Sent by a client; the server must send one response within 30 s.
  case request
  /// Sent by a server in reply to a request.
  case response
  /// Sent by a client, without a reply.
  case command
  /// Sent by a server, without a reply.
  case notification
  /// Sent by a server; the client must send a confirmation.
  case indication
  case confirmation

  /// The role of any first byte, assigned or not, as far as its bits show it. Bit 6 marks commands; of the rest,
  /// requests are even and responses odd.
  init(of opcode: UInt8) {
    switch ATTOpcode(rawValue: opcode) {
    case .notification, .multipleNotification: self = .notification
    case .indication: self = .indication
    case .confirmation: self = .confirmation
    default: self = opcode & 0x40 != 0 ? .command : opcode & 1 == 0 ? .request : .response
    }
  }
}

/// Constants of the protocol.
public enum ATT {
  /// MTU without an exchange, and the smallest legal value (volume 3, part G, 5.2.1).
  public static let minimumMTU = 23
  /// MTU that this side always states: an attribute value has at most 512 bytes, and the longest PDU around one,
  /// Prepare Write, adds 5.
  public static let maximumMTU = 517
  /// Longest attribute value (volume 3, part F, 3.2.9).
  public static let maximumValueLength = 512
  /// Longest time for a response. Afterwards the bearer has ended: no PDU may follow on it (volume 3, part F, 3.3.3).
  public static let transactionTimeout = Duration.seconds(30)
}
