// Sensor Location (2A5D): body or bike location of a running or cycling sensor.

import Bluetooth
import Wearable

/// GATT Specification Supplement, Sensor Location: one byte, 17 to 255 reserved.
enum SensorLocation {
  static let characteristic: BluetoothUUID = 0x2A5D

  /// Names for people, by code.
  private static let names = [
    "other", "top of shoe", "in shoe", "hip", "front wheel", "left crank", "right crank", "left pedal", "right pedal",
    "front hub", "rear dropout", "chainstay", "rear wheel", "rear hub", "chest", "spider", "chain ring",
  ]

  /// nil for another source, without a byte, and for a reserved code.
  static func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? {
    guard source.characteristic == characteristic, let code = value.first, names.indices.contains(Int(code)) else {
      return nil
    }
    return .bodyLocation(names[Int(code)])
  }

  /// Notes anomalies of a value.
  ///
  /// - Throws: `empty` without bytes.
  static func check(_ value: RawBytes, _ sink: any SampleSink) throws(DecodeError) {
    if value.isEmpty { throw .empty }
    if let code = value.first, !names.indices.contains(Int(code)) {
      sink.noteAnomaly("sensor location: a code that is reserved")
    }
    if value.count > 1 { sink.noteAnomaly("sensor location: bytes after the code") }
  }
}
