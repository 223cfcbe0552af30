// Why the flow that keeps the adapter must look up.

import EventLoop

/// Things that happened beneath a serving radio. Each is a hint to look, not a fact: the flow checks what is still so.
struct Disturbance: OptionSet, Sendable {
  let rawValue: UInt16
  /// The radio is told to end.
  static let end = Disturbance(rawValue: 1 << 0)
  /// A management socket failed.
  static let channel = Disturbance(rawValue: 1 << 1)
  /// An adapter came.
  static let added = Disturbance(rawValue: 1 << 2)
  /// Another adapter went.
  static let left = Disturbance(rawValue: 1 << 12)
  /// Our adapter went.
  static let removed = Disturbance(rawValue: 1 << 3)
  /// Our adapter was powered off.
  static let power = Disturbance(rawValue: 1 << 4)
  /// Somebody else changed what we rely on.
  static let interference = Disturbance(rawValue: 1 << 5)
  /// A radio switch moved.
  static let block = Disturbance(rawValue: 1 << 6)
  /// The controller reported a failure of its hardware.
  static let silent = Disturbance(rawValue: 1 << 7)
  /// Nothing was heard for long where something used to be.
  static let quiet = Disturbance(rawValue: 1 << 8)
  /// An operator asks for the recovery.
  static let recovery = Disturbance(rawValue: 1 << 9)
  /// The controller was asked and did not answer, again and again.
  static let unanswered = Disturbance(rawValue: 1 << 10)
  /// The controller refused one link after the other, and not for want of slots.
  static let refused = Disturbance(rawValue: 1 << 11)
}

/// Collects disturbances for one waiting flow. What is raised while nobody waits is kept.
@LoopActor
final class Alarm {
  private let sleeper: Sleeper
  private var raised: Disturbance = []

  init(loop: any Loop) { sleeper = Sleeper(loop: loop) }

  func raise(_ disturbance: Disturbance) {
    raised.formUnion(disturbance)
    sleeper.wake()
  }

  /// Forgets what was raised, where the flow is about to establish it anew.
  func forget(_ disturbance: Disturbance) { raised.subtract(disturbance) }

  /// What was raised since the last call, at once if there is anything, else when it comes; empty when `deadline`
  /// passes first.
  func wait(until deadline: Instant? = nil) async -> Disturbance {
    if raised.isEmpty { await sleeper.sleep(until: deadline) }
    return take()
  }

  /// What was raised and not yet looked at.
  func take() -> Disturbance {
    defer { raised = [] }
    return raised
  }
}
