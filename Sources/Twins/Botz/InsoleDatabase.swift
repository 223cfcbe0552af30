// Services of an insole, in the order of the protocol dossier, with the handle of each value.

public import Bluetooth

/// UUIDs of the vendor's services and characteristics. Several services share characteristic UUIDs, so a place is
/// always a pair.
public enum InsoleUUID {
  /// Information service.
  public static let information = info(0xAA)
  /// Control service.
  public static let control = vendor(0x7F)
  /// Activity Metrics service.
  public static let metrics = vendor(0x90)
  /// 3D Orientation service.
  public static let orientation = info(0xC0)
  /// Management service.
  public static let smp = BluetoothUUID(high: 0x8D53_DC1D_1DB7_4CD3, low: 0x868B_8A52_7460_AA84)
  /// Proxy of the management service.
  public static let smpProxy = BluetoothUUID(high: 0x8D53_DC1E_1DB7_4CD3, low: 0x868B_8A52_7460_AA84)
  /// Characteristic of management frames.
  public static let smpData = BluetoothUUID(high: 0xDA2E_7828_FBCE_4E01, low: 0xAE9E_2611_7499_7C48)
  /// Target of the proxy.
  public static let smpTarget = BluetoothUUID(high: 0xDA2E_7829_FBCE_4E01, low: 0xAE9E_2611_7499_7C48)
  /// Advertised service.
  public static let advertised = BluetoothUUID(high: 0x5CB3_6A16_CA69_4D97, low: 0x89A8_003F_FC9E_C8CD)
  /// Service that the insole searches for on each central, to find its other foot.
  public static let otherFoot = BluetoothUUID(high: 0x75AD_68D6_200C_437D, low: 0x98B5_0618_6207_6C5F)

  /// `0c372eXX-27eb-437e-bef4-775aefaf3c97`.
  public static func info(_ part: UInt8) -> BluetoothUUID {
    BluetoothUUID(high: 0x0C37_2E00_27EB_437E | UInt64(part) << 32, low: 0xBEF4_775A_EFAF_3C97)
  }
  /// `4fd5b6XX-9d89-4061-92aa-319ca786baae`.
  public static func vendor(_ part: UInt8) -> BluetoothUUID {
    BluetoothUUID(high: 0x4FD5_B600_9D89_4061 | UInt64(part) << 32, low: 0x92AA_319C_A786_BAAE)
  }
  /// `6e40000X-…` and `7e50000X-b5a3-f393-e0a9-e50e24dcca9e`.
  static func fota(_ part: UInt8) -> BluetoothUUID {
    BluetoothUUID(high: 0x6E40_0000_B5A3_F393 | UInt64(part) << 32, low: 0xE0A9_E50E_24DC_CA9E)
  }
  static func fileProxy(_ part: UInt8) -> BluetoothUUID {
    BluetoothUUID(high: 0x7E50_0000_B5A3_F393 | UInt64(part) << 32, low: 0xE0A9_E50E_24DC_CA9E)
  }
  /// `e060ca1f-3115-4ad6-9709-8c5ff3bf558b`, and for its characteristics `e160XXXX-…`.
  static let otherFootReceiver = BluetoothUUID(high: 0xE060_CA1F_3115_4AD6, low: 0x9709_8C5F_F3BF_558B)
  static func otherFootCommand(_ part: UInt16) -> BluetoothUUID {
    BluetoothUUID(high: 0xE160_0000_3115_4AD6 | UInt64(part) << 32, low: otherFootReceiver.low)
  }
}

/// Service and characteristic of a value.
struct InsolePlace: Hashable {
  var service: BluetoothUUID
  var characteristic: BluetoothUUID

  static func info(_ part: UInt8) -> InsolePlace {
    InsolePlace(service: InsoleUUID.information, characteristic: InsoleUUID.info(part))
  }
  static func control(_ part: UInt8) -> InsolePlace {
    InsolePlace(service: InsoleUUID.control, characteristic: InsoleUUID.vendor(part))
  }
  static func metric(_ part: UInt8) -> InsolePlace {
    InsolePlace(service: InsoleUUID.metrics, characteristic: InsoleUUID.vendor(part))
  }
  static let currentTime = InsolePlace(service: InsoleUUID.information, characteristic: 0x2A2B)
  static let smp = InsolePlace(service: InsoleUUID.smp, characteristic: InsoleUUID.smpData)
  static let smpProxy = InsolePlace(service: InsoleUUID.smpProxy, characteristic: InsoleUUID.smpData)
  static let smpTarget = InsolePlace(service: InsoleUUID.smpProxy, characteristic: InsoleUUID.smpTarget)
}

