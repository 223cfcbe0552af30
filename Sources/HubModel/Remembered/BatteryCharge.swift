// Level of a battery by its last reading: enough, low or critical, and how long a reading is valid.

import EventLoop
import Reasons

/// Percent at which a battery is low or critical; nil: never.
public struct BatteryBounds: Sendable, Equatable {
  /// Percent at which a battery is low.
  public var low: Int? = 20
  /// Percent at which a battery is critical.
  public var critical: Int? = 10

  /// 20 % and 10 %.
  public init() {}
}

/// Level of a battery when it was read.
public enum BatteryCharge: String, Sendable, CaseIterable {
  case enough, low, critical

  /// A level is left only this many points above its bound. No standard names a value. Gauges measure the cell's
  /// voltage, which rises by itself after a load, and a wearable on its charger passes five points within minutes.
  package static let hysteresis = 5
  /// Age at which a reading no longer counts: within a day most wearables were charged or are empty.
  package static let age: Duration = .seconds(86_400)

  /// The level of a reading that follows a level `before`; nil: the first reading.
  package static func of(_ percent: Int, after before: BatteryCharge?, _ bounds: BatteryBounds) -> BatteryCharge {
    func isAtMost(_ bound: Int?, leaving: Bool) -> Bool {
      guard let bound else { return false }
      return leaving ? percent < bound + hysteresis : percent <= bound
    }
    if isAtMost(bounds.critical, leaving: before == .critical) { return .critical }
    if isAtMost(bounds.low, leaving: before == .low || before == .critical) { return .low }
    return .enough
  }
}
