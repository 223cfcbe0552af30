// How numbers of medical devices become samples: what is no number is none, what cannot be is counted.

import Health
import Wearable

extension SampleFlags {
  /// Of a measurement that a person makes: one puts on a cuff, or steps on a scale.
  static let byHand = SampleFlags(origin: .live, isManual: true)
}

extension SampleSink {
  /// Left out in silence is what is no number, and 0, which sensors send for it; counted is what cannot be.
  ///
  /// - Parameters:
  ///   - value: in the stored scale of the series.
  ///   - range: in the unit of the series.
  ///   - oddity: what is counted.
  /// - Returns: it was appended.
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
