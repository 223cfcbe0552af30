// GATT database as written in code, before it has handles.

/// Operations that a characteristic value allows (Core specification, volume 3, part G, 3.3.1.1).
public struct GATTProperties: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let broadcast = GATTProperties(rawValue: 0x01)
  public static let read = GATTProperties(rawValue: 0x02)
  public static let writeWithoutResponse = GATTProperties(rawValue: 0x04)
  public static let write = GATTProperties(rawValue: 0x08)
  public static let notify = GATTProperties(rawValue: 0x10)
  public static let indicate = GATTProperties(rawValue: 0x20)
  public static let signedWrite = GATTProperties(rawValue: 0x40)
  public static let extended = GATTProperties(rawValue: 0x80)
}

/// A primary service to be served.
public struct GATTServiceDefinition: Hashable, Sendable {
  public var uuid: BluetoothUUID
  public var characteristics: [GATTCharacteristicDefinition]

  public init(_ uuid: BluetoothUUID, _ characteristics: [GATTCharacteristicDefinition]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

/// Characteristic to be served. If it notifies or indicates, its configuration descriptor (0x2902) is added right after
/// the value. Further descriptors follow in the given order.
public struct GATTCharacteristicDefinition: Hashable, Sendable {
  public var uuid: BluetoothUUID
  public var properties: GATTProperties
  /// At most 512 bytes.
  public var value: [UInt8]
  /// Longest value that a client may write; 0 to 512.
  public var maximumLength: Int
  public var descriptors: [GATTDescriptorDefinition]

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
  public var uuid: BluetoothUUID
  public var value: [UInt8]
  public var isWritable: Bool

  public init(_ uuid: BluetoothUUID, value: [UInt8], isWritable: Bool = false) {
    self.uuid = uuid
    self.value = value
    self.isWritable = isWritable
  }
}

extension BluetoothUUID {
  /// Attribute types of GATT itself (Assigned Numbers, 3.5 to 3.8).
  public static let primaryService: BluetoothUUID = 0x2800
  public static let secondaryService: BluetoothUUID = 0x2801
  public static let include: BluetoothUUID = 0x2802
  public static let characteristicDeclaration: BluetoothUUID = 0x2803
  public static let clientCharacteristicConfiguration: BluetoothUUID = 0x2902
  public static let genericAccess: BluetoothUUID = 0x1800
  public static let genericAttributeService: BluetoothUUID = 0x1801
  public static let deviceName: BluetoothUUID = 0x2A00
  public static let serviceChanged: BluetoothUUID = 0x2A05
  public static let firmwareRevision: BluetoothUUID = 0x2A26
  public static let clientSupportedFeatures: BluetoothUUID = 0x2B29
  public static let databaseHash: BluetoothUUID = 0x2B2A
}
