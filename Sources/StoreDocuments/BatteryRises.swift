// Times on the charger, as far as battery readings show them.

import RingStore

/// A rise of the charge: the battery was charged in between.
struct BatteryRise: Equatable {
  /// Fewer points are a correction of the gauge, as voltages recover without a load.
  static let least: Int64 = 5
  /// Limit of readings, the newest ones: a reading each quarter of an hour for a month.
  static let readings = 3000

  /// Span from the last reading before the rise to the first one of its end, in microseconds.
  var span: Range<Int64>
  /// Percent.
  var from: Int64
  var to: Int64

  /// The rises of one battery. Consecutive rising readings are one rise.
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
