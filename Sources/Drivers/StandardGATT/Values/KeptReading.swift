// How a value with a Date Time is told as a reading that its wearable keeps until it is confirmed.

import Bluetooth
import Health
import Wearable

extension SampleSink {
  /// In front of the samples of one value.
  ///
  /// - Parameters:
  ///   - time: its own; nil where it tells none. One that is no moment counts as unknown.
  ///   - isUnset: it says that nobody has set its clock.
  ///   - isBorrowed: another value told the time, in front of this one.
  ///   - bytes: what is the same of it whenever it comes: the whole value, or its time and its numbers.
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
