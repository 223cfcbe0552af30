// When a wearable was on its charger, as far as readings of its battery say so.

import RingStore

/// A battery that has more charge than before was charged in between.
struct BatteryRise: Equatable {
  /// Fewer points are a gauge that corrects itself: voltages recover when nothing is drawn.
  static let least: Int64 = 5
  /// Readings that are looked at, the newest: a reading in each quarter of an hour for a month.
  static let readings = 3000

  /// From the last reading before it rose to the first of where it ended, in microseconds.
  var span: Range<Int64>
  /// Percent.
  var from: Int64
  var to: Int64

  /// The rises of one battery. Readings that rise one by one are one rise.
  static func all(_ readings: [StoredSample]) -> [BatteryRise] {
    var rises: [BatteryRise] = []
    var low: (time: Int64, value: Int64)?
    var high: (time: Int64, value: Int64)?
    func close() {
      guard let low, let high, high.value - low.value >= least, low.time < high.time else { return }
      rises.append(BatteryRise(span: low.time..<high.time, from: low.value, to: high.value))
    }
    for reading in readings where (0...100).contains(reading.value) {
      let now = (time: reading.time.microseconds, value: reading.value)
      guard let before = high, now.value >= before.value, now.time >= before.time else {
        close()
        (low, high) = (now, now)
        continue
      }
      if now.value > before.value { high = now } else if low?.value == now.value { (low, high) = (now, now) }
    }
    close()
    return rises
  }
}
