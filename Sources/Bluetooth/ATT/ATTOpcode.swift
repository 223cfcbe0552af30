// What kinds of PDU there are, and which answers which.

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

/// Who speaks a PDU, and what the other side owes it.
enum ATTRole: Equatable {
  /// A client asks; the server owes one response within 30 s.
  case request
  /// A server answers.
  case response
  /// A client tells; nobody answers.
  case command
  /// A server tells; nobody answers.
  case notification
  /// A server tells; the client owes a confirmation.
  case indication
  case confirmation

  /// The role of any first byte, assigned or not, as far as its bits tell it: commands by bit 6, else requests are even
  /// and responses odd.
  init(of opcode: UInt8) {
    switch ATTOpcode(rawValue: opcode) {
    case .notification, .multipleNotification: self = .notification
    case .indication: self = .indication
    case .confirmation: self = .confirmation
    default: self = opcode & 0x40 != 0 ? .command : opcode & 1 == 0 ? .request : .response
    }
  }
}

/// The fixed numbers of the protocol.
public enum ATT {
  /// What holds before and without an exchange, and the smallest legal value (volume 3, part G, 5.2.1).
  public static let minimumMTU = 23
  /// What this side always states: an attribute value has at most 512 bytes, and the longest PDU around one is Prepare
  /// Write with 5 more.
  public static let maximumMTU = 517
  /// No attribute value is longer (volume 3, part F, 3.2.9).
  public static let maximumValueLength = 512
  /// A response that takes longer ends the bearer: no PDU may follow on it (volume 3, part F, 3.3.3).
  public static let transactionTimeout = Duration.seconds(30)
}
