// Names and places that bands behind TopStep's kit share, and how an advertiser is recognised as one of them.

public import Bluetooth
public import Wearable

public enum Band {
  /// FitCloud and the new platform: commands and answers of either.
  public static let service = uuid(0x0000_01FF)
  /// Written: pieces of frames, see `BandPieces`.
  public static let command = uuid(0x0000_FF02)
  /// Notified: pieces of frames.
  public static let answer = uuid(0x0000_FF03)
  /// Moyoung. Some of its bands on Realtek chips show `service` as well, for updates: this one wins.
  public static let moyoungService: BluetoothUUID = 0xFEEA

  /// Companies of FitCloud's advertisements: the letters of its makers, no assigned numbers.
  public static let fitCloudCompanies: Set<UInt16> = [0x5448, 0x4254, 0x5A54]
  /// Of Moyoung's advertisements; the band's address follows.
  public static let moyoungCompany: UInt16 = 0xF0EF

  /// Stable ids of the drivers, which name each other where a link shows that a band is the other's.
  public static let fitCloudDriver = "fitcloud"
  public static let nextDriver = "topstep-next"
  public static let moyoungDriver = "moyoung"

  private static func uuid(_ first: UInt32) -> BluetoothUUID {
    BluetoothUUID(high: UInt64(first) << 32 | 0x3C17_D293, low: 0x8E48_14FE_2E4D_A212)
  }
}

extension Band {
  public enum Family: Sendable, Hashable {
    case fitCloud, next, moyoung
  }

  /// Which family an advertiser claims to be of, as far as that shows without a link: FitCloud and the new platform
  /// advertise the same service and are told apart by an answer (`IdentifyingSession`). One that says no company is
  /// tried as one of the new platform first, whose frames an older band passes over. Nil: no band.
  public static func family(_ sighting: Sighting) -> Family? {
    let companies = sighting.manufacturerData.lazy.map(\.company)
    if sighting.services.contains(moyoungService) || companies.contains(moyoungCompany) { return .moyoung }
    if companies.contains(where: { fitCloudCompanies.contains($0) }) { return .fitCloud }
    return sighting.services.contains(service) ? .next : nil
  }

  /// Above every driver of a standard service, since bands advertise some of those too and say more in their own way;
  /// below those of a vendor's name, as two numbers alone say less.
  public static let priority = 90
  /// For people.
  public static let kind = "band"
}
