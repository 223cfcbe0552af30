// What makes one oximeter differ from the next, and what it sends, before it is bytes.

public import Bluetooth
import Health
import Simulation

/// The make of a simulated pulse oximeter. What is optional in the Pulse Oximeter Service 1.0.1 can be left out.
public struct OximeterTraits: Sendable {
  public var name = "Oximeter"
  /// It notifies once a second (3.3), or indicates a finished measurement about once a minute (3.2); one of both at
  /// least.
  public var hasContinuous = true
  public var hasSpotChecks = true
  /// The same wearable serves the Heart Rate Service.
  public var hasHeartRate = false
  /// Measurement status, and device and sensor status.
  public var hasStatus = true
  /// Beside the normal average a fast and a slow one.
  public var hasAverages = false
  public var hasAmplitude = true
  /// Spot-checks have a time; `clockIsSet` says what of.
  public var hasClock = true
  public var clockIsSet = true
  /// Its clock shows so many quarters of an hour more than UTC.
  public var quarterHours = 0
  /// Keeps spot-checks behind a Record Access Control Point.
  public var hasStorage = false
  public var hasBattery = true
  /// Tells tenths, else whole numbers.
  public var isDecimal = true
  /// Between good values it sends some that are cut, and its good ones have bytes after their end.
  public var isHostile = false
  /// Characteristics of which it refuses the subscription.
  public var refused: Set<BluetoothUUID> = []

  public init() {}
}

extension BluetoothUUID {
  static let pulseOximeter: BluetoothUUID = 0x1822
  public static let spotCheckMeasurement: BluetoothUUID = 0x2A5E
  public static let continuousMeasurement: BluetoothUUID = 0x2A5F
  static let oximeterFeatures: BluetoothUUID = 0x2A60
  static let recordAccessControlPoint: BluetoothUUID = 0x2A52
}

/// One measurement of an oximeter.
struct OximeterValue {
  /// What the sensor sees.
  enum Condition: Equatable {
    case finger
    /// Its values go on, and it says that they are doubtful.
    case motion
    /// A cold hand: it says so.
    case lowPerfusion
    /// It has no values to tell.
    case offFinger
    /// It shows what it can do.
    case demonstration
  }

  var condition: Condition
  /// 0.1 %.
  var saturation: Int
  /// 0.1 beats a minute.
  var pulse: Int
  /// 0.1 %.
  var amplitude: Int

  /// A number of one place after the point as an SFLOAT (IEEE 11073-20601): exponent of ten in the upper four bits,
  /// mantissa in the lower twelve, both signed.
  private static func sfloat(_ tenths: Int, _ traits: OximeterTraits) -> UInt16 {
    traits.isDecimal ? 0xF000 | UInt16(tenths & 0x0FFF) : UInt16(tenths / 10)
  }

  /// Saturation and pulse; both are not a number where there are none.
  private func pair(_ saturation: Int, _ pulse: Int, _ traits: OximeterTraits) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: condition == .offFinger ? 0x07FF : Self.sfloat(saturation, traits))
    bytes.append(littleEndian: condition == .offFinger ? 0x07FF : Self.sfloat(pulse, traits))
    return bytes
  }

  /// Measurement status: bits 5 ongoing, 7 validated, 10 demonstration, 13 unavailable, 14 questionable. Device and
  /// sensor status, 24 bits: 5 low perfusion, 6 erratic signal, 9 analysis ongoing, 11 not connected to a user.
  private var status: (measurement: UInt16, sensor: UInt32) {
    switch condition {
    case .finger: (1 << 5 | 1 << 7, 1 << 9)
    case .motion: (1 << 5 | 1 << 14, 1 << 6 | 1 << 9)
    case .lowPerfusion: (1 << 5 | 1 << 7, 1 << 5)
    case .offFinger: (1 << 13, 1 << 11)
    case .demonstration: (1 << 10, 0)
    }
  }

  private func statusBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: status.measurement)
    return bytes + (0..<3).map { UInt8(truncatingIfNeeded: status.sensor >> (8 * $0)) }
  }

  private func amplitudeBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    // Always to a tenth: whole percents would say nothing of an index that is mostly below ten.
    bytes.append(littleEndian: 0xF000 | UInt16(amplitude & 0x0FFF))
    return bytes
  }

  /// PLX Continuous Measurement: flags (bit 0 fast, 1 slow, 2 measurement status, 3 sensor status, 4 amplitude index),
  /// the normal pair, then what the flags announce in the order of their bits.
  func continuous(_ traits: OximeterTraits) -> [UInt8] {
    let flags: UInt8 =
      (traits.hasAverages ? 0x03 : 0) | (traits.hasStatus ? 0x0C : 0) | (traits.hasAmplitude ? 0x10 : 0)
    var bytes = [flags] + pair(saturation, pulse, traits)
    if traits.hasAverages {
      bytes += pair(max(0, saturation - 7), pulse + 31, traits) + pair(min(1000, saturation + 4), pulse - 17, traits)
    }
    if traits.hasStatus { bytes += statusBytes() }
    if traits.hasAmplitude { bytes += amplitudeBytes() }
    return bytes
  }

  /// PLX Spot-check Measurement: flags (bit 0 time, 1 measurement status, 2 sensor status, 3 amplitude index, 4 clock
  /// not set), the pair, then what the flags announce in the order of their bits. The time is a Date Time of seven
  /// bytes, without a zone.
  ///
  /// - Parameter time: µs since 1970, in UTC: what a clock that is set tells. One that is not counts from 2000 on.
  func spotCheck(_ traits: OximeterTraits, time: Int64, seconds: Int) -> [UInt8] {
    var flags: UInt8 = (traits.hasStatus ? 0x06 : 0) | (traits.hasAmplitude ? 0x08 : 0)
    if traits.hasClock { flags |= traits.clockIsSet ? 0x01 : 0x11 }
    var bytes = [flags] + pair(saturation, pulse, traits)
    if traits.hasClock {
      bytes += dateTime(
        traits.clockIsSet
          ? time + Int64(traits.quarterHours) * 900_000_000 : SensorClock.unsetEpoch + Int64(seconds) * 1_000_000)
    }
    if traits.hasStatus { bytes += statusBytes() }
    if traits.hasAmplitude { bytes += amplitudeBytes() }
    return bytes
  }

  /// What a store owes of it, by the service's own words: nothing where the wearable says that it is none, and without
  /// a status nothing of what is not a number. What it only doubts is owed.
  func expected(_ traits: OximeterTraits) -> [(kind: Series, value: Int64)] {
    if condition == .offFinger || condition == .demonstration && traits.hasStatus { return [] }
    let whole = traits.isDecimal ? saturation : saturation / 10 * 10
    var all: [(kind: Series, value: Int64)] = [
      (.spo2, Int64((whole + 5) / 10)), (.pulseRate, Int64(traits.isDecimal ? pulse : pulse / 10 * 10)),
    ]
    if traits.hasAmplitude { all.append((.pulseAmplitudeIndex, Int64(amplitude * 10))) }
    return all
  }
}
