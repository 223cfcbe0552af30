// What the management channel says by itself, and the replies Hearth reads. Parsing is total: a value, or nil for bytes that are not
// exactly such an event.

import Bluetooth

/// Why the kernel says a link ended.
enum DisconnectReason: UInt8, Sendable {
  case unknown = 0
  case timeout = 1
  case localHost = 2
  case remote = 3
  case authenticationFailure = 4
  case suspended = 5
}

/// One event of the command socket. Advertisements come over a socket of their own, see `AdvertisementReport`.
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
  /// 0x000F: address 7, hint u8 (1: nothing to compare), value u32.
  case confirmationRequest(BluetoothAddress, isPlain: Bool, UInt32)
  /// 0x0010: address 7.
  case passkeyRequest(BluetoothAddress)
  /// 0x0011: address 7, status u8.
  case authenticationFailed(BluetoothAddress, ManagementStatus)
  /// 0x0016: address 7. Another program had the kernel forget a bond.
  case unpaired(BluetoothAddress)
  /// 0x0017: address 7, digits u32, how many of them were typed u8.
  case passkeyNotification(BluetoothAddress, UInt32)
  /// 0x0018: store hint u8, the random address in use 6, identity address 7, key 16.
  case newIdentityKey(isToBeKept: Bool, random: BluetoothAddress, IdentityKey)
  /// 0x000B: address 7, flags u32, EIR length u16, EIR.
  case connected(BluetoothAddress)
  /// 0x000C: address 7, reason u8.
  case disconnected(BluetoothAddress, DisconnectReason)
  /// 0x000D: address 7, status u8.
  case connectFailed(BluetoothAddress, ManagementStatus)
  /// 0x001B: address 7. Somebody else edited the kernel's device list; Hearth does not use it.
  case deviceRemoved
  /// 0x001C: address 7, store hint u8, minimum, maximum, latency, timeout u16: asked by the wearable, accepted by the kernel.
  case newConnectionParameters(BluetoothAddress, ConnectionParameters)
  /// 0x002C: handle u16, 0 for all.
  case monitorRemoved(UInt16)
  /// Anything else, by number.
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
      guard let address = BluetoothAddress(management: &reader), reader.skip(4), let length = reader.u16(), reader.skip(Int(length)) else { return nil }
      self = .connected(address)
    case 0x000C:
      guard let address = BluetoothAddress(management: &reader), let reason = reader.u8() else { return nil }
      self = .disconnected(address, DisconnectReason(rawValue: reason) ?? .unknown)
    case 0x000D:
      guard let address = BluetoothAddress(management: &reader), let status = reader.u8() else { return nil }
      self = .connectFailed(address, ManagementStatus(rawValue: status))
    case 0x000A:
      guard let hint = reader.u8(), let record = reader.take(LongTermKey.size), let key = LongTermKey(Array(record)), key.address != nil else { return nil }
      self = .newLongTermKey(isToBeKept: hint == 1, key)
    case 0x000F:
      guard let address = BluetoothAddress(management: &reader), let hint = reader.u8(), let value = reader.u32() else { return nil }
      self = .confirmationRequest(address, isPlain: hint == 1, value)
    case 0x0010:
      guard let address = BluetoothAddress(management: &reader) else { return nil }
      self = .passkeyRequest(address)
    case 0x0011:
      guard let address = BluetoothAddress(management: &reader), let status = reader.u8() else { return nil }
      self = .authenticationFailed(address, ManagementStatus(rawValue: status))
    case 0x0016:
      guard let address = BluetoothAddress(management: &reader) else { return nil }
      self = .unpaired(address)
    case 0x0017:
      guard let address = BluetoothAddress(management: &reader), let digits = reader.u32(), reader.skip(1) else { return nil }
      self = .passkeyNotification(address, digits)
    case 0x0018:
      guard let hint = reader.u8(), let random = BluetoothAddress(&reader, kind: .leRandom), let identity = BluetoothAddress(management: &reader),
        let key = reader.take(IdentityKey.size)
      else { return nil }
      self = .newIdentityKey(isToBeKept: hint == 1, random: random, IdentityKey(address: identity, key: Array(key)))
    case 0x001B:
      guard BluetoothAddress(management: &reader) != nil else { return nil }
      self = .deviceRemoved
    case 0x001C:
      guard let address = BluetoothAddress(management: &reader), reader.skip(1), let minimum = reader.u16(), let maximum = reader.u16(),
        let latency = reader.u16(), let timeout = reader.u16()
      else { return nil }
      self = .newConnectionParameters(
        address, ConnectionParameters(minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout))
    case 0x002C:
      guard let handle = reader.u16() else { return nil }
      self = .monitorRemoved(handle)
    default:
      self = .other(frame.code)
      return
    }
    if !reader.isAtEnd { return nil }
  }
}

