// Identifiers of the Botz insole: advertised names, services, characteristics.

public import Bluetooth

/// Smart insoles with the Botz sensing firmware. The right foot is the primary: it connects to the hub, and the left
/// foot to the right one.
///
/// Some numbers identify two characteristics, one of which erases all files. A characteristic is therefore always
/// looked up within its service.
public enum Botz {
  public static let rightFootName = "BotzRightSh"
  public static let leftFootName = "BotzLeftSh"
  /// Advertised by both feet, and part of each file's header; the database has no such service.
  public static let advertisedService = BluetoothUUID(high: 0x5CB3_6A16_CA69_4D97, low: 0x89A8_003F_FC9E_C8CD)

  /// Status, streams, announcements of files.
  public enum Information {
    public static let service = uuid(0x0C37_2EAA)
    public static let currentTime: BluetoothUUID = 0x2A2B
    public static let status = uuid(0x0C37_2EAB)
    public static let footPressure = uuid(0x0C37_2EAF)
    public static let chargeState = uuid(0x0C37_2EAD)
    public static let batteryLevels = uuid(0x0C37_2EC8)
    public static let orientation = uuid(0x0C37_2EB2)
    public static let weight = uuid(0x0C37_2EC6)
    public static let statusPack = uuid(0x0C37_2EC7)
    public static let updateProgress = uuid(0x0C37_2EB5)
    public static let newestFile = uuid(0x0C37_2EC2)
    public static let newestFilePath = uuid(0x0C37_2EC3)
    public static let leftManufacturer = uuid(0x0C37_2EB6)
    public static let leftModel = uuid(0x0C37_2EB7)
    public static let leftSerial = uuid(0x0C37_2EB8)
    public static let leftHardware = uuid(0x0C37_2EB9)
    public static let leftFirmware = uuid(0x0C37_2EBA)
    public static let leftUpdateProgress = uuid(0x0C37_2EBB)
    public static let leftNewestFile = uuid(0x0C37_2EC0)
    public static let leftNewestFilePath = uuid(0x0C37_2EC1)
    public static let liveHeader = uuid(0x0C37_2ECD)
    public static let liveRecord = uuid(0x0C37_2ECE)
    public static let liveFooter = uuid(0x0C37_2ECF)

    fileprivate static func uuid(_ first: UInt32) -> BluetoothUUID {
      BluetoothUUID(high: UInt64(first) << 32 | 0x27EB_437E, low: 0xBEF4_775A_EFAF_3C97)
    }
  }

  /// Commands, all of them written.
  public enum Control {
    public static let service = uuid(0x4FD5_B67F)
    public static let setTime = uuid(0x4FD5_B681)
    public static let start = uuid(0x4FD5_B684)
    public static let stop = uuid(0x4FD5_B685)
    public static let calibrateMotion = uuid(0x4FD5_B686)
    public static let deleteFile = uuid(0x4FD5_B687)
    public static let deleteLeftFile = uuid(0x4FD5_B68A)
    public static let connectionProfile = uuid(0x4FD5_B68B)
    public static let calibrateWeight = uuid(0x4FD5_B68D)
    public static let position = uuid(0x4FD5_B68E)
    public static let resetBonds = uuid(0x4FD5_B68F)
    public static let userInfo = uuid(0x4FD5_B690)
    /// Same number as the cadence of the metrics service: only written within this service.
    public static let eraseFlash = uuid(0x4FD5_B691)

    fileprivate static func uuid(_ first: UInt32) -> BluetoothUUID {
      BluetoothUUID(high: UInt64(first) << 32 | 0x9D89_4061, low: 0x92AA_319C_A786_BAAE)
    }
  }

  /// Simple management protocol, the only access to the files.
  public enum Management {
    public static let service = BluetoothUUID(high: 0x8D53_DC1D_1DB7_4CD3, low: 0x868B_8A52_7460_AA84)
    public static let frames = BluetoothUUID(high: 0xDA2E_7828_FBCE_4E01, low: 0xAE9E_2611_7499_7C48)
  }

  /// Time that an insole's clock shows at its start: 2025-06-10T17:00:50Z.
  public static let bootTime: UInt32 = 1_749_574_850
  /// Seconds by which the clock falls back whenever they have passed since it was set: its counter has 24 bits at
  /// 32,768 Hz.
  public static let clockWrap: UInt32 = 512
}
