// Conversion of medical devices' numbers to samples: special values are skipped, implausible ones are counted.

import Health
import Wearable

extension SampleFlags {
  /// Flags of a deliberate measurement: a person puts on a cuff, or steps on a scale.
  static let byHand = SampleFlags(origin: .live, isManual: true)
}

extension SampleSink {
  /// Appends a plausible value. Special values and 0, which sensors send instead, are skipped. Implausible values are
  /// counted.
  ///
  /// - Parameters:
  ///   - value: in the stored scale of the series.
  ///   - range: in the unit of the series.
  ///   - oddity: the anomaly to count.
  /// - Returns: whether it was appended.
  @discardableResult
  func append(
    _ series: Series, _ value: Int64?, within range: ClosedRange<Int64>, flags: SampleFlags = .live,
    _ oddity: StaticString
  ) -> Bool {
    guard let value, value != 0 else { return false }
    let scale = series.denominator
    guard value >= range.lowerBound * scale, value <= range.upperBound * scale else {
      noteAnomaly(oddity)
      return false
    }
    append(Sample(series, value, flags: flags))
    return true
  }
}
