// Presence of wearables, which come and go with their wearers.

/// Schedule of a wearable's presence. Durations are drawn from its own random stream.
public enum PresenceSchedule: Sendable {
  /// Presence always in range.
  case always
  /// Presence out of range until `arrive` is called.
  case manual
  /// Presence in range for a random time, then away for a random time, and so on. `startsNear` is the probability of
  /// being in range at the start.
  case comesAndGoes(near: ClosedRange<Duration>, away: ClosedRange<Duration>, startsNear: Double)

  /// Gym: sessions of 20 to 90 minutes with one to five hours between. Some are interrupted by a short absence
  /// (`FaultPlan`).
  public static let gym = PresenceSchedule.comesAndGoes(
    near: .seconds(1200)...(.seconds(5400)), away: .seconds(3600)...(.seconds(18_000)), startsNear: 0.3)

  /// Demonstration: nearly always in range, but each leaves for half a minute now and then, so that there is something
  /// to see.
  public static let demonstration = PresenceSchedule.comesAndGoes(
    near: .seconds(600)...(.seconds(3600)), away: .seconds(15)...(.seconds(40)), startsNear: 1)
}
