// Identifiers of the Botz insole: advertised names, services, characteristics.

public import Bluetooth

/// Smart insoles with the Botz sensing firmware. The right foot is the primary: it connects to the hub, and the left
/// foot to the right one.
///
/// Some numbers identify two characteristics, one of which erases all files. A characteristic is therefore always
/// looked up within its service.
public enum Botz {
  /// Advertised name of the right foot.
  public static let rightFootName = "BotzRightSh"
  /// Advertised name of the left foot.
  public static let leftFootName = "BotzLeftSh"
  /// Advertised by both feet, and part of each file's header; the database has no such service.
  public static let advertisedService = BluetoothUUID(high: 0x5CB3_6A16_CA69_4D97, low: 0x89A8_003F_FC9E_C8CD)

  /// Status, streams, announcements of files.
  public enum Information {
    /// The Information service: read and notified values.
    public static let service = uuid(0x0C37_2EAA)
    /// Current Time: the clock.
    public static let currentTime: BluetoothUUID = 0x2A2B
    /// Status word (`StatusWord`), 4 bytes: read, notify on change.
    public static let status = uuid(0x0C37_2EAB)
    /// Pressure under both feet.
    public static let footPressure = uuid(0x0C37_2EAF)
    /// Charge state, 1 byte, only read: 0 not charging, 1 charging, 2 full. The firmware has only that of the left
    /// foot.
    public static let chargeState = uuid(0x0C37_2EAD)
    /// Battery levels of both feet.
    public static let batteryLevels = uuid(0x0C37_2EC8)
    /// Orientation of both feet.
    public static let orientation = uuid(0x0C37_2EB2)
    /// Weight in 0.1 kg, 2 bytes: read, notify. Always 0, as no command triggers the measurement.
    public static let weight = uuid(0x0C37_2EC6)
    /// Status pack (`StatusPack`), 16 bytes: read, notify.
    public static let statusPack = uuid(0x0C37_2EC7)
    /// Progress of a firmware update.
    public static let updateProgress = uuid(0x0C37_2EB5)
    /// Number of the newest file.
    public static let newestFile = uuid(0x0C37_2EC2)
    /// Path of the newest file: read 0 to 33 bytes, notify 34.
    public static let newestFilePath = uuid(0x0C37_2EC3)
    /// Manufacturer of the left foot.
    public static let leftManufacturer = uuid(0x0C37_2EB6)
    /// Model of the left foot.
    public static let leftModel = uuid(0x0C37_2EB7)
    /// Serial number of the left foot.
    public static let leftSerial = uuid(0x0C37_2EB8)
    /// Hardware revision of the left foot.
    public static let leftHardware = uuid(0x0C37_2EB9)
    /// Firmware revision of the left foot.
    public static let leftFirmware = uuid(0x0C37_2EBA)
    /// Progress of a firmware update of the left foot.
    public static let leftUpdateProgress = uuid(0x0C37_2EBB)
    /// Number of the newest file of the left foot.
    public static let leftNewestFile = uuid(0x0C37_2EC0)
    /// Path of the newest file of the left foot.
    public static let leftNewestFilePath = uuid(0x0C37_2EC1)
    /// Header of the running session.
    public static let liveHeader = uuid(0x0C37_2ECD)
    /// Records of the running session.
    public static let liveRecord = uuid(0x0C37_2ECE)
    /// Footer of the session that ended.
    public static let liveFooter = uuid(0x0C37_2ECF)

    fileprivate static func uuid(_ first: UInt32) -> BluetoothUUID {
      BluetoothUUID(high: UInt64(first) << 32 | 0x27EB_437E, low: 0xBEF4_775A_EFAF_3C97)
    }
  }

  /// Commands, all of them written.
  public enum Control {
    /// The Control service: every characteristic is a command.
    public static let service = uuid(0x4FD5_B67F)
    /// Sets the clock: 4 bytes, seconds since 1970, most significant byte first.
    public static let setTime = uuid(0x4FD5_B681)
    /// Starts a session or stream.
    public static let start = uuid(0x4FD5_B684)
    /// Stops a session or stream.
    public static let stop = uuid(0x4FD5_B685)
    /// Calibrates the motion sensor.
    public static let calibrateMotion = uuid(0x4FD5_B686)
    /// Deletes an activity file by its number, 1 byte.
    public static let deleteFile = uuid(0x4FD5_B687)
    /// Deletes a file of the left foot.
    public static let deleteLeftFile = uuid(0x4FD5_B68A)
    /// Sets the profile of the link.
    public static let connectionProfile = uuid(0x4FD5_B68B)
    /// Calibrates the weight: `01`, or 4 bytes with a float32 of 20 to 300 kg.
    public static let calibrateWeight = uuid(0x4FD5_B68D)
    /// Sends a position.
    public static let position = uuid(0x4FD5_B68E)
    /// Deletes all bonds.
    public static let resetBonds = uuid(0x4FD5_B68F)
    /// Sends facts of the wearer.
    public static let userInfo = uuid(0x4FD5_B690)
    /// Characteristic of the same number as the cadence of the metrics service: only written within this service.
    public static let eraseFlash = uuid(0x4FD5_B691)

    fileprivate static func uuid(_ first: UInt32) -> BluetoothUUID {
      BluetoothUUID(high: UInt64(first) << 32 | 0x9D89_4061, low: 0x92AA_319C_A786_BAAE)
    }
  }

  /// Simple management protocol, the only access to the files.
  public enum Management {
    /// The management service.
    public static let service = BluetoothUUID(high: 0x8D53_DC1D_1DB7_4CD3, low: 0x868B_8A52_7460_AA84)
    /// Frames of the management protocol.
    public static let frames = BluetoothUUID(high: 0xDA2E_7828_FBCE_4E01, low: 0xAE9E_2611_7499_7C48)
  }

  /// Time that an insole's clock shows at its start: 2025-06-10T17:00:50Z.
  public static let bootTime: UInt32 = 1_749_574_850
  /// Seconds by which the clock falls back whenever they have passed since it was set: its counter has 24 bits at
  /// 32,768 Hz.
  public static let clockWrap: UInt32 = 512
}
