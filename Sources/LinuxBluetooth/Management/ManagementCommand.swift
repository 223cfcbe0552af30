// Commands to the management channel, with their bytes.

import Bluetooth

/// Command to the kernel. `parameters` returns the bytes after the header; byte tables are beside the cases.
enum ManagementCommand: Sendable, Equatable {
  /// Replies with version u8, revision u16.
  case readVersion
  case readExtendedIndexList
  case readInfo
  /// Boolean: one byte, 0 or 1.
  case setPowered(Bool)
  case setConnectable(Bool)
  case setBondable(Bool)
  case setLowEnergy(Bool)
  /// Type u8: 6 is LE, public and random addresses. Replies with the type.
  case startDiscovery
  case stopDiscovery
  case setAdvertising(Bool)
  case setClassic(Bool)
  case setSecureConnections(Bool)
  /// IO capability, one byte; 4 is KeyboardDisplay, 3 NoInputNoOutput.
  case setInputOutputCapability(UInt8)
  /// Count u16, then for each address and type (7) and key (16). Replaces the previous list. Even an empty list makes
  /// the kernel request identity keys when peers pair.
  case loadIdentityKeys([IdentityKey])
  /// Count u16, then the records of 36 bytes. Replaces the previous list.
  case loadLongTermKeys([LongTermKey])
  /// Address and type; yes or no to a confirmation.
  case confirm(BluetoothAddress, Bool)
  /// Address and type, then the six digits u32; nil is a refusal, without digits.
  case passkey(BluetoothAddress, UInt32?)
  /// Address and type, then 1: drop the link.
  case unpair(BluetoothAddress)
  /// Type u16, length u8, value; repeated.
  case setDefaultConfiguration([DefaultSetting])
  /// Address and type, all zero: removes every entry.
  case removeAllDevices
  /// Count u8, then for each 34 bytes: AD type u8, offset u8, length u8, value padded to 31.
  case addMonitor([MonitorPattern])
  /// Handle u16; 0 removes all.
  case removeMonitor(UInt16)
  /// Count u16 = 1, address and type (7), minimum, maximum, latency, timeout u16.
  case loadConnectionParameters(BluetoothAddress, ConnectionParameters)
  /// Address and type.
  case disconnect(BluetoothAddress)
  case getConnections
  case getPhysicalLayers
  /// Selected bits u32.
  case setPhysicalLayers(UInt32)
  /// The address, 6 bytes. Only while powered off, and only if the driver can.
  case setPublicAddress(UInt64)
  /// The address, 6 bytes, the two top bits 1. Only while powered off.
  case setStaticAddress(UInt64)

  var opcode: UInt16 {
    switch self {
    case .readVersion: 0x0001
    case .readInfo: 0x0004
    case .setPowered: 0x0005
    case .setConnectable: 0x0007
    case .setBondable: 0x0009
    case .setLowEnergy: 0x000D
    case .loadLongTermKeys: 0x0013
    case .disconnect: 0x0014
    case .getConnections: 0x0015
    case .setInputOutputCapability: 0x0018
    case .unpair: 0x001B
    case .confirm(_, let yes): yes ? 0x001C : 0x001D
    case .passkey(_, let digits): digits == nil ? 0x001F : 0x001E
    case .startDiscovery: 0x0023
    case .stopDiscovery: 0x0024
    case .setAdvertising: 0x0029
    case .setClassic: 0x002A
    case .setStaticAddress: 0x002B
    case .setSecureConnections: 0x002D
    case .loadIdentityKeys: 0x0030
    case .removeAllDevices: 0x0034
    case .loadConnectionParameters: 0x0035
    case .setPublicAddress: 0x0039
    case .readExtendedIndexList: 0x003C
    case .getPhysicalLayers: 0x0044
    case .setPhysicalLayers: 0x0045
    case .setDefaultConfiguration: 0x004C
    case .addMonitor: 0x0052
    case .removeMonitor: 0x0053
    }
  }

  /// Name for the log.
  var name: String {
    switch self {
    case .readVersion: "Read Version"
    case .readInfo: "Read Info"
    case .setPowered(let on): "Set Powered \(on ? 1 : 0)"
    case .setConnectable(let on): "Set Connectable \(on ? 1 : 0)"
    case .setBondable(let on): "Set Bondable \(on ? 1 : 0)"
    case .setLowEnergy(let on): "Set LE \(on ? 1 : 0)"
    case .loadLongTermKeys: "Load LTKs"
    case .disconnect: "Disconnect"
    case .getConnections: "Get Connections"
    case .setInputOutputCapability: "Set IO Capability"
    case .unpair: "Unpair Device"
    case .confirm(_, let yes): yes ? "User Confirmation Reply" : "User Confirmation Negative Reply"
    case .passkey(_, let digits): digits == nil ? "User Passkey Negative Reply" : "User Passkey Reply"
    case .startDiscovery: "Start Discovery"
    case .stopDiscovery: "Stop Discovery"
    case .setAdvertising(let on): "Set Advertising \(on ? 1 : 0)"
    case .setClassic(let on): "Set BR/EDR \(on ? 1 : 0)"
    case .setSecureConnections(let on): "Set Secure Connections \(on ? 1 : 0)"
    case .loadIdentityKeys: "Load IRKs"
    case .removeAllDevices: "Remove Device"
    case .loadConnectionParameters: "Load Connection Parameters"
    case .readExtendedIndexList: "Read Extended Index List"
    case .getPhysicalLayers: "Get PHY Configuration"
    case .setPhysicalLayers: "Set PHY Configuration"
    case .setPublicAddress: "Set Public Address"
    case .setStaticAddress: "Set Static Address"
    case .setDefaultConfiguration: "Set Default System Configuration"
    case .addMonitor: "Add Advertisement Patterns Monitor"
    case .removeMonitor: "Remove Advertisement Monitor"
    }
  }

