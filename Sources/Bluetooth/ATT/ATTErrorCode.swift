// Error codes with which an ATT server refuses a request.

import EventLoop

/// The last byte of an Error Response (Core specification, volume 3, part F, 3.4.1.1; 0xFC to 0xFF: Core Specification
/// Supplement, part B). Any byte is a code; the assigned ones have names.
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
  private init(_ value: UInt8) { rawValue = value }

  /// 0x01: the handle does not exist.
  public static let invalidHandle = ATTErrorCode(0x01)
  /// 0x02: the attribute cannot be read.
  public static let readNotPermitted = ATTErrorCode(0x02)
  /// 0x03: the attribute cannot be written.
  public static let writeNotPermitted = ATTErrorCode(0x03)
  /// 0x04: the PDU is malformed.
  public static let invalidPDU = ATTErrorCode(0x04)
  /// 0x05: the link is not authenticated.
  public static let insufficientAuthentication = ATTErrorCode(0x05)
  /// 0x06: the server does not support the request.
  public static let requestNotSupported = ATTErrorCode(0x06)
  /// 0x07: the offset is beyond the end of the value.
  public static let invalidOffset = ATTErrorCode(0x07)
  /// 0x08: the client is not authorised.
  public static let insufficientAuthorization = ATTErrorCode(0x08)
  /// 0x09: too many prepared writes.
  public static let prepareQueueFull = ATTErrorCode(0x09)
  /// 0x0A: no attribute in the range of handles.
  public static let attributeNotFound = ATTErrorCode(0x0A)
  /// 0x0B: the value cannot be read in parts.
  public static let attributeNotLong = ATTErrorCode(0x0B)
  /// 0x0C: the encryption key is too short.
  public static let encryptionKeyTooShort = ATTErrorCode(0x0C)
  /// 0x0D: the length of the value is invalid.
  public static let invalidValueLength = ATTErrorCode(0x0D)
  /// 0x0E: an error without a code of its own.
  public static let unlikelyError = ATTErrorCode(0x0E)
  /// 0x0F: the link is not encrypted.
  public static let insufficientEncryption = ATTErrorCode(0x0F)
  /// 0x10: the type is not a grouping attribute.
  public static let unsupportedGroupType = ATTErrorCode(0x10)
  /// 0x11: the server lacks resources.
  public static let insufficientResources = ATTErrorCode(0x11)
  /// 0x12: the client's database is out of date.
  public static let databaseOutOfSync = ATTErrorCode(0x12)
  /// 0x13: the value is not allowed.
  public static let valueNotAllowed = ATTErrorCode(0x13)
  /// 0xFC: the write is refused for a reason of the application.
  public static let writeRequestRejected = ATTErrorCode(0xFC)
  /// 0xFD: the configuration descriptor does not allow the operation.
  public static let descriptorImproperlyConfigured = ATTErrorCode(0xFD)
  /// 0xFE: the procedure is already in progress.
  public static let procedureAlreadyInProgress = ATTErrorCode(0xFE)
  /// 0xFF: the value is out of its range.
  public static let outOfRange = ATTErrorCode(0xFF)

  /// Name and code, for example `invalid handle (0x01)`, `application error (0x80)`.
  public var description: String { "\(name) (0x\(hexadecimal([rawValue])))" }

  private var name: String {
    switch self {
    case .invalidHandle: "invalid handle"
    case .readNotPermitted: "read not permitted"
    case .writeNotPermitted: "write not permitted"
    case .invalidPDU: "invalid PDU"
    case .insufficientAuthentication: "insufficient authentication"
    case .requestNotSupported: "request not supported"
    case .invalidOffset: "invalid offset"
    case .insufficientAuthorization: "insufficient authorization"
    case .prepareQueueFull: "prepare queue full"
    case .attributeNotFound: "attribute not found"
    case .attributeNotLong: "attribute not long"
    case .encryptionKeyTooShort: "encryption key too short"
    case .invalidValueLength: "invalid value length"
    case .unlikelyError: "unlikely error"
    case .insufficientEncryption: "insufficient encryption"
    case .unsupportedGroupType: "unsupported group type"
    case .insufficientResources: "insufficient resources"
    case .databaseOutOfSync: "database out of sync"
    case .valueNotAllowed: "value not allowed"
    case .writeRequestRejected: "write request rejected"
    case .descriptorImproperlyConfigured: "client configuration improperly configured"
    case .procedureAlreadyInProgress: "procedure already in progress"
    case .outOfRange: "out of range"
    default:
      switch rawValue {
      case 0x80...0x9F: "application error"
      case 0xE0...0xFB: "service error"
      default: "reserved error"
      }
    }
  }
}
