// Whether somebody exercises, as far as their wearables tell: steps, wheels, sessions; or a training that was ordered.

import EventLoop
import Health

/// What the wearables of one wearer tell of exercise; one that nobody is known to wear has its own.
@LoopActor
final class BodyMotion {
  private var movedAt: Instant?
  private var sessionAt: Instant?
  /// When a training that somebody ordered was last seen to go on.
  private var orderedAt: Instant?

  /// Steps and turns are told about once a second while there are any; who stops at a traffic light still exercises.
  static let rest: Duration = .seconds(60)
  /// A session of which nobody told an end, as its wearable left, is believed for so long.
  static let longestSession: Duration = .seconds(7200)

  nonisolated init() {}

  /// Series that are told only while somebody moves.
  nonisolated static func tells(_ series: Series) -> Bool {
    series == .cadence || series == .speed || series == .crankCadence || series == .wheelRate
  }

  func moved(at now: Instant) { movedAt = now }
  func session(isOn: Bool, at now: Instant) { sessionAt = isOn ? now : nil }

  /// Told again and again while it goes on.
  func order(isOn: Bool, at now: Instant) { orderedAt = isOn ? now : nil }

  func isExercise(_ now: Instant) -> Bool {
    if let orderedAt, now - orderedAt <= Self.rest { return true }
    if let movedAt, now - movedAt <= Self.rest { return true }
    guard let sessionAt else { return false }
    return now - sessionAt <= Self.longestSession
  }
}
