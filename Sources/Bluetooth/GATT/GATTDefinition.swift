// GATT database as written in code, before it has handles.

/// Operations that a characteristic value allows (Core specification, volume 3, part G, 3.3.1.1).
public struct GATTProperties: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value may be broadcast.
  public static let broadcast = GATTProperties(rawValue: 0x01)
  /// The value may be read.
  public static let read = GATTProperties(rawValue: 0x02)
  /// The value may be written without a response.
  public static let writeWithoutResponse = GATTProperties(rawValue: 0x04)
  /// The value may be written with a response.
  public static let write = GATTProperties(rawValue: 0x08)
  /// The server may notify the value, without confirmation.
  public static let notify = GATTProperties(rawValue: 0x10)
  /// The server may indicate the value, with confirmation.
  public static let indicate = GATTProperties(rawValue: 0x20)
  /// The value may be written with a signature.
  public static let signedWrite = GATTProperties(rawValue: 0x40)
  /// Further properties are in a descriptor.
  public static let extended = GATTProperties(rawValue: 0x80)
}

/// A primary service to be served.
public struct GATTServiceDefinition: Hashable, Sendable {
  /// Type of the service.
  public var uuid: BluetoothUUID
  /// Characteristics, in the order of their handles.
  public var characteristics: [GATTCharacteristicDefinition]

  /// A service with its characteristics.
  public init(_ uuid: BluetoothUUID, _ characteristics: [GATTCharacteristicDefinition]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

/// Characteristic to be served. If it notifies or indicates, its configuration descriptor (0x2902) is added right after
/// the value. Further descriptors follow in the given order.
public struct GATTCharacteristicDefinition: Hashable, Sendable {
  /// Type of the characteristic.
  public var uuid: BluetoothUUID
  /// Operations that it allows.
  public var properties: GATTProperties
  /// Value of at most 512 bytes.
  public var value: [UInt8]
  /// Longest value that a client may write; 0 to 512 bytes.
  public var maximumLength: Int
  /// Descriptors besides the configuration descriptor, in the order of their handles.
  public var descriptors: [GATTDescriptorDefinition]

  /// A characteristic with its first value. `maximumLength` in bytes bounds writes.
  public init(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, value: [UInt8] = [],
    maximumLength: Int = ATT.maximumValueLength,
    descriptors: [GATTDescriptorDefinition] = []
  ) {
    self.uuid = uuid
    self.properties = properties
    self.value = value
    self.maximumLength = maximumLength
    self.descriptors = descriptors
  }
}

/// A descriptor to be served: always readable.
public struct GATTDescriptorDefinition: Hashable, Sendable {
  /// Type of the descriptor.
  public var uuid: BluetoothUUID
  /// Bytes of the descriptor.
  public var value: [UInt8]
  /// True if clients may write it.
  public var isWritable: Bool

  /// A descriptor, read-only by default.
  public init(_ uuid: BluetoothUUID, value: [UInt8], isWritable: Bool = false) {
    self.uuid = uuid
    self.value = value
    self.isWritable = isWritable
  }
}

extension BluetoothUUID {
  /// Declaration of a primary service. Attribute types of GATT itself: Assigned Numbers, 3.5 to 3.8.
  public static let primaryService: BluetoothUUID = 0x2800
  /// Declaration of a secondary service.
  public static let secondaryService: BluetoothUUID = 0x2801
  /// Declaration of an included service.
  public static let include: BluetoothUUID = 0x2802
  /// Declaration of a characteristic: properties, value handle, type.
  public static let characteristicDeclaration: BluetoothUUID = 0x2803
  /// Client Characteristic Configuration descriptor: switches notifications and indications.
  public static let clientCharacteristicConfiguration: BluetoothUUID = 0x2902
  /// Generic Access service: name and appearance of a device.
  public static let genericAccess: BluetoothUUID = 0x1800
  /// Generic Attribute service: changes of the database.
  public static let genericAttributeService: BluetoothUUID = 0x1801
  /// Device Name characteristic, a UTF-8 text.
  public static let deviceName: BluetoothUUID = 0x2A00
  /// Service Changed characteristic: indicates changes of the database.
  public static let serviceChanged: BluetoothUUID = 0x2A05
  /// Firmware Revision String characteristic.
  public static let firmwareRevision: BluetoothUUID = 0x2A26
  /// Client Supported Features characteristic.
  public static let clientSupportedFeatures: BluetoothUUID = 0x2B29
  /// Database Hash characteristic, 16 bytes: the key of a cached database.
  public static let databaseHash: BluetoothUUID = 0x2B2A
}
