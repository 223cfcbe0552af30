// How often bands can be told to measure by themselves.

public import Wearable

extension MonitoringIntervals {
  /// Minutes between two measurements are a multiple of five, as the vendor's kit has them, up to a day.
  public static let ofKit = MonitoringIntervals(300...86_400, step: 300)
}
