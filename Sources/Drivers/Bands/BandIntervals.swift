// Intervals at which bands can measure on their own.

public import Wearable

extension MonitoringIntervals {
  /// Multiples of five minutes, up to a day, as in the vendor's kit.
  public static let ofKit = MonitoringIntervals(300...86_400, step: 300)
}
