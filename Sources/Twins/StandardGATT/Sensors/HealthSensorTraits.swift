// What makes one generic health sensor differ from the next.

public import Bluetooth
import EventLoop

extension BluetoothUUID {
  static let genericHealthSensor: BluetoothUUID = 0x1840
  static let elapsedTimeService: BluetoothUUID = 0x183F
  public static let liveObservation: BluetoothUUID = 0x2B8B
  public static let storedObservation: BluetoothUUID = 0x2BDD
  public static let healthSensorFeatures: BluetoothUUID = 0x2BF3
  public static let healthSensorControlPoint: BluetoothUUID = 0x2BF4
  public static let currentElapsedTime: BluetoothUUID = 0x2BF2
}

/// The make of a simulated generic health sensor. What is optional in the Generic Health Sensor Service 1.0 can be left
/// out.
public struct HealthSensorTraits: Sendable {
  /// What it observes, one after the other.
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
    /// A code, a text, events, a state, a coded record: nothing that has a series.
    case event, note, events, state, coded
  }
  /// What its time stamps count.
  public enum Time: Sendable, Hashable { case none, utc, utcWithOffset, localWithOffset, ticks }

  public var sensor = SensorTraits(name: "Health sensor")
  public var recording = RecordingTraits()
  public var kinds: [Kind] = [.oximetry, .temperature, .respiration]
  public var time = Time.utcWithOffset
  public var isMilliseconds = false
  /// Live observations, from the hub's word on until its word to stop.
  public var isLive = true
  /// From one live observation to the next.
  public var liveEvery = 5
  /// Live ones are indicated, not notified.
  public var indicatesLive = false
  /// Octets of an observation in one segment; never more than the MTU allows.
  public var segmentSize = 512
  /// Where the counter of segments begins.
  public var firstSegment: UInt8 = 0
  /// The number of its first record; numbers wrap at 2³².
  public var firstRecord: UInt32 = 1
  /// Whose observations they are; nil: without the field.
  public var patient: UInt8?
  /// Every field that an observation may have is there.
  public var hasEveryField = false
  /// The share of observations that it doubts (measurement status), or that have no number.
  public var poor = 0.05

  public init() {}
}
