// What is reported of a measurement that was ordered.

import EventLoop
public import Health
public import Reasons
public import Wearable

/// What somebody who ordered a measurement is told of it, in this order; its end is told apart.
public enum MeasurementNews: Sendable {
  /// The wearable was told to begin.
  case begun(wearable: String)
  case value(LiveValue)
}

/// How a measurement ended.
public struct MeasurementResult: Sendable {
  public var wearable: String
  public var series: Series
  /// nil: it failed after it had begun, see `trouble`.
  public var end: MeasurementEnd?
  public var trouble: HearthError?
  /// Values that came, all of which are stored.
  public var values: Int

  public init(
    wearable: String, series: Series, end: MeasurementEnd? = nil, trouble: HearthError? = nil, values: Int = 0
  ) {
    self.wearable = wearable
    self.series = series
    self.end = end
    self.trouble = trouble
    self.values = values
  }
}