/// Attribute table with its handles. Handles are those that `GATTServer` assigns: from 1 on, without gaps.
struct InsoleDatabase {
  let services: [GATTServiceDefinition]
  private var handles: [InsolePlace: UInt16] = [:]
  private var places: [InsolePlace?] = [nil]
  /// Whether the attribute at each handle is the vendor's, and a value or a configuration.
  private(set) var vendorHandles: [Bool] = [false]

  init(_ traits: InsoleTraits) {
    services = Self.services(traits)
    for service in services {
      append(nil, isVendor: false)
      let isVendor = service.uuid.short == nil
      for characteristic in service.characteristics {
        let place = InsolePlace(service: service.uuid, characteristic: characteristic.uuid)
        append(nil, isVendor: false)
        handles[place] = UInt16(places.count)
        append(place, isVendor: isVendor)
        if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) { append(nil, isVendor: isVendor) }
        for _ in characteristic.descriptors { append(nil, isVendor: isVendor) }
      }
    }
  }

  private mutating func append(_ place: InsolePlace?, isVendor: Bool) {
    places.append(place)
    vendorHandles.append(isVendor)
  }

  func handle(_ place: InsolePlace) -> UInt16? { handles[place] }
  func place(_ handle: UInt16) -> InsolePlace? { Int(handle) < places.count ? places[Int(handle)] : nil }
  func isVendor(_ handle: UInt16) -> Bool { Int(handle) < vendorHandles.count && vendorHandles[Int(handle)] }

  // MARK: Tables of the dossier

  private static func services(_ traits: InsoleTraits) -> [GATTServiceDefinition] {
    var services = [
      GATTServiceDefinition(0x1801, [GATTCharacteristicDefinition(.serviceChanged, .indicate, value: [0, 0, 0, 0])]),
      GATTServiceDefinition(
        0x1800,
        [
          GATTCharacteristicDefinition(
            0x2A00, .read, value: Array((traits.isLeftFoot ? "BotzLeftSh" : "BotzRightSh").utf8)),
          GATTCharacteristicDefinition(0x2A01, .read, value: [0x00, 0x03]),
          GATTCharacteristicDefinition(0x2A04, .read, value: [24, 0, 40, 0, 0, 0, 42, 0]),
        ]),
      GATTServiceDefinition(
        0x180A,
        zip(
          [0x2A29, 0x2A24, 0x2A25, 0x2A27, 0x2A26] as [UInt16],
          ["Botz Innovation", "S-01", "12345", "v1.1.0", "001.07.01"]
        ).map {
          GATTCharacteristicDefinition(BluetoothUUID($0), .read, value: Array($1.utf8))
        }),
      GATTServiceDefinition(0x180F, [GATTCharacteristicDefinition(0x2A19, [.read, .notify], value: [80])]),
      GATTServiceDefinition(InsoleUUID.information, information(traits)),
      GATTServiceDefinition(InsoleUUID.control, control(traits)),
      GATTServiceDefinition(InsoleUUID.metrics, metrics),
      GATTServiceDefinition(
        InsoleUUID.orientation,
        [GATTCharacteristicDefinition(InsoleUUID.info(0xC1), [.read, .notify], value: zeros(20))]),
      GATTServiceDefinition(
        InsoleUUID.smpProxy,
        [
          GATTCharacteristicDefinition(InsoleUUID.smpTarget, [.read, .write], value: [0], maximumLength: 1),
          GATTCharacteristicDefinition(InsoleUUID.smpData, [.write, .writeWithoutResponse, .notify]),
        ]),
      GATTServiceDefinition(
        InsoleUUID.fota(1),
        [
          GATTCharacteristicDefinition(InsoleUUID.fota(2), .write),
          GATTCharacteristicDefinition(InsoleUUID.fota(3), [.write, .writeWithoutResponse]),
          GATTCharacteristicDefinition(InsoleUUID.fota(4), [.write, .writeWithoutResponse]),
          GATTCharacteristicDefinition(InsoleUUID.fota(5), [.read, .notify], value: [0]),
        ]),
      GATTServiceDefinition(
        InsoleUUID.fileProxy(1),
        [
          GATTCharacteristicDefinition(InsoleUUID.fileProxy(2), .write),
          GATTCharacteristicDefinition(InsoleUUID.fileProxy(3), .write),
          GATTCharacteristicDefinition(InsoleUUID.fileProxy(4), .notify),
          GATTCharacteristicDefinition(InsoleUUID.fileProxy(5), [.read, .notify], value: [0]),
        ]),
      GATTServiceDefinition(
        InsoleUUID.otherFootReceiver,
        ([0xCA1F, 0xCA82, 0xCA83, 0xCA88, 0xCA84, 0xCA85, 0xCA8E, 0xCA86, 0xCA87, 0xCA89, 0xCA8A, 0xCA8B] as [UInt16])
          .map {
            GATTCharacteristicDefinition(InsoleUUID.otherFootCommand($0), .write)
          }),
    ]
    if traits.hasSMP {
      services.append(
        GATTServiceDefinition(
          InsoleUUID.smp, [GATTCharacteristicDefinition(InsoleUUID.smpData, [.writeWithoutResponse, .notify])]))
    }
    return services
  }

  /// Configuration descriptor of a characteristic that cannot notify: the firmware has two such characteristics.
  private static let strayConfiguration = GATTDescriptorDefinition(
    .clientCharacteristicConfiguration, value: [0, 0], isWritable: true)

  private static func information(_ traits: InsoleTraits) -> [GATTCharacteristicDefinition] {
    let left = traits.hasLeftFoot
    func text(_ part: UInt8, _ value: String) -> GATTCharacteristicDefinition {
      GATTCharacteristicDefinition(InsoleUUID.info(part), .read, value: Array((left ? value : "Not Connected").utf8))
    }
    func both(_ part: UInt8, _ value: [UInt8]) -> GATTCharacteristicDefinition {
      GATTCharacteristicDefinition(InsoleUUID.info(part), [.read, .notify], value: value)
    }
    return [
      GATTCharacteristicDefinition(0x2A2B, .read, value: zeros(12), descriptors: [strayConfiguration]),
      both(0xAB, zeros(4)), both(0xAF, zeros(36)),
      GATTCharacteristicDefinition(InsoleUUID.info(0xAD), .read, value: [0], descriptors: [strayConfiguration]),
      both(0xC8, left ? [80, 79] : [80, 0]), both(0xB2, zeros(20)), both(0xC6, [0, 0]), both(0xC7, zeros(16)),
      both(0xB5, zeros(16)), both(0xC2, [0]), both(0xC3, []),
      text(0xB6, "Botz Innovation"), text(0xB7, "S-01"), text(0xB8, "12345"), text(0xB9, "v1.1.0"),
      text(0xBA, "001.07.01"),
      both(0xBB, zeros(16)), both(0xC0, [0]), both(0xC1, [0]), both(0xCD, zeros(56)), both(0xCE, zeros(26)),
      both(0xCF, zeros(20)),
    ]
  }

  private static func control(_ traits: InsoleTraits) -> [GATTCharacteristicDefinition] {
    let profile: GATTProperties = traits.era == .head ? [.write, .writeWithoutResponse] : [.read, .write]
    return ([0x81, 0x84, 0x85, 0x86, 0x87, 0x8A, 0x8B, 0x8D, 0x8E, 0x8F, 0x90, 0x91] as [UInt8]).map {
      let properties: GATTProperties = $0 == 0x8B ? profile : $0 == 0x8F ? .write : [.write, .writeWithoutResponse]
      return GATTCharacteristicDefinition(InsoleUUID.vendor($0), properties, value: $0 == 0x8B ? [0] : [])
    }
  }

  /// Characteristics in the order of section 8; octets of each value.
  private static let metrics: [GATTCharacteristicDefinition] = {
    let values: [(part: UInt8, count: Int)] = [
      (0x91, 2), (0x98, 2), (0x99, 4), (0x9A, 1), (0x9B, 1), (0x9C, 2), (0x9D, 2), (0x9E, 1), (0x9F, 1), (0xA0, 1),
      (0xA1, 1), (0xA2, 1), (0xA3, 1), (0xA4, 1),
      (0xA5, 1), (0xA6, 1), (0xA7, 1), (0xA8, 2), (0xA9, 2), (0xAA, 1), (0xAB, 1), (0xAC, 4), (0xAD, 2), (0xAE, 2),
      (0xAF, 4), (0xB0, 2), (0xB1, 1), (0xB2, 4),
      (0x95, 0), (0xB3, 2), (0xB4, 1), (0xB5, 2), (0xB6, 1), (0xB7, 2), (0xB8, 2), (0x96, 8), (0x97, 8),
    ]
    return values.map {
      $0.part == 0x95
        ? GATTCharacteristicDefinition(InsoleUUID.vendor($0.part), .write, maximumLength: 14)
        : GATTCharacteristicDefinition(InsoleUUID.vendor($0.part), [.read, .notify], value: zeros($0.count))
    }
  }()

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
