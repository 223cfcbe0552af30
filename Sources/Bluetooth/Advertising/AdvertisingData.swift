// Advertising data: AD structures, parsed without trusting any byte.

/// The content of advertisements and scan responses of one advertiser (Core Specification Supplement, part A).
///
/// An AD structure is:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | length n of what follows; 0 ends the data early |
/// | 1 | 1 | type |
/// | 2 | n − 1 | payload |
///
/// Parsing is total. A structure that overruns the data ends it and is counted. An unknown type is skipped, and a
/// payload of the wrong size is counted and skipped. `merge` adds a later advertisement or a scan response: lists are
/// united, single values replaced. Every list is bounded. So an advertiser that changes its data for ever costs no more
/// than one that does not.
public struct AdvertisingData: Sendable, Hashable {
  /// Manufacturer data of one company.
  public struct ManufacturerData: Sendable, Hashable {
    /// Company identifier (Assigned Numbers, 7).
    public let company: UInt16
    /// Bytes behind the company identifier.
    public var data: [UInt8]
  }

  /// Service data of one service: bytes of its own format.
  public struct ServiceData: Sendable, Hashable {
    /// Service that the data belong to.
    public let service: BluetoothUUID
    /// Bytes behind the service UUID.
    public var data: [UInt8]
  }

  /// Flags: discoverable modes and BR/EDR support (Core Specification Supplement, part A, 1.3); nil: not advertised.
  public private(set) var flags: UInt8?
  /// Cleaned name. A complete name replaces a shortened one, whichever came first.
  public private(set) var name: String?
  /// True if the advertised name is complete, false if it was shortened.
  public private(set) var isNameComplete = false
  /// Services in the order in which they were first advertised, each once.
  public private(set) var services: [BluetoothUUID] = []
  /// The latest data of each service.
  public private(set) var serviceData: [ServiceData] = []
  /// The latest data of each company.
  public private(set) var manufacturerData: [ManufacturerData] = []
  /// Transmission power in dBm; nil: not advertised.
  public private(set) var txPower: Int8?
  /// Appearance, as assigned by the SIG; nil: not advertised.
  public private(set) var appearance: UInt16?
  /// Structures that claimed more bytes than the data has.
  public private(set) var overruns = 0
  /// Structures with a payload that does not fit their type.
  public private(set) var malformed = 0
  /// List entries beyond the bounds.
  public private(set) var dropped = 0

  /// 1,650 bytes of extended advertising could list 800; drivers need only the first few to recognise a wearable.
  public static let maximumServices = 64
  /// Companies or services with data; up to 4 were seen in one advertisement.
  public static let maximumDataEntries = 16

  /// Empty advertising data.
  public init() {}

  /// Parses one advertisement.
  public init(_ bytes: RawBytes) { merge(bytes) }

  /// Adds another advertisement or scan response of the same device.
  public mutating func merge(_ bytes: RawBytes) {
    var structures = AdvertisingStructures(bytes)
    while let structure = structures.next() {
      var payload = ByteReader(structure.payload)
      take(structure.type, &payload)
    }
    if structures.isOverrun { overruns += 1 }
  }

  private mutating func take(_ type: UInt8, _ payload: inout ByteReader) {
    switch type {
    case 0x01: flags = counted(payload.u8()) ?? flags
    case 0x02, 0x03: takeServices(&payload, width: 2)
    case 0x04, 0x05: takeServices(&payload, width: 4)
    case 0x06, 0x07: takeServices(&payload, width: 16)
    case 0x08: takeName(payload.rest(), isComplete: false)
    case 0x09: takeName(payload.rest(), isComplete: true)
    case 0x0A: txPower = counted(payload.i8()) ?? txPower
    case 0x16: takeServiceData(&payload, width: 2)
    case 0x19: appearance = counted(payload.u16()) ?? appearance
    case 0x20: takeServiceData(&payload, width: 4)
    case 0x21: takeServiceData(&payload, width: 16)
    case 0xFF: takeManufacturerData(&payload)
    default: break
    }
  }

  private mutating func counted<T>(_ value: T?) -> T? {
    if value == nil { malformed += 1 }
    return value
  }

  private mutating func takeName(_ bytes: RawBytes, isComplete: Bool) {
    guard isComplete || !isNameComplete else { return }
    guard let text = String(cleaning: bytes) else {
      malformed += 1
      return
    }
    name = text
    isNameComplete = isComplete
  }

  private mutating func takeServices(_ payload: inout ByteReader, width: Int) {
    while let bytes = payload.take(width), let uuid = BluetoothUUID(wire: bytes) {
      if services.contains(uuid) { continue }
      if services.count < Self.maximumServices { services.append(uuid) } else { dropped += 1 }
    }
    if !payload.isAtEnd { malformed += 1 }
  }

  private mutating func takeServiceData(_ payload: inout ByteReader, width: Int) {
    guard let bytes = payload.take(width), let uuid = BluetoothUUID(wire: bytes) else {
      malformed += 1
      return
    }
    if let index = serviceData.firstIndex(where: { $0.service == uuid }) {
      serviceData[index].data = Array(payload.rest())
    } else if serviceData.count < Self.maximumDataEntries {
      serviceData.append(ServiceData(service: uuid, data: Array(payload.rest())))
    } else {
      dropped += 1
    }
  }

  private mutating func takeManufacturerData(_ payload: inout ByteReader) {
    guard let company = payload.u16() else {
      malformed += 1
      return
    }
    if let index = manufacturerData.firstIndex(where: { $0.company == company }) {
      manufacturerData[index].data = Array(payload.rest())
    } else if manufacturerData.count < Self.maximumDataEntries {
      manufacturerData.append(ManufacturerData(company: company, data: Array(payload.rest())))
    } else {
      dropped += 1
    }
  }
}

/// The AD structures of one advertisement or scan response, in order, up to the first that claims more bytes than there
/// are.
public struct AdvertisingStructures: Sequence, IteratorProtocol {
  private var reader: ByteReader
  /// Whether the data ended in a structure that claims more bytes than there are.
  public private(set) var isOverrun = false

  /// Iterates over the structures of these bytes.
  public init(_ bytes: RawBytes) { reader = ByteReader(bytes) }

  public mutating func next() -> (type: UInt8, payload: RawBytes)? {
    guard !isOverrun, let length = reader.u8(), length != 0 else { return nil }
    guard let type = reader.u8(), let payload = reader.take(Int(length) - 1) else {
      isOverrun = true
      return nil
    }
    return (type, payload)
  }
}
