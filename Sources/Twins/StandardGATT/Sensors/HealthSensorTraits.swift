// Differences between generic health sensors.

public import Bluetooth
import EventLoop

extension BluetoothUUID {
  static let genericHealthSensor: BluetoothUUID = 0x1840
  static let elapsedTimeService: BluetoothUUID = 0x183F
  /// Live Health Observations.
  public static let liveObservation: BluetoothUUID = 0x2B8B
  /// Stored Health Observations.
  public static let storedObservation: BluetoothUUID = 0x2BDD
  /// Health Sensor Features.
  public static let healthSensorFeatures: BluetoothUUID = 0x2BF3
  /// GHS Control Point.
  public static let healthSensorControlPoint: BluetoothUUID = 0x2BF4
  /// Current Elapsed Time.
  public static let currentElapsedTime: BluetoothUUID = 0x2BF2
}

/// Traits of a simulated generic health sensor. Optional parts of the Generic Health Sensor Service 1.0 can be left
/// out.
public struct HealthSensorTraits: Sendable {
  /// Kinds of observations, in rotation.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case temperature
    case saturation
    /// Saturation and pulse of one moment.
    case oximetry
    case respiration
    /// Three numbers in one.
    case pressure
    /// Samples of an electrocardiogram: longer than any notification.
    case electrocardiogram
    /// A code, a text, events, a state, a coded record: kinds without a series.
    case event, note, events, state, coded
  }
  /// Meaning of its time stamps.
  public enum Time: Sendable, Hashable { case none, utc, utcWithOffset, localWithOffset, ticks }

  /// Traits of all sensors.
  public var sensor = SensorTraits(name: "Health sensor")
  /// Properties of its records.
  public var recording = RecordingTraits()
  /// Kinds of observations.
  public var kinds: [Kind] = [.oximetry, .temperature, .respiration]
  /// Meaning of its time stamps.
  public var time = Time.utcWithOffset
  /// True: time stamps in milliseconds.
  public var isMilliseconds = false
  /// Live observations, from the hub's start command to its stop command.
  public var isLive = true
  /// Seconds between two live observations.
  public var liveEvery = 5
  /// Live observations are indicated, not notified.
  public var indicatesLive = false
  /// Octets of an observation in one segment, within the MTU.
  public var segmentSize = 512
  /// First value of the segment counter.
  public var firstSegment: UInt8 = 0
  /// Number of its first record; numbers wrap at 2³².
  public var firstRecord: UInt32 = 1
  /// Patient of its observations; nil: without the field.
  public var patient: UInt8?
  /// Observations have every possible field.
  public var hasEveryField = false
  /// Share of observations that are questionable (measurement status), or have no number.
  public var poor = 0.05

  /// A sensor without faults.
  public init() {}
}