/// A device as the scan heard it, in place. Events 0x0012 (Device Found) and 0x002F (Adv Monitor Device Found):
///
///     [0x002F only: monitor handle u16]  address 6, type 1, RSSI i8, flags u32, length u16, AD structures
struct AdvertisementReport {
  static let deviceFound: UInt16 = 0x0012
  static let monitorDeviceFound: UInt16 = 0x002F
  /// The longest advertising data there is: a chained extended advertisement (Core specification, volume 4, part E, 7.8.57).
  static let dataLimit = 1650

  let address: BluetoothAddress
  /// Nil where the controller does not know: 127.
  let rssi: Int8?
  let isConnectable: Bool
  let isScanResponse: Bool
  let data: RawBytes

  init?(_ frame: ManagementFrame) {
    var reader = ByteReader(frame.parameters)
    if frame.code == Self.monitorDeviceFound { reader.skip(2) } else if frame.code != Self.deviceFound { return nil }
    guard let address = BluetoothAddress(management: &reader), let rssi = reader.i8(), let flags = reader.u32(), let length = reader.u16(),
      reader.remaining == Int(length), Int(length) <= Self.dataLimit
    else { return nil }
    self.address = address
    self.rssi = rssi == 127 ? nil : rssi
    isConnectable = flags & 1 << 2 == 0
    isScanResponse = flags & 1 << 5 != 0
    data = reader.rest()
  }
}

/// Reply to Read Info, 280 bytes: address 6, HCI version u8, manufacturer u16, supported u32, current u32, class 3, names 260.
struct AdapterInfo: Sendable, Equatable {
  /// Public address; zero where the controller has none.
  let address: UInt64
  let supported: AdapterSettings
  let current: AdapterSettings

  init?(_ parameters: [UInt8]) {
    let parsed = parameters.withUnsafeBytes { bytes -> (UInt64, UInt32, UInt32)? in
      var reader = ByteReader(bytes)
      guard bytes.count == 280, let low = reader.u32(), let high = reader.u16(), reader.skip(3), let supported = reader.u32(), let current = reader.u32()
      else { return nil }
      return (UInt64(low) | UInt64(high) << 32, supported, current)
    }
    guard let parsed else { return nil }
    address = parsed.0
    supported = AdapterSettings(rawValue: parsed.1)
    current = AdapterSettings(rawValue: parsed.2)
  }
}

/// Parsers of the other replies.
enum ManagementReply {
  /// Read Extended Index List: count u16, then index u16, type u8 (0 configured, 1 unconfigured), bus u8. Gives the configured ones.
  static func indexes(_ parameters: [UInt8]) -> [(index: UInt16, bus: AdapterBus)]? {
    parse(parameters) { reader in
      guard let count = reader.u16(), reader.remaining == Int(count) * 4 else { return nil }
      var found: [(UInt16, AdapterBus)] = []
      for _ in 0..<count {
        guard let index = reader.u16(), let type = reader.u8(), let bus = reader.u8() else { return nil }
        if type == 0 { found.append((index, AdapterBus(rawValue: bus))) }
      }
      return found
    }
  }

  /// Read Version: version u8, revision u16.
  static func version(_ parameters: [UInt8]) -> (version: UInt8, revision: UInt16)? {
    parse(parameters) { reader in
      guard let version = reader.u8(), let revision = reader.u16() else { return nil }
      return (version, revision)
    }
  }

  /// Settings u32, as every Set command returns them.
  static func settings(_ parameters: [UInt8]) -> AdapterSettings? {
    parse(parameters) { reader in reader.u32().map { AdapterSettings(rawValue: $0) } }
  }

  /// Add and Remove Advertisement Monitor: handle u16.
  static func handle(_ parameters: [UInt8]) -> UInt16? { parse(parameters) { $0.u16() } }

  /// Get Connections: count u16, then address 7 each. Links of a type this library does not know are left out.
  static func connections(_ parameters: [UInt8]) -> [BluetoothAddress]? {
    parse(parameters) { reader in
      guard let count = reader.u16(), reader.remaining == Int(count) * 7 else { return nil }
      var found: [BluetoothAddress] = []
      for _ in 0..<count {
        if let address = BluetoothAddress(management: &reader) { found.append(address) } else { reader.skip(7) }
      }
      return found
    }
  }

  /// Get PHY Configuration: supported, configurable, selected u32.
  static func physicalLayers(_ parameters: [UInt8]) -> (supported: UInt32, configurable: UInt32, selected: UInt32)? {
    parse(parameters) { reader in
      guard let supported = reader.u32(), let configurable = reader.u32(), let selected = reader.u32() else { return nil }
      return (supported, configurable, selected)
    }
  }

  /// The address a reply begins with.
  static func peer(_ parameters: [UInt8]) -> BluetoothAddress? {
    parameters.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      return BluetoothAddress(management: &reader)
    }
  }

  private static func parse<T>(_ parameters: [UInt8], _ body: (inout ByteReader) -> T?) -> T? {
    parameters.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      guard let value = body(&reader), reader.isAtEnd else { return nil }
      return value
    }
  }
}
