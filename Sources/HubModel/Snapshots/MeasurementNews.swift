// Reports about an ordered measurement.

import EventLoop
public import Health
public import Reasons
public import Wearable

/// Reports to the caller that ordered a measurement, in this order; the end is reported separately.
public enum MeasurementNews: Sendable {
  /// The wearable was asked to begin.
  case begun(wearable: String)
  case value(LiveValue)
}

/// End of a measurement, with its result.
public struct MeasurementResult: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Measured series.
  public var series: Series
  /// nil: it failed after its start, see `trouble`.
  public var end: MeasurementEnd?
  /// Reason why it failed; nil: it did not.
  public var trouble: HearthError?
  /// Number of values, all of which are stored.
  public var values: Int

  /// An end; `values` counts the measured values.
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
