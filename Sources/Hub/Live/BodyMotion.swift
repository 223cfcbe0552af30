// Exercise of a wearer, as derived from wearables: steps, wheels, sessions; or an ordered training.

import EventLoop
import Health

/// Signs of exercise from the wearables of one wearer. A wearable without a known wearer has an object of its own.
@LoopActor
final class BodyMotion {
  private var movedAt: Instant?
  private var sessionAt: Instant?
  /// Time when an ordered training was last seen to go on.
  private var orderedAt: Instant?

  /// Rest that still counts as exercise, as at a traffic light. Steps and turns are reported about once a second while
  /// there are any.
  static let rest: Duration = .seconds(60)
  /// Limit of a session without a reported end, as its wearable left.
  static let longestSession: Duration = .seconds(7200)

  nonisolated init() {}

  /// Series that wearables send only during motion.
  nonisolated static func tells(_ series: Series) -> Bool {
    series == .cadence || series == .speed || series == .crankCadence || series == .wheelRate
  }

  func moved(at now: Instant) { movedAt = now }
  func session(isOn: Bool, at now: Instant) { sessionAt = isOn ? now : nil }

  /// Called repeatedly while a training goes on.
  func order(isOn: Bool, at now: Instant) { orderedAt = isOn ? now : nil }

  func isExercise(_ now: Instant) -> Bool {
    if let orderedAt, now - orderedAt <= Self.rest { return true }
    if let movedAt, now - movedAt <= Self.rest { return true }
    guard let sessionAt else { return false }
    return now - sessionAt <= Self.longestSession
  }
}
