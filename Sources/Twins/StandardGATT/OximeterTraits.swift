// Differences between oximeters, and their values before encoding.

public import Bluetooth
import Health
import Simulation

/// Traits of a simulated pulse oximeter. Optional parts of the Pulse Oximeter Service 1.0.1 can be left out.
public struct OximeterTraits: Sendable {
  /// Advertised name.
  public var name = "Oximeter"
  /// Notifications once a second (3.3), and indications of finished measurements about once a minute (3.2). An oximeter
  /// has at least one of the two.
  public var hasContinuous = true
  /// True if it measures spot-checks.
  public var hasSpotChecks = true
  /// The same wearable serves the Heart Rate Service.
  public var hasHeartRate = false
  /// Measurement status, and device and sensor status.
  public var hasStatus = true
  /// A fast and a slow average besides the normal one.
  public var hasAverages = false
  /// True if it sends the pulse amplitude index.
  public var hasAmplitude = true
  /// Spot-checks have a time stamp; `clockIsSet` determines its meaning.
  public var hasClock = true
  /// True if its clock is set.
  public var clockIsSet = true
  /// Difference between its clock and UTC in quarters of an hour.
  public var quarterHours = 0
  /// Stores spot-checks behind a Record Access Control Point.
  public var hasStorage = false
  /// True if it has the Battery service.
  public var hasBattery = true
  /// Values in tenths; otherwise whole numbers.
  public var isDecimal = true
  /// Sends truncated values between good ones, and good ones with extra bytes at their end.
  public var isHostile = false
  /// Characteristics with a subscription that it refuses.
  public var refused: Set<BluetoothUUID> = []

  /// An oximeter with all parts.
  public init() {}
}

extension BluetoothUUID {
  static let pulseOximeter: BluetoothUUID = 0x1822
  /// PLX Spot-Check Measurement.
  public static let spotCheckMeasurement: BluetoothUUID = 0x2A5E
  /// PLX Continuous Measurement.
  public static let continuousMeasurement: BluetoothUUID = 0x2A5F
  static let oximeterFeatures: BluetoothUUID = 0x2A60
  static let recordAccessControlPoint: BluetoothUUID = 0x2A52
}

/// Measurement of an oximeter.
struct OximeterValue {
  /// Condition of the sensor.
  enum Condition: Equatable {
    case finger
    /// Values continue, marked as questionable.
    case motion
    /// A cold hand, reported as such.
    case lowPerfusion
    /// State without values.
    case offFinger
    /// A demonstration, reported as such.
    case demonstration
  }

  var condition: Condition
  /// 0.1 %.
  var saturation: Int
  /// 0.1 beats per minute.
  var pulse: Int
  /// 0.1 %.
  var amplitude: Int

  /// A number with one decimal as an SFLOAT (IEEE 11073-20601): exponent of ten in the upper four bits, mantissa in the
  /// lower twelve, both signed.
  private static func sfloat(_ tenths: Int, _ traits: OximeterTraits) -> UInt16 {
    traits.isDecimal ? 0xF000 | UInt16(tenths & 0x0FFF) : UInt16(tenths / 10)
  }

  /// Saturation and pulse; both are NaN without a finger.
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
    // Always in tenths: the index is mostly below ten, so whole percents would be too coarse.
    bytes.append(littleEndian: 0xF000 | UInt16(amplitude & 0x0FFF))
    return bytes
  }

  /// PLX Continuous Measurement: flags, the normal pair, then the fields of the flags in the order of their bits.
  /// Flags: bit 0 fast, 1 slow, 2 measurement status, 3 sensor status, 4 amplitude index.
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
  /// not set), the pair. Then the fields of the flags follow in the order of their bits. The time is a Date Time of
  /// seven bytes, without a zone.
  ///
  /// - Parameter time: µs since 1970, in UTC, for a clock that is set. An unset one counts from 2000 on.
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

  /// Values that the store must contain, by the words of the service. If the wearable reports that there is no
  /// measurement, no value is due. Without a status only NaN values are excluded. Questionable values are due.
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
