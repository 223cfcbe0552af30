// Cached database for the next visit, with the keys that show whether it is still valid.

/// Discovered database and its keys.
///
/// Stored form, version 1, integers little-endian:
///
/// | size | field |
/// |---|---|
/// | 1 | version, 1 |
/// | 1 | bit 0: a hash follows; bit 1: a firmware revision follows |
/// | 16 | database hash, if so |
/// | 1 + n | length and bytes of the firmware revision, if so |
/// | 1 | number of services, at most 64 |
/// | … | per service: first handle u16, last handle u16, type, number of characteristics u16 |
/// | … | per characteristic: declaration u16, value u16, properties u8, type, number of descriptors u16 |
/// | … | per descriptor: handle u16, type |
///
/// A type is a length byte (2 or 16) and that many bytes.
public struct GATTCache: Sendable, Hashable {
  /// Services, characteristics and descriptors that a discovery found.
  public let database: GATTDatabase
  /// 16 bytes of the Database Hash characteristic, if the wearable has one: equal hash, equal database.
  public let hash: [UInt8]?
  /// Firmware revision as the wearable reports it, 255 bytes at most. Without a hash, a different revision means a
  /// different database.
  public let firmwareRevision: [UInt8]?

  /// A hash of another length, or a longer revision, is ignored.
  public init(database: GATTDatabase, hash: [UInt8]? = nil, firmwareRevision: [UInt8]? = nil) {
    self.database = database
    self.hash = hash.flatMap { $0.count == 16 ? $0 : nil }
    self.firmwareRevision = firmwareRevision.flatMap { $0.count <= 255 ? $0 : nil }
  }

  public func encode() -> [UInt8] {
    var bytes: [UInt8] = [1, (hash == nil ? 0 : 1) | (firmwareRevision == nil ? 0 : 2)]
    if let hash { bytes.append(contentsOf: hash) }
    if let firmwareRevision {
      bytes.append(UInt8(truncatingIfNeeded: firmwareRevision.count))
      bytes.append(contentsOf: firmwareRevision)
    }
    bytes.append(UInt8(truncatingIfNeeded: database.services.count))
    for service in database.services {
      bytes.append(littleEndian: service.handles.lowerBound)
      bytes.append(littleEndian: service.handles.upperBound)
      bytes.append(type: service.uuid)
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: service.characteristics.count))
      for characteristic in service.characteristics {
        bytes.append(littleEndian: characteristic.declarationHandle)
        bytes.append(littleEndian: characteristic.valueHandle)
        bytes.append(characteristic.properties.rawValue)
        bytes.append(type: characteristic.uuid)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: characteristic.descriptors.count))
        for descriptor in characteristic.descriptors {
          bytes.append(littleEndian: descriptor.handle)
          bytes.append(type: descriptor.uuid)
        }
      }
    }
    return bytes
  }

  /// Nil for another version, or bytes that are not one whole, consistent database within the bounds of discovery.
  public init?(decoding bytes: RawBytes) {
    var reader = ByteReader(bytes)
    guard reader.u8() == 1, let keys = reader.u8(), keys & ~3 == 0 else { return nil }
    var hash: [UInt8]?
    var revision: [UInt8]?
    if keys & 1 != 0 {
      guard let bytes = reader.take(16) else { return nil }
      hash = Array(bytes)
    }
    if keys & 2 != 0 {
      guard let length = reader.u8(), let bytes = reader.take(Int(length)) else { return nil }
      revision = Array(bytes)
    }
    guard let database = Self.database(&reader), reader.isAtEnd else { return nil }
    self.init(database: database, hash: hash, firmwareRevision: revision)
  }

  /// The builder takes all services first, then all characteristics of a service, then their descriptors. The stored
  /// form nests them.
  private static func database(_ reader: inout ByteReader) -> GATTDatabase? {
    guard let count = reader.u8() else { return nil }
    var builder = GATTDatabaseBuilder()
    var characteristics: [(service: Int, GATTCharacteristic)] = []
    for service in 0..<Int(count) {
      guard let start = reader.u16(), let end = reader.u16(), let uuid = reader.type(), let count = reader.u16() else {
        return nil
      }
      guard (try? builder.addService(uuid, start, end)) != nil else { return nil }
      for _ in 0..<count {
        guard characteristics.count < GATTDatabaseBuilder.maximumAttributes,
          let characteristic = reader.characteristic()
        else { return nil }
        characteristics.append((service, characteristic))
      }
    }
    for (service, item) in characteristics {
      let added: Void? = try? builder.addCharacteristic(
        item.uuid, item.properties, declaration: item.declarationHandle, value: item.valueHandle, service: service)
      if added == nil { return nil }
    }
    var index = 0
    var previous = -1
    for (service, item) in characteristics {
      index = service == previous ? index + 1 : 0
      previous = service
      for descriptor in item.descriptors {
        let added: Void? = try? builder.addDescriptor(
          descriptor.uuid, descriptor.handle, service: service, characteristic: index)
        if added == nil { return nil }
      }
    }
    return builder.database
  }
}

extension [UInt8] {
  fileprivate mutating func append(type: BluetoothUUID) {
    let bytes = type.wireBytes
    append(UInt8(truncatingIfNeeded: bytes.count))
    append(contentsOf: bytes)
  }
}

extension ByteReader {
  fileprivate mutating func type() -> BluetoothUUID? {
    guard let length = u8(), length == 2 || length == 16, let bytes = take(Int(length)) else { return nil }
    return BluetoothUUID(wire: bytes)
  }

  fileprivate mutating func characteristic() -> GATTCharacteristic? {
    guard let declaration = u16(), let value = u16(), let properties = u8(), let uuid = type(), let count = u16() else {
      return nil
    }
    var characteristic = GATTCharacteristic(
      uuid: uuid, properties: GATTProperties(rawValue: properties), declarationHandle: declaration, valueHandle: value)
    for _ in 0..<count {
      guard characteristic.descriptors.count < GATTDatabaseBuilder.maximumAttributes, let handle = u16(),
        let uuid = type()
      else { return nil }
      characteristic.descriptors.append(GATTDescriptor(uuid: uuid, handle: handle))
    }
    return characteristic
  }
}
