// Attribute table of a server: definitions with handles, in the order that the specification prescribes.

/// Attribute of the table. The handle is the index plus one.
struct GATTAttribute: Sendable {
  struct Access: OptionSet {
    let rawValue: UInt8
    static let read = Access(rawValue: 1)
    static let writeRequest = Access(rawValue: 2)
    static let writeCommand = Access(rawValue: 4)
  }

  let type: BluetoothUUID
  var value: [UInt8]
  /// Error with which reading is refused now; nil: the value can be read.
  var refusal: ATTErrorCode?
  let access: Access
  let maximumLength: Int
  /// Last handle of the service for a service declaration, nil for everything else.
  var groupEnd: UInt16?
  /// Characteristic that this value or descriptor belongs to; for declarations, the service.
  let owner: BluetoothUUID
  /// Value bits a client may set; nil unless this is a client characteristic configuration descriptor (CCCD).
  let subscription: UInt16?
  let isCharacteristicValue: Bool

  init(
    type: BluetoothUUID, value: [UInt8], access: Access = .read, maximumLength: Int = ATT.maximumValueLength,
    owner: BluetoothUUID,
    subscription: UInt16? = nil, isCharacteristicValue: Bool = false
  ) {
    self.type = type
    self.value = value
    self.access = access
    self.maximumLength = maximumLength
    self.owner = owner
    self.subscription = subscription
    self.isCharacteristicValue = isCharacteristicValue
  }
}

extension GATTAttribute {
  /// Error for a client that reads it; nil: reading is allowed.
  var refusalToRead: ATTErrorCode? { access.contains(.read) ? refusal : .readNotPermitted }
}

/// Attributes with the handles 1, 2, 3 … without gaps.
struct GATTAttributeTable: Sendable {
  private(set) var attributes: [GATTAttribute] = []

  init(_ services: [GATTServiceDefinition]) {
    for service in services { append(service) }
    guard attributes.count < 0xFFFF else { fatalError("more attributes than handles") }
  }

  var isEmpty: Bool { attributes.isEmpty }

  subscript(handle: UInt16) -> GATTAttribute? {
    get { handle >= 1 && Int(handle) <= attributes.count ? attributes[Int(handle) - 1] : nil }
    set { if let newValue, handle >= 1, Int(handle) <= attributes.count { attributes[Int(handle) - 1] = newValue } }
  }

  /// The handles of `start ... end` that exist, in order. `start` must be at least 1.
  func handles(_ start: UInt16, _ end: UInt16) -> Range<UInt16> {
    let limit = min(Int(end), attributes.count) + 1
    return start < limit ? start..<UInt16(limit) : start..<start
  }

  /// The first characteristic value of this type.
  func valueHandle(of uuid: BluetoothUUID) -> UInt16? {
    attributes.firstIndex { $0.isCharacteristicValue && $0.type == uuid }.map { UInt16($0 + 1) }
  }

  /// The client characteristic configuration descriptor of a value: always the next attribute, if the value has one.
  func subscriptionHandle(of valueHandle: UInt16) -> UInt16? {
    guard self[valueHandle]?.isCharacteristicValue == true, self[valueHandle + 1]?.subscription != nil else {
      return nil
    }
    return valueHandle + 1
  }

  private mutating func append(_ service: GATTServiceDefinition) {
    let declaration = attributes.count
    attributes.append(GATTAttribute(type: .primaryService, value: service.uuid.wireBytes, owner: service.uuid))
    for characteristic in service.characteristics { append(characteristic, of: service.uuid) }
    attributes[declaration].groupEnd = UInt16(truncatingIfNeeded: attributes.count)
  }

  private mutating func append(_ characteristic: GATTCharacteristicDefinition, of service: BluetoothUUID) {
    let properties = characteristic.properties
    var declaration = [properties.rawValue]
    declaration.append(littleEndian: UInt16(truncatingIfNeeded: attributes.count + 2))
    declaration.append(contentsOf: characteristic.uuid.wireBytes)
    attributes.append(GATTAttribute(type: .characteristicDeclaration, value: declaration, owner: service))

    var access: GATTAttribute.Access = []
    if properties.contains(.read) { access.insert(.read) }
    if properties.contains(.write) { access.insert(.writeRequest) }
    if properties.contains(.writeWithoutResponse) { access.insert(.writeCommand) }
    attributes.append(
      GATTAttribute(
        type: characteristic.uuid, value: characteristic.value, access: access,
        maximumLength: characteristic.maximumLength,
        owner: characteristic.uuid, isCharacteristicValue: true))

    var bits: UInt16 = 0
    if properties.contains(.notify) { bits |= 1 }
    if properties.contains(.indicate) { bits |= 2 }
    if bits != 0 {
      attributes.append(
        GATTAttribute(
          type: .clientCharacteristicConfiguration, value: [0, 0], access: [.read, .writeRequest, .writeCommand],
          maximumLength: 2,
          owner: characteristic.uuid, subscription: bits))
    }
    for descriptor in characteristic.descriptors {
      attributes.append(
        GATTAttribute(
          type: descriptor.uuid, value: descriptor.value,
          access: descriptor.isWritable ? [.read, .writeRequest] : .read,
          owner: characteristic.uuid))
    }
  }
}

extension GATTServer {
  /// Refuses every read of a characteristic until its value is set. An unknown characteristic is a bug of the caller
  /// (traps).
  public mutating func refuseReading(_ uuid: BluetoothUUID, _ code: ATTErrorCode) {
    guard let handle = valueHandle(of: uuid) else { fatalError("no such characteristic: \(uuid)") }
    table[handle]?.refusal = code
  }
}
