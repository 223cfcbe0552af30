// Services of wearables before PMD, and Polar's own reading of standard ones.

import Bluetooth
import EventLoop
import GATTServices
import Wearable

@testable import PolarFamily

extension Polar {
  /// Battery Level Status (2BED) as Polar's wearables send it: the power state's first byte counts, even if the value
  /// ends after it.
  struct PowerState: Sendable, Hashable {
    let isBatteryPresent: Bool
    let wired: BatteryLevelStatus.Answer
    let wireless: BatteryLevelStatus.Answer
    let chargeState: BatteryLevelStatus.ChargeState

    /// - Throws: `empty`, `truncated` below two bytes.
    init(_ bytes: RawBytes) throws(DecodeError) {
      var reader = ByteReader(bytes)
      guard reader.skip(1) else { throw .empty }
      guard let power = reader.u8() else { throw .truncated }
      isBatteryPresent = power & 1 != 0
      wired = BatteryLevelStatus.Answer(rawValue: power >> 1 & 3) ?? .reserved
      wireless = BatteryLevelStatus.Answer(rawValue: power >> 3 & 3) ?? .reserved
      chargeState = BatteryLevelStatus.ChargeState(rawValue: power >> 5 & 3) ?? .unknown
    }
  }

  /// What a wearable of the OH1's time can stream: the feature byte of PSD.
  struct LegacyFeatures: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let ecg = LegacyFeatures(rawValue: 1)
    static let opticalHeartRate = LegacyFeatures(rawValue: 2)
    static let acceleration = LegacyFeatures(rawValue: 4)
    static let pulseIntervals = LegacyFeatures(rawValue: 8)
  }

  /// A pulse interval of PSD.
  ///
  ///     byte 0   counter
  ///     1        heart rate, beats per minute
  ///     2-3      interval, ms
  ///     4-5      error estimate, ms
  ///     6        bit 0 the wearer moved, bit 1 skin contact, bit 2 contact can be told
  struct LegacyPulseInterval: Sendable, Hashable {
    static let size = 7

    let counter: UInt8
    let heartRate: UInt8
    let milliseconds: UInt16
    let errorEstimate: UInt16
    let isBlocked: Bool
    let hasContact: Bool
    let tellsContact: Bool

    /// All whole records of a notification; a cut one at the end is left out.
    static func all(in bytes: RawBytes) -> [LegacyPulseInterval] {
      var reader = ByteReader(bytes)
      var intervals: [LegacyPulseInterval] = []
      intervals.reserveCapacity(bytes.count / size)
      while let record = reader.take(size), let interval = LegacyPulseInterval(record) { intervals.append(interval) }
      return intervals
    }

    private init?(_ bytes: RawBytes) {
      var reader = ByteReader(bytes)
      guard let counter = reader.u8(), let heartRate = reader.u8(), let milliseconds = reader.u16(),
        let error = reader.u16(), let flags = reader.u8()
      else { return nil }
      self.counter = counter
      self.heartRate = heartRate
      self.milliseconds = milliseconds
      errorEstimate = error
      isBlocked = flags & 1 != 0
      hasContact = flags & 2 != 0
      tellsContact = flags & 4 != 0
    }
  }

  /// The one byte of settings of an H7: read, changed, written, read.
  struct H7Settings: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let broadcast = H7Settings(rawValue: 1)
    static let transmission5kHz = H7Settings(rawValue: 2)
  }

  /// System ID as Polar prints it: all bytes from the last to the first.
  static func systemIDText(_ bytes: RawBytes) -> String { hexadecimal(bytes.reversed()) }
}
