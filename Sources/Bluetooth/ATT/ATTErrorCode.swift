// Error codes with which an ATT server refuses a request.

import EventLoop

/// The last byte of an Error Response (Core specification, volume 3, part F, 3.4.1.1; 0xFC to 0xFF: Core Specification
/// Supplement, part B). Any byte is a code; the assigned ones have names.
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }
  private init(_ value: UInt8) { rawValue = value }

  public static let invalidHandle = ATTErrorCode(0x01)
  public static let readNotPermitted = ATTErrorCode(0x02)
  public static let writeNotPermitted = ATTErrorCode(0x03)
  public static let invalidPDU = ATTErrorCode(0x04)
  public static let insufficientAuthentication = ATTErrorCode(0x05)
  public static let requestNotSupported = ATTErrorCode(0x06)
  public static let invalidOffset = ATTErrorCode(0x07)
  public static let insufficientAuthorization = ATTErrorCode(0x08)
  public static let prepareQueueFull = ATTErrorCode(0x09)
  public static let attributeNotFound = ATTErrorCode(0x0A)
  public static let attributeNotLong = ATTErrorCode(0x0B)
  public static let encryptionKeyTooShort = ATTErrorCode(0x0C)
  public static let invalidValueLength = ATTErrorCode(0x0D)
  public static let unlikelyError = ATTErrorCode(0x0E)
  public static let insufficientEncryption = ATTErrorCode(0x0F)
  public static let unsupportedGroupType = ATTErrorCode(0x10)
  public static let insufficientResources = ATTErrorCode(0x11)
  public static let databaseOutOfSync = ATTErrorCode(0x12)
  public static let valueNotAllowed = ATTErrorCode(0x13)
  public static let writeRequestRejected = ATTErrorCode(0xFC)
  public static let descriptorImproperlyConfigured = ATTErrorCode(0xFD)
  public static let procedureAlreadyInProgress = ATTErrorCode(0xFE)
  public static let outOfRange = ATTErrorCode(0xFF)

  /// For example `invalid handle (0x01)`, `application error (0x80)`.
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
