// Discovered GATT database of a wearable.

/// Discovered database: primary services in the order of their handles. Handles ascend without overlap; see
/// `GATTDatabaseBuilder`.
public struct GATTDatabase: Sendable, Hashable {
  /// Primary services, ascending by handle.
  public let services: [GATTService]

  /// The first characteristic of this type in a service of that type.
  public func characteristic(_ uuid: BluetoothUUID, in service: BluetoothUUID) -> GATTCharacteristic? {
    for candidate in services where candidate.uuid == service {
      if let found = candidate.characteristics.first(where: { $0.uuid == uuid }) { return found }
    }
    return nil
  }

  /// The first characteristic of this type in any service.
  public func characteristic(_ uuid: BluetoothUUID) -> GATTCharacteristic? {
    for service in services {
      if let found = service.characteristics.first(where: { $0.uuid == uuid }) { return found }
    }
    return nil
  }
}

/// A service as the wearable declares it (Core specification, volume 3, part G, 3.1).
public struct GATTService: Sendable, Hashable {
  /// Type of the service.
  public let uuid: BluetoothUUID
  /// Handles from the declaration to the last attribute.
  public let handles: ClosedRange<UInt16>
  /// Characteristics, ascending by handle.
  public internal(set) var characteristics: [GATTCharacteristic] = []
}

/// A characteristic with its descriptors (3.3): a declaration, then the value, then the descriptors.
public struct GATTCharacteristic: Sendable, Hashable {
  /// Type of the characteristic.
  public let uuid: BluetoothUUID
  /// Operations that it allows.
  public let properties: GATTProperties
  /// Handle of the declaration (3.3.1), below `valueHandle`.
  public let declarationHandle: UInt16
  /// Handle of the value (3.3.2), for reads, writes and notifications.
  public let valueHandle: UInt16
  /// Descriptors, ascending by handle.
  public internal(set) var descriptors: [GATTDescriptor] = []

  /// Handle of the descriptor that enables notifications and indications (CCCD); nil if the characteristic has no such
  /// descriptor.
  public var configurationHandle: UInt16? {
    descriptors.first { $0.uuid == .clientCharacteristicConfiguration }?.handle
  }
}

/// Descriptor: describes a characteristic's value or configures it (3.3.3).
public struct GATTDescriptor: Sendable, Hashable {
  /// Type of the descriptor.
  public let uuid: BluetoothUUID
  /// Handle for reads and writes.
  public let handle: UInt16
}

/// Builds a database from the claims of a wearable or a cache; only this type checks the claims.
///
/// Bounds: the wearables seen so far have at most 20 services and 250 attributes. A database beyond the bounds is
/// refused as hostile. 512 attributes also bound the characteristics, at two each, to 255.
struct GATTDatabaseBuilder {
  static let maximumServices = 64
  static let maximumAttributes = 512

  private(set) var services: [GATTService] = []
  private var attributes = 0
  /// The highest handle added so far.
  private var last: UInt16 = 0

  /// Adds a service; all services come first, ascending and without overlap.
  mutating func addService(_ uuid: BluetoothUUID, _ start: UInt16, _ end: UInt16) throws(GATTError) {
    guard start != 0, start <= end else { throw .malformed(.handleRange) }
    if let previous = services.last, start <= previous.handles.upperBound { throw .malformed(.handleOrder) }
    guard services.count < Self.maximumServices else { throw .discoveryBounded(.services) }
    try countAttributes(1)
    services.append(GATTService(uuid: uuid, handles: start...end))
  }

  /// Characteristics follow, service by service, ascending.
  mutating func addCharacteristic(
    _ uuid: BluetoothUUID, _ properties: GATTProperties, declaration: UInt16, value: UInt16, service: Int
  ) throws(GATTError) {
    let handles = services[service].handles
    guard declaration > handles.lowerBound, value > declaration, value <= handles.upperBound else {
      throw .malformed(.handleRange)
    }
    guard declaration > last else { throw .malformed(.handleOrder) }
    try countAttributes(2)
    last = value
    services[service].characteristics.append(
      GATTCharacteristic(uuid: uuid, properties: properties, declarationHandle: declaration, valueHandle: value))
  }

  /// The handles in which descriptors of a characteristic may lie: after its value, before the next declaration. Nil if
  /// that range is empty.
  func descriptorHandles(service: Int, characteristic: Int) -> ClosedRange<UInt16>? {
    let all = services[service].characteristics
    let value = all[characteristic].valueHandle
    let end =
      characteristic + 1 < all.count
      ? all[characteristic + 1].declarationHandle - 1 : services[service].handles.upperBound
    return value < end ? value + 1...end : nil
  }

  /// Descriptors follow when all characteristics of the service are known, ascending.
  mutating func addDescriptor(_ uuid: BluetoothUUID, _ handle: UInt16, service: Int, characteristic: Int)
    throws(GATTError)
  {
    guard let range = descriptorHandles(service: service, characteristic: characteristic), range.contains(handle) else {
      throw .malformed(.handleRange)
    }
    let present = services[service].characteristics[characteristic].descriptors
    if let previous = present.last, handle <= previous.handle { throw .malformed(.handleOrder) }
    // A declaration between a value and the next declaration contradicts what was discovered before.
    guard uuid != .primaryService, uuid != .secondaryService, uuid != .characteristicDeclaration else {
      throw .malformed(.declaration)
    }
    try countAttributes(1)
    services[service].characteristics[characteristic].descriptors.append(GATTDescriptor(uuid: uuid, handle: handle))
  }

  var database: GATTDatabase { GATTDatabase(services: services) }

  private mutating func countAttributes(_ count: Int) throws(GATTError) {
    attributes += count
    guard attributes <= Self.maximumAttributes else { throw .discoveryBounded(.attributes) }
  }
}
