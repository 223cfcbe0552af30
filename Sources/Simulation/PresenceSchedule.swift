// People come and go; their straps come and go with them.

/// When a wearable is near enough to be heard. Durations are drawn from the wearable's own stream.
public enum PresenceSchedule: Sendable {
  /// In range from the start for ever.
  case always
  /// Never in range until somebody calls `arrive`.
  case manual
  /// In range for a drawn time, then away for a drawn time, and so on. `startsNear` is the probability to be there at
  /// the start.
  case comesAndGoes(near: ClosedRange<Duration>, away: ClosedRange<Duration>, startsNear: Double)

  /// A gym: sessions of 20 to 90 minutes with one to five hours between. Some are cut by a short absence (`FaultPlan`).
  public static let gym = PresenceSchedule.comesAndGoes(
    near: .seconds(1200)...(.seconds(5400)), away: .seconds(3600)...(.seconds(18_000)), startsNear: 0.3)

  /// A demonstration: nearly always there, but each leaves for half a minute now and then, so that there is something
  /// to see.
  public static let demonstration = PresenceSchedule.comesAndGoes(
    near: .seconds(600)...(.seconds(3600)), away: .seconds(15)...(.seconds(40)), startsNear: 1)
}
