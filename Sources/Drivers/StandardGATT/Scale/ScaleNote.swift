// Plausible ranges and anomaly texts that the decoders of scales share.

import Bluetooth
import Health
import Wearable

enum ScaleRange {
  /// kg: more than any scale for people can carry.
  static let weight: ClosedRange<Int64> = 0...320
  /// kJ a day: 12,000 kcal.
  static let energy: ClosedRange<Int64> = 0...50_000
  static let ohms: ClosedRange<Int64> = 0...5_000
}

enum ScaleNote {
  static let odd: StaticString = "scale: a value out of range"
  static let reserved: StaticString = "scale: flags that are reserved"
  static let trailing: StaticString = "scale: bytes after the last field"
  static let failed: StaticString = "scale: a measurement that failed, without a value"
  static let unsettled: StaticString = "scale: a weight that had not settled, left out"

  /// Appends the scale's number of the user.
  ///
  /// - Returns: whether a user was appended.
  @discardableResult
  static func tellUser(_ user: UInt8?, _ sink: any SampleSink) -> Bool {
    guard let user, user != WeightMeasurement.unknownUser else { return false }
    sink.append(Sample(.userIndex, Int64(user), flags: .byHand))
    return true
  }

  /// Checks the format of a feature (`ScaleFeatures`); each value announces its fields.
  static func checkFeature(_ value: RawBytes, reserved: UInt32, _ sink: any SampleSink) throws(DecodeError) {
    var reader = ByteReader(value)
    if value.isEmpty { throw .empty }
    guard let bits = reader.u32() else { throw .truncated }
    if bits & reserved != 0 { sink.noteAnomaly("scale: features that are reserved") }
    if reader.remaining != 0 { sink.noteAnomaly("scale: bytes after the features") }
  }
}
