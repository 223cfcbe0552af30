// Differences between straps: the optional parts of the Heart Rate Service.

import Bluetooth
import EventLoop
public import Simulation

/// Traits of a simulated strap. Drawn from its random stream unless a scenario sets them.
public struct StrapTraits: Sendable {
  /// Name as advertised and in Device Name.
  public var name: String
  /// Rate always as uint16, as some straps do even below 256 bpm.
  public var hasWideRate: Bool
  /// True if it sends RR intervals.
  public var hasIntervals: Bool
  /// Energy expended is part of every tenth notification (Heart Rate Service 1.0, 3.1.1.3 recommends about that).
  public var hasEnergy: Bool
  /// Supports sensor contact, and loses it occasionally.
  public var hasContact: Bool
  /// Body Sensor Location value, nil without the characteristic.
  public var bodyLocation: UInt8?
  /// True if it has the Battery service.
  public var hasBattery: Bool
  /// True if it notifies its battery level.
  public var batteryNotifies: Bool
  /// True if it has the Device Information service.
  public var hasDeviceInformation: Bool
  /// True if its database has a hash.
  public var hasDatabaseHash: Bool
  /// The name is in the scan response only.
  public var namesItselfInScanResponse: Bool
  /// Own advertising interval, 100–1,000 ms.
  public var advertisingInterval: Duration
  /// Deviation of its own second, parts per million; crystals of straps are within ±50.
  public var clockDrift: Int
  /// dBm at the usual place of its wearer.
  public var rssi: Int
  /// Percent at the start.
  public var battery: Double
  /// Percent per hour while linked.
  public var batteryDrain: Double
  /// Constant heart rate, beats per minute; nil: the rate varies.
  public var heldRate: Double?

  /// Draws traits from `random`. Eight consecutive numbers cover all combinations of rate width, intervals and energy.
  public init(number: Int, random: inout SeededRandom) {
    name = "Strap \(hexadecimal([UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]))"
    hasWideRate = number & 1 != 0
    hasIntervals = number & 2 == 0
    hasEnergy = number & 4 != 0
    hasContact = random.chance(0.6)
    let location = random.below(8)
    bodyLocation = location == 7 ? nil : UInt8(location)
    hasBattery = random.chance(0.9)
    batteryNotifies = random.chance(0.7)
    hasDeviceInformation = random.chance(0.9)
    hasDatabaseHash = random.chance(0.5)
    namesItselfInScanResponse = random.chance(0.5)
    advertisingInterval = .milliseconds(Int64(random.integer(in: 100...1000)))
    clockDrift = random.integer(in: -50...50)
    rssi = random.integer(in: -78 ... -48)
    battery = 30 + random.fraction() * 70
    batteryDrain = 0.3 + random.fraction() * 1.2
  }
}

/// Content of one Heart Rate Measurement before encoding.
struct HeartRateValue: Equatable {
  var rate: UInt16
  /// Nil: the strap does not support contact detection.
  var hasContact: Bool?
  /// Kilojoules.
  var energy: UInt16?
  /// 1/1024 s, oldest first.
  var intervals: [UInt16]

  /// Appends a Heart Rate Measurement, 2A37 (Heart Rate Service 1.0, 3.1):
  ///
  ///     octets  content
  ///     1       flags: bit 0 rate is uint16, bits 1–2 contact, bit 3 energy present, bit 4 intervals present
  ///     1 or 2  rate, bpm
  ///     0 or 2  energy, kJ
  ///     2 × n   intervals, 1/1024 s
  func append(to bytes: inout [UInt8], wide: Bool) {
    let isWide = wide || rate > 255
    var flags: UInt8 = isWide ? 0x01 : 0
    if let hasContact { flags |= hasContact ? 0x06 : 0x04 }
    if energy != nil { flags |= 0x08 }
    if !intervals.isEmpty { flags |= 0x10 }
    bytes.append(flags)
    bytes.append(UInt8(truncatingIfNeeded: rate))
    if isWide { bytes.append(UInt8(rate >> 8)) }
    if let energy {
      bytes.append(UInt8(truncatingIfNeeded: energy))
      bytes.append(UInt8(energy >> 8))
    }
    for interval in intervals {
      bytes.append(UInt8(truncatingIfNeeded: interval))
      bytes.append(UInt8(interval >> 8))
    }
  }
}