  var parameters: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .readVersion, .readExtendedIndexList, .readInfo, .getConnections, .getPhysicalLayers: break
    case .setPowered(let on), .setConnectable(let on), .setBondable(let on), .setLowEnergy(let on),
      .setAdvertising(let on),
      .setClassic(let on), .setSecureConnections(let on):
      bytes = [on ? 1 : 0]
    case .startDiscovery, .stopDiscovery: bytes = [6]
    case .setInputOutputCapability(let capability): bytes = [capability]
    case .loadIdentityKeys(let keys):
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: keys.count))
      for key in keys { bytes += key.address.managementBytes + key.key }
    case .loadLongTermKeys(let keys):
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: keys.count))
      for key in keys { bytes += key.record }
    case .confirm(let address, _): bytes = address.managementBytes
    case .passkey(let address, let digits):
      bytes = address.managementBytes
      if let digits { bytes.append(littleEndian: digits) }
    case .unpair(let address): bytes = address.managementBytes + [1]
    case .setDefaultConfiguration(let settings): for setting in settings { setting.append(to: &bytes) }
    case .removeAllDevices: bytes = [0, 0, 0, 0, 0, 0, 0]
    case .addMonitor(let patterns):
      bytes = [UInt8(truncatingIfNeeded: patterns.count)]
      for pattern in patterns { pattern.append(to: &bytes) }
    case .removeMonitor(let handle): bytes.append(littleEndian: handle)
    case .loadConnectionParameters(let address, let wanted):
      bytes = [1, 0] + address.managementBytes
      for field in [wanted.minimumInterval, wanted.maximumInterval, wanted.latency, wanted.timeout] {
        bytes.append(littleEndian: field)
      }
    case .disconnect(let address): bytes = address.managementBytes
    case .setPhysicalLayers(let selected): bytes.append(littleEndian: selected)
    case .setPublicAddress(let address), .setStaticAddress(let address):
      bytes = (0..<6).map { UInt8(truncatingIfNeeded: address >> (8 * UInt64($0))) }
    }
    return bytes
  }

  /// Peer whose address the reply repeats, if it has one. A late reply to an abandoned command of the same type then
  /// cannot match this one.
  var peer: BluetoothAddress? {
    switch self {
    case .disconnect(let address), .confirm(let address, _), .passkey(let address, _), .unpair(let address): address
    default: nil
    }
  }

  func frame(index: UInt16) -> [UInt8] { ManagementFrame.encode(code: opcode, index: index, parameters: parameters) }
}

/// Entry of the default system configuration: per adapter, effective at once, not checked by the kernel, lost with the
/// index.
enum DefaultSetting: Sendable, Equatable {
  /// Units of 0.625 ms.
  case monitorScan(interval: UInt16, window: UInt16)
  /// Units of 0.625 ms.
  case connectScan(interval: UInt16, window: UInt16)
  /// Parameters that a link starts with if the kernel has no entry for the device.
  case connection(ConnectionParameters)
  /// Milliseconds that an LE Create Connection may stay unanswered.
  case connectTimeout(UInt16)

  func append(to bytes: inout [UInt8]) {
    func add(_ type: UInt16, _ value: UInt16) {
      bytes.append(littleEndian: type)
      bytes.append(2)
      bytes.append(littleEndian: value)
    }
    switch self {
    case .monitorScan(let interval, let window):
      add(0x0013, interval)
      add(0x0014, window)
    case .connectScan(let interval, let window):
      add(0x0015, interval)
      add(0x0016, window)
    case .connection(let parameters):
      add(0x0017, parameters.minimumInterval)
      add(0x0018, parameters.maximumInterval)
      add(0x0019, parameters.latency)
      add(0x001A, parameters.timeout)
    case .connectTimeout(let milliseconds): add(0x001B, milliseconds)
    }
  }
}

/// Identity resolving key: shows which device a resolvable address belongs to.
struct IdentityKey: Sendable, Hashable {
  static let size = 16
  let address: BluetoothAddress
  let key: [UInt8]
}

/// Pattern of an advertisement monitor. Without controller offload the monitor is only a reason for the kernel to scan:
/// every device is reported, whatever the pattern.
struct MonitorPattern: Sendable, Equatable {
  static let valueSize = 31
  let type: UInt8
  let offset: UInt8
  let value: [UInt8]

  /// Flags (AD type 0x01) of a device that is LE only and generally discoverable, as nearly every wearable sends them.
  static let wearableFlags = MonitorPattern(type: 0x01, offset: 0, value: [0x06])

  func append(to bytes: inout [UInt8]) {
    guard value.count <= Self.valueSize else { fatalError("a monitor pattern of \(value.count) bytes") }
    bytes.append(contentsOf: [type, offset, UInt8(value.count)])
    bytes.append(contentsOf: value)
    bytes.append(contentsOf: repeatElement(0, count: Self.valueSize - value.count))
  }
}
