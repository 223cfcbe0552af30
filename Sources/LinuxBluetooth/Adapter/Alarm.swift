// Disturbances that wake the adapter's task.

import EventLoop

/// Events during service. Each is a hint to check, not a fact: the task reads the present state.
struct Disturbance: OptionSet, Sendable {
  let rawValue: UInt16
  /// The radio is ending.
  static let end = Disturbance(rawValue: 1 << 0)
  /// A management socket failed.
  static let channel = Disturbance(rawValue: 1 << 1)
  /// An adapter was added.
  static let added = Disturbance(rawValue: 1 << 2)
  /// Another adapter was removed.
  static let left = Disturbance(rawValue: 1 << 12)
  /// Our adapter was removed.
  static let removed = Disturbance(rawValue: 1 << 3)
  /// Our adapter was powered off.
  static let power = Disturbance(rawValue: 1 << 4)
  /// Another program changed a setting the hub relies on.
  static let interference = Disturbance(rawValue: 1 << 5)
  /// A radio switch moved.
  static let block = Disturbance(rawValue: 1 << 6)
  /// The controller reported a failure of its hardware.
  static let silent = Disturbance(rawValue: 1 << 7)
  /// Disturbance: no advertisement was heard for long, though there were some before.
  static let quiet = Disturbance(rawValue: 1 << 8)
  /// An operator requests the recovery.
  static let recovery = Disturbance(rawValue: 1 << 9)
  /// The controller repeatedly did not respond to probes.
  static let unanswered = Disturbance(rawValue: 1 << 10)
  /// The controller refused one link after another, though it had slots.
  static let refused = Disturbance(rawValue: 1 << 11)
}

/// Collects disturbances for one waiting task. Disturbances raised in between are stored.
@LoopActor
final class Alarm {
  private let sleeper: Sleeper
  private var raised: Disturbance = []

  init(loop: any Loop) { sleeper = Sleeper(loop: loop) }

  func raise(_ disturbance: Disturbance) {
    raised.formUnion(disturbance)
    sleeper.wake()
  }

  /// Clears disturbances that the task is about to check anyway.
  func forget(_ disturbance: Disturbance) { raised.subtract(disturbance) }

  /// Returns the disturbances since the last call: at once if there are any, else when the next comes. Empty if
  /// `deadline` passes first.
  func wait(until deadline: Instant? = nil) async -> Disturbance {
    if raised.isEmpty { await sleeper.sleep(until: deadline) }
    return take()
  }

  /// Returns the pending disturbances.
  func take() -> Disturbance {
    defer { raised = [] }
    return raised
  }
}
