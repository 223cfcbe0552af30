// What makes one health sensor differ from the next, whatever it measures: identity, power, clock, and what goes wrong.

public import Bluetooth
import EventLoop

/// The make of a sensor, beside what it measures.
public struct SensorTraits: Sendable {
  public var name: String
  /// Percent; nil: without a battery service.
  public var battery: UInt8? = 77
  public var batteryNotifies = true
  /// Battery Level Status (2BED) beside the level.
  public var hasBatteryStatus = false
  /// Model, serial number, firmware, system id (2A23) and PnP id (2A50).
  public var hasDeviceInformation = true
  public var clock = ClockTraits()
  /// The Reconnection Configuration Service (1829), and whether its features let it say when it may be hung up on; nil:
  /// without the service.
  public var tellsDrained: Bool?
  public var conduct = SensorConduct()
  public var advertisingInterval = Duration.milliseconds(250)
  public var rssi = -60
  /// How long it waits for the confirmation of an indication before it hangs up. The specification says 30 s; one that
  /// waits for less is never answered in time by a hub that confirms only what it has stored.
  public var patience = Duration.seconds(30)

  public init(name: String) { self.name = name }
}

/// The clock of a sensor.
public struct ClockTraits: Sendable {
  public enum State: Sendable, Hashable {
    /// Shows the time of the place.
    case right
    /// Nobody has set it: it counts from 2000-01-01.
    case unset
    /// Off by so much; above zero it is fast.
    case wrong(by: Duration)
  }
  public var state = State.right
  /// Parts per million; above zero it is fast.
  public var drift = 0
  /// Quarters of an hour that it shows east of UTC.
  public var quarterHours = 0
  /// The Current Time Service (1805): 2A2B, 2A0F and 2A14.
  public var isServed = false
  /// Date Time (2A08) in the service that it measures by, in place of a service of its own.
  public var isDateTime = false
  public var canBeSet = true
  /// False: its Date Time can only be written.
  public var isReadable = true
  /// It hangs up, and hands nothing over, unless its Date Time is written so soon behind the begin of each link.
  public var wantsTimeWithin: Duration?
  /// An unset clock writes dates of zeros, not those it counts.
  public var unsetShowsZeros = false

  public init() {}
}

/// What goes wrong. Shares are probabilities for each value.
public struct SensorConduct: Sendable {
  /// Before a value comes one that ends too early.
  public var truncated = 0.0
  /// Before a value comes one whose flags promise more than it has.
  public var wrongFlags = 0.0
  /// In place of a value comes one that nobody can have.
  public var beyondRange = 0.0
  /// After a value come bytes that no flag announces.
  public var trailing = 0.0
  /// The link breaks, without a word, in place of a confirmation: the sensor never learns that the hub has the value.
  /// It does not hang up: who hangs up has heard what the hub sent before.
  public var lostConfirmations = 0.0
  /// It hangs up after so many values of each link.
  public var hangsUpAfter: Int?
  /// Characteristics of which it refuses the subscription.
  public var refused: Set<BluetoothUUID> = []
  /// Nothing may be subscribed to, written or read but over an encrypted link.
  public var demandsEncryption = false
  /// It pairs for one link alone, and keeps no key of it.
  public var pairsWithoutBond = false
  /// It says and answers nothing for so long at the beginning of each link.
  public var muteFor = Duration.zero
  /// A segment is left out, so that the counter has a gap.
  public var segmentGaps = 0.0
  /// What it says of the number of its records is wrong by so many.
  public var miscounts = 0
  /// Records are reported twice.
  public var repeatsRecords = false
  /// It begins a report and never ends it.
  public var neverEndsReports = false

  public init() {}

  /// Everything that a hub must survive while it keeps every good value.
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
  public static let currentTime: BluetoothUUID = 0x2A2B
  public static let dateTime: BluetoothUUID = 0x2A08
  static let localTimeInformation: BluetoothUUID = 0x2A0F
  static let referenceTimeInformation: BluetoothUUID = 0x2A14
  public static let batteryLevelStatus: BluetoothUUID = 0x2BED
  static let reconnectionConfiguration: BluetoothUUID = 0x1829
  static let reconnectionFeature: BluetoothUUID = 0x2B1D
  static let reconnectionSettings: BluetoothUUID = 0x2B1E
  public static let systemIdentifier: BluetoothUUID = 0x2A23
  public static let plugAndPlayIdentifier: BluetoothUUID = 0x2A50
}
