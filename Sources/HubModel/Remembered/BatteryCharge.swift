// What the last reading of a battery means: enough, low or critical, and for how long that is believed.

import EventLoop
import Reasons

/// Percent at which a battery is low or critical; nil: never.
public struct BatteryBounds: Sendable, Equatable {
  public var low: Int? = 20
  public var critical: Int? = 10

  public init() {}
}

/// How full a battery was when it was read.
public enum BatteryCharge: String, Sendable, CaseIterable {
  case enough, low, critical

  /// A charge is left only this many points above its bound. No standard says how far: gauges go by the cell's voltage,
  /// which rises by itself when a load ends, and a wearable that is loaded passes five points within minutes.
  package static let hysteresis = 5
  /// An older reading says nothing of now: within a day most wearables were loaded or are empty.
  package static let age: Duration = .seconds(86_400)

  /// What a reading means after one that meant `before`; nil: the first.
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
