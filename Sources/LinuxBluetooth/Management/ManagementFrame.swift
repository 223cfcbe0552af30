// Frames of the kernel's Bluetooth management channel (BlueZ doc/mgmt-protocol), and its status codes.
//
//     offset  size  field, little-endian
//     0       2     code: a command's opcode, or an event's number
//     2       2     index of the controller; 0xFFFF for no controller
//     4       2     length of the parameters
//     6       n     parameters
//
// A datagram is one frame. There are no sequence numbers: a reply names its command by opcode and index.

import Bluetooth
import EventLoop

/// Frame in place; valid as long as the bytes it was read from.
struct ManagementFrame {
  /// The index of frames that concern no controller.
  static let noController: UInt16 = 0xFFFF
  static let headerSize = 6

  let code: UInt16
  let index: UInt16
  let parameters: RawBytes

  /// Nil unless the datagram is exactly one frame; the length field must match.
  init?(_ datagram: RawBytes) {
    var reader = ByteReader(datagram)
    guard let code = reader.u16(), let index = reader.u16(), let length = reader.u16(), reader.remaining == Int(length)
    else { return nil }
    self.code = code
    self.index = index
    parameters = reader.rest()
  }

  static func encode(code: UInt16, index: UInt16, parameters: [UInt8]) -> [UInt8] {
    guard parameters.count <= UInt16.max else { fatalError("management parameters of \(parameters.count) bytes") }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headerSize + parameters.count)
    bytes.append(littleEndian: code)
    bytes.append(littleEndian: index)
    bytes.append(littleEndian: UInt16(parameters.count))
    bytes.append(contentsOf: parameters)
    return bytes
  }
}

/// The status byte of a reply.
struct ManagementStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  let rawValue: UInt8
  init(rawValue: UInt8) { self.rawValue = rawValue }

  static let success = ManagementStatus(rawValue: 0x00)
  static let failed = ManagementStatus(rawValue: 0x03)
  /// Status, also the kernel's status for an HCI command that timed out (its table has no better row for ETIMEDOUT).
  static let authenticationFailed = ManagementStatus(rawValue: 0x05)
  /// Status of an encryption: the other side has no key for us.
  static let notPaired = ManagementStatus(rawValue: 0x06)
  /// Status of a connection attempt: the controller has no slot left (HCI 0x07, 0x09, 0x0A, 0x0D).
  static let noResources = ManagementStatus(rawValue: 0x07)
  static let timeout = ManagementStatus(rawValue: 0x08)
  static let alreadyConnected = ManagementStatus(rawValue: 0x09)
  static let busy = ManagementStatus(rawValue: 0x0A)
  static let invalidParameters = ManagementStatus(rawValue: 0x0D)
  static let notPowered = ManagementStatus(rawValue: 0x0F)
  static let invalidIndex = ManagementStatus(rawValue: 0x11)
  static let blocked = ManagementStatus(rawValue: 0x12)
  static let permissionDenied = ManagementStatus(rawValue: 0x14)

  private static let names = [
    "success", "unknown command", "not connected", "failed", "connect failed", "authentication failed", "not paired",
    "no resources",
    "timeout", "already connected", "busy", "rejected", "not supported", "invalid parameters", "disconnected",
    "not powered",
    "cancelled", "invalid index", "blocked by rfkill", "already paired", "permission denied",
  ]

  var description: String {
    let index = Int(rawValue)
    return index < Self.names.count ? Self.names[index] : "status 0x\(hexadecimal([rawValue]))"
  }

  /// Whether the status means, for commands that need the controller, that it did not respond.
  var meansSilentController: Bool { self == .authenticationFailed || self == .timeout }
}

/// State bits of a controller, both supported and current.
struct AdapterSettings: OptionSet, Sendable, Hashable {
  let rawValue: UInt32
  static let powered = AdapterSettings(rawValue: 1 << 0)
  static let connectable = AdapterSettings(rawValue: 1 << 1)
  static let bondable = AdapterSettings(rawValue: 1 << 4)
  static let classic = AdapterSettings(rawValue: 1 << 7)
  static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
  static let advertising = AdapterSettings(rawValue: 1 << 10)
  static let secureConnections = AdapterSettings(rawValue: 1 << 11)
  static let staticAddress = AdapterSettings(rawValue: 1 << 15)
  static let physicalLayers = AdapterSettings(rawValue: 1 << 16)
}

extension BluetoothAddress {
  /// Six bytes, then the type: the form of a peer in every management structure.
  init?(management reader: inout ByteReader) {
    var ahead = reader
    guard let low = ahead.u32(), let high = ahead.u16(), let type = ahead.u8(), let kind = Kind(rawValue: type) else {
      return nil
    }
    self.init(value: UInt64(low) | UInt64(high) << 32, kind: kind)
    reader = ahead
  }

  var managementBytes: [UInt8] { wireBytes + [kind.rawValue] }
}
