// UUIDs and company numbers of bands, and how the family of an advertiser is recognised.

public import Bluetooth
public import Wearable

/// Identifiers that all families of bands share.
public enum Band {
  /// Service of FitCloud and of the new platform: commands and answers of either.
  public static let service = uuid(0x0000_01FF)
  /// Written: pieces of frames, see `BandPieces`.
  public static let command = uuid(0x0000_FF02)
  /// Notified: pieces of frames.
  public static let answer = uuid(0x0000_FF03)
  /// Service of Moyoung. Some of its bands on Realtek chips also show `service`, for updates; this one takes
  /// precedence.
  public static let moyoungService: BluetoothUUID = 0xFEEA

  /// Company numbers in FitCloud's advertisements: letters of its makers, not assigned numbers.
  public static let fitCloudCompanies: Set<UInt16> = [0x5448, 0x4254, 0x5A54]
  /// Company number in Moyoung's advertisements; the band's address follows it.
  public static let moyoungCompany: UInt16 = 0xF0EF

  /// Stable ids of the drivers. A driver names another one if the link shows that the band belongs to that family.
  public static let fitCloudDriver = "fitcloud"
  /// Name of the driver for the new platform.
  public static let nextDriver = "topstep-next"
  /// Name of Moyoung's driver.
  public static let moyoungDriver = "moyoung"

  private static func uuid(_ first: UInt32) -> BluetoothUUID {
    BluetoothUUID(high: UInt64(first) << 32 | 0x3C17_D293, low: 0x8E48_14FE_2E4D_A212)
  }
}

extension Band {
  /// Family of a band.
  public enum Family: Sendable, Hashable {
    case fitCloud, next, moyoung
  }

  /// Family that an advertiser seems to belong to, without a link; nil: no band. FitCloud and the new platform
  /// advertise the same service, so only an answer distinguishes them (`IdentifyingSession`). An advertiser without a
  /// company number is first tried as one of the new platform, because an older band ignores frames of that platform.
  public static func family(_ scanResult: ScanResult) -> Family? {
    let companies = scanResult.manufacturerData.lazy.map(\.company)
    if scanResult.services.contains(moyoungService) || companies.contains(moyoungCompany) { return .moyoung }
    if companies.contains(where: { fitCloudCompanies.contains($0) }) { return .fitCloud }
    return scanResult.services.contains(service) ? .next : nil
  }

  /// Priority of the drivers: above every driver of a standard service, and below drivers that match a vendor's name.
  /// Bands advertise some of those services too, and report more over their own protocol. Two numbers alone prove less
  /// than a name.
  public static let priority = 90
  /// Kind of wearable, for display.
  public static let kind = "band"
}
