// Events of the management channel. Parsing is total: a value, or nil for bytes that are not exactly such an event.

import Bluetooth

/// Reason for the end of a link, as the kernel reports it.
enum DisconnectReason: UInt8, Sendable {
  case unknown = 0
  case timeout = 1
  case localHost = 2
  case remote = 3
  case authenticationFailure = 4
  case suspended = 5
}

/// Event of the command socket. Advertisements come over their own socket, see `AdvertisementReport`.
enum ManagementEvent: Sendable, Equatable {
  /// 0x0001: opcode u16, status u8, return parameters. 0x0002 (Command Status) is the same without parameters.
  case reply(opcode: UInt16, status: ManagementStatus, parameters: [UInt8])
  /// 0x0003: code u8.
  case controllerError(UInt8)
  /// 0x0004 and 0x0020 (type u8, bus u8); the index is in the header.
  case indexAdded
  /// 0x0005 and 0x0021.
  case indexRemoved
  /// 0x0006: settings u32.
  case newSettings(AdapterSettings)
  /// 0x000A: store hint u8, record 36.
  case newLongTermKey(isToBeKept: Bool, LongTermKey)
  /// 0x000F: address 7, hint u8 (1: no digits to compare), value u32.
  case confirmationRequest(BluetoothAddress, isPlain: Bool, UInt32)
  /// 0x0010: address 7.
  case passkeyRequest(BluetoothAddress)
  /// 0x0011: address 7, status u8.
  case authenticationFailed(BluetoothAddress, ManagementStatus)
  /// 0x0016: address 7. Another program made the kernel forget a bond.
  case unpaired(BluetoothAddress)
  /// 0x0017: address 7, digits u32, number of digits typed so far u8.
  case passkeyNotification(BluetoothAddress, UInt32)
  /// 0x0018: store hint u8, the random address in use 6, identity address 7, key 16.
  case newIdentityKey(isToBeKept: Bool, random: BluetoothAddress, IdentityKey)
  /// 0x000B: address 7, flags u32, EIR length u16, EIR.
  case connected(BluetoothAddress)
  /// 0x000C: address 7, reason u8.
  case disconnected(BluetoothAddress, DisconnectReason)
  /// 0x000D: address 7, status u8.
  case connectFailed(BluetoothAddress, ManagementStatus)
  /// 0x001B: address 7. Another program edited the kernel's device list, which Hearth does not use.
  case deviceRemoved
  /// 0x001C: address 7, store hint u8, minimum, maximum, latency, timeout u16: requested by the wearable, accepted by
  /// the kernel.
  case newConnectionParameters(BluetoothAddress, ConnectionParameters)
  /// 0x002C: handle u16, 0 for all.
  case monitorRemoved(UInt16)
  /// Any other event, by number.
  case other(UInt16)

  init?(_ frame: ManagementFrame) {
    var reader = ByteReader(frame.parameters)
    switch frame.code {
    case 0x0001, 0x0002:
      guard let opcode = reader.u16(), let status = reader.u8() else { return nil }
      if frame.code == 0x0002, !reader.isAtEnd { return nil }
      self = .reply(opcode: opcode, status: ManagementStatus(rawValue: status), parameters: Array(reader.rest()))
    case 0x0003:
      guard let code = reader.u8() else { return nil }
      self = .controllerError(code)
    case 0x0004: self = .indexAdded
    case 0x0005: self = .indexRemoved
    case 0x0020, 0x0021:
      guard reader.skip(2) else { return nil }
      self = frame.code == 0x0020 ? .indexAdded : .indexRemoved
    case 0x0006:
      guard let settings = reader.u32() else { return nil }
      self = .newSettings(AdapterSettings(rawValue: settings))
    case 0x000B:
      guard let address = BluetoothAddress(management: &reader), reader.skip(4), let length = reader.u16(),
        reader.skip(Int(length))
      else { return nil }
      self = .connected(address)
    case 0x000C:
      guard let address = BluetoothAddress(management: &reader), let reason = reader.u8() else { return nil }
      self = .disconnected(address, DisconnectReason(rawValue: reason) ?? .unknown)
    case 0x000D:
      guard let address = BluetoothAddress(management: &reader), let status = reader.u8() else { return nil }
      self = .connectFailed(address, ManagementStatus(rawValue: status))
    case 0x0016:
      guard let address = BluetoothAddress(management: &reader) else { return nil }
      self = .unpaired(address)
    case 0x001B:
      guard BluetoothAddress(management: &reader) != nil else { return nil }
      self = .deviceRemoved
    case 0x001C:
      guard let address = BluetoothAddress(management: &reader), reader.skip(1), let minimum = reader.u16(),
        let maximum = reader.u16(),
        let latency = reader.u16(), let timeout = reader.u16()
      else { return nil }
      self = .newConnectionParameters(
        address,
        ConnectionParameters(minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout))
    case 0x002C:
      guard let handle = reader.u16() else { return nil }
      self = .monitorRemoved(handle)
    case 0x000A, 0x000F, 0x0010, 0x0011, 0x0017, 0x0018:
      guard let event = Self.ofPairing(frame.code, &reader) else { return nil }
      self = event
    default:
      self = .other(frame.code)
      return
    }
    if !reader.isAtEnd { return nil }
  }

  /// Parses events about pairing and keys.
  private static func ofPairing(_ code: UInt16, _ reader: inout ByteReader) -> ManagementEvent? {
    switch code {
    case 0x000A:
      guard let hint = reader.u8(), let record = reader.take(LongTermKey.size), let key = LongTermKey(Array(record)),
        key.address != nil
      else { return nil }
      return .newLongTermKey(isToBeKept: hint == 1, key)
    case 0x000F:
      guard let address = BluetoothAddress(management: &reader), let hint = reader.u8(), let value = reader.u32() else {
        return nil
      }
      return .confirmationRequest(address, isPlain: hint == 1, value)
    case 0x0010:
      guard let address = BluetoothAddress(management: &reader) else { return nil }
      return .passkeyRequest(address)
    case 0x0011:
      guard let address = BluetoothAddress(management: &reader), let status = reader.u8() else { return nil }
      return .authenticationFailed(address, ManagementStatus(rawValue: status))
    case 0x0017:
      guard let address = BluetoothAddress(management: &reader), let digits = reader.u32(), reader.skip(1) else {
        return nil
      }
      return .passkeyNotification(address, digits)
    case 0x0018:
      guard let hint = reader.u8(), let random = BluetoothAddress(&reader, kind: .leRandom),
        let identity = BluetoothAddress(management: &reader),
        let key = reader.take(IdentityKey.size)
      else { return nil }
      return .newIdentityKey(isToBeKept: hint == 1, random: random, IdentityKey(address: identity, key: Array(key)))
    default: return nil
    }
  }
}
