// Start of a reading with a Date Time, which its wearable keeps until it is confirmed.

import Bluetooth
import Health
import Wearable

extension SampleSink {
  /// Precedes the samples of one value.
  ///
  /// - Parameters:
  ///   - time: its own time; nil without one. An invalid time counts as unknown.
  ///   - isUnset: the wearable reports that its clock was never set.
  ///   - isBorrowed: the time is from another value before this one.
  ///   - bytes: what is the same in every transmission: the whole value, or its time and its numbers.
  func beginReading(
    _ characteristic: BluetoothUUID, _ time: DateTime?, isUnset: Bool = false, isBorrowed: Bool = false,
    _ bytes: some Sequence<UInt8>
  ) {
    guard let time else { return beginReading(nil, nil) }
    beginReading(
      OwnTime(shown: time.microseconds, isUnset: isUnset, isBorrowed: isBorrowed),
      time.isKnown ? ReadingMark(of: characteristic.wireBytes + Array(bytes)) : nil)
  }
}
