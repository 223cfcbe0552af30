// Names and places of the Botz insole: what is advertised, and every service and characteristic.

public import Bluetooth

/// Smart insoles with the Botz sensing firmware. The right foot is the primary: it talks to the hub, the left foot
/// talks to the right one.
///
/// Some numbers name two things, one of which erases all files: a characteristic is always looked up in its service,
/// never alone.
public enum Botz {
  public static let rightFootName = "BotzRightSh"
  public static let leftFootName = "BotzLeftSh"
  /// Advertised by both feet, and in the header of every file; there is no such service in the database.
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
    /// The same number as the cadence of the metrics service: only ever written in this service.
    public static let eraseFlash = uuid(0x4FD5_B691)

    fileprivate static func uuid(_ first: UInt32) -> BluetoothUUID {
      BluetoothUUID(high: UInt64(first) << 32 | 0x9D89_4061, low: 0x92AA_319C_A786_BAAE)
    }
  }

  /// The simple management protocol, the only way to the files.
  public enum Management {
    public static let service = BluetoothUUID(high: 0x8D53_DC1D_1DB7_4CD3, low: 0x868B_8A52_7460_AA84)
    public static let frames = BluetoothUUID(high: 0xDA2E_7828_FBCE_4E01, low: 0xAE9E_2611_7499_7C48)
  }

  /// The clock of an insole that nobody has set since its start: 2025-06-10T17:00:50Z.
  public static let bootTime: UInt32 = 1_749_574_850
  /// The clock falls back by this many seconds each time they have passed since it was set: its counter has 24 bits at
  /// 32,768 Hz.
  public static let clockWrap: UInt32 = 512
}
