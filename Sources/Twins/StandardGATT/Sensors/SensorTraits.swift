// Differences between health sensors of any kind: identity, power, clock, faults.

public import Bluetooth
import EventLoop

/// Traits of a sensor, apart from its measurements.
public struct SensorTraits: Sendable {
  /// Advertised name.
  public var name: String
  /// Percent; nil: without a battery service.
  public var battery: UInt8? = 77
  /// True if it notifies its battery level.
  public var batteryNotifies = true
  /// Battery Level Status (2BED) besides the level.
  public var hasBatteryStatus = false
  /// Model, serial number, firmware, system id (2A23) and PnP id (2A50).
  public var hasDeviceInformation = true
  /// Traits of the clock.
  public var clock = ClockTraits()
  /// Whether the Reconnection Configuration Service (1829) reports "ready for disconnect"; nil: without the service.
  public var tellsDrained: Bool?
  /// Faults of the sensor.
  public var conduct = SensorConduct()
  /// Time between two advertisements.
  public var advertisingInterval = Duration.milliseconds(250)
  /// Signal strength in dBm.
  public var rssi = -60
  /// Timeout of a confirmation, after which it disconnects. The specification requires 30 s. A sensor with a shorter
  /// one never gets a timely confirmation from a hub that confirms only stored values.
  public var patience = Duration.seconds(30)

  /// A sensor without faults.
  public init(name: String) { self.name = name }
}

/// Clock of a sensor.
public struct ClockTraits: Sendable {
  /// State of the clock.
  public enum State: Sendable, Hashable {
    /// Shows local time.
    case right
    /// Clock never set: counts from 2000-01-01.
    case unset
    /// Clock off by this much; above zero it is fast.
    case wrong(by: Duration)
  }
  /// State of the clock at the start.
  public var state = State.right
  /// Parts per million; above zero it is fast.
  public var drift = 0
  /// Quarters of an hour that it shows east of UTC.
  public var quarterHours = 0
  /// The Current Time Service (1805): 2A2B, 2A0F and 2A14.
  public var isServed = false
  /// Date Time (2A08) in its measuring service, instead of a service of its own.
  public var isDateTime = false
  /// True if the hub may set it.
  public var canBeSet = true
  /// False: its Date Time can only be written.
  public var isReadable = true
  /// Time within which its Date Time must be written on each link. Otherwise it sends no values and disconnects.
  public var wantsTimeWithin: Duration?
  /// An unset clock writes dates of zeros, not those that it counts.
  public var unsetShowsZeros = false

  /// A clock that is right.
  public init() {}
}

/// Faults. Shares are probabilities for each value.
public struct SensorConduct: Sendable {
  /// A truncated value before a good one.
  public var truncated = 0.0
  /// A value with too many flags before a good one.
  public var wrongFlags = 0.0
  /// An impossible value instead of a good one.
  public var beyondRange = 0.0
  /// Extra bytes after a value, without a flag.
  public var trailing = 0.0
  /// The link breaks instead of carrying a confirmation, so the sensor never learns that the hub has the value. The
  /// sensor does not disconnect itself: then it would have received what the hub had sent before.
  public var lostConfirmations = 0.0
  /// Disconnects after so many values of each link.
  public var hangsUpAfter: Int?
  /// Characteristics with a subscription that it refuses.
  public var refused: Set<BluetoothUUID> = []
  /// Every subscription, write and read requires an encrypted link.
  public var demandsEncryption = false
  /// Pairs for one link only, without storing a key.
  public var pairsWithoutBond = false
  /// Silence at the beginning of each link.
  public var muteFor = Duration.zero
  /// A segment is left out, so that the counter has a gap.
  public var segmentGaps = 0.0
  /// Error of its reported number of records.
  public var miscounts = 0
  /// Records are reported twice.
  public var repeatsRecords = false
  /// Begins a report and never ends it.
  public var neverEndsReports = false

  /// Creates conduct without faults.
  public init() {}

  /// Conduct with all faults that a hub must survive without losing a good value.
  public static var rude: SensorConduct {
    var conduct = SensorConduct()
    conduct.truncated = 0.2
    conduct.wrongFlags = 0.2
    conduct.beyondRange = 0.1
    conduct.trailing = 0.2
    conduct.lostConfirmations = 0.1
    conduct.segmentGaps = 0.1
    return conduct
  }
}

extension BluetoothUUID {
  static let currentTimeService: BluetoothUUID = 0x1805
  /// Current Time.
  public static let currentTime: BluetoothUUID = 0x2A2B
  /// Date Time.
  public static let dateTime: BluetoothUUID = 0x2A08
  static let localTimeInformation: BluetoothUUID = 0x2A0F
  static let referenceTimeInformation: BluetoothUUID = 0x2A14
  /// Battery Level Status.
  public static let batteryLevelStatus: BluetoothUUID = 0x2BED
  static let reconnectionConfiguration: BluetoothUUID = 0x1829
  static let reconnectionFeature: BluetoothUUID = 0x2B1D
  static let reconnectionSettings: BluetoothUUID = 0x2B1E
  /// System ID.
  public static let systemIdentifier: BluetoothUUID = 0x2A23
  /// PnP ID.
  public static let plugAndPlayIdentifier: BluetoothUUID = 0x2A50
}
