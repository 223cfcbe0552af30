// Replies of the kernel to commands. Parsing is total: a value, or nil for bytes that are not exactly such a reply.

import Bluetooth

/// Reply to Read Info, 280 bytes: address 6, HCI version u8, manufacturer u16, supported u32, current u32, class 3,
/// names 260.
struct AdapterInfo: Sendable, Equatable {
  /// Public address; zero if the controller has none.
  let address: UInt64
  let supported: AdapterSettings
  let current: AdapterSettings

  init?(_ parameters: [UInt8]) {
    let parsed = parameters.withUnsafeBytes { bytes -> (UInt64, UInt32, UInt32)? in
      var reader = ByteReader(bytes)
      guard bytes.count == 280, let low = reader.u32(), let high = reader.u16(), reader.skip(3),
        let supported = reader.u32(), let current = reader.u32()
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
  /// Read Extended Index List: count u16, then index u16, type u8 (0 configured, 1 unconfigured), bus u8. Returns the
  /// configured ones.
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

  /// Get Connections: count u16, then address 7 each. Links of an unknown address type are skipped.
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
      guard let supported = reader.u32(), let configurable = reader.u32(), let selected = reader.u32() else {
        return nil
      }
      return (supported, configurable, selected)
    }
  }

  /// The address at the start of a reply.
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
