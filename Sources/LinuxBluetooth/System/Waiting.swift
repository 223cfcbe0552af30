// Waits of this module's tasks: for a wake-up, or for a value that comes once or never.

import EventLoop

/// Sleep of one task until it is woken or a time has come.
@LoopActor
final class Sleeper {
  private let loop: any Loop
  private var waiter: CheckedContinuation<Void, Never>?
  private var timer: LoopTimer?

  init(loop: any Loop) { self.loop = loop }

  /// - Parameter deadline: nil: only a wake-up ends the sleep.
  func sleep(until deadline: Instant?) async {
    guard waiter == nil else { fatalError("two flows sleep in one place") }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      waiter = continuation
      if let deadline { timer = loop.schedule(at: deadline) { [weak self] in self?.wake() } }
    }
  }

  func wake() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard let waiter else { return }
    self.waiter = nil
    waiter.resume()
  }
}

/// Value for one waiting task. A value given before the wait is stored; a second value is ignored.
@LoopActor
final class Answer<Value: Sendable> {
  private let loop: any Loop
  private let sleeper: Sleeper
  private var value: Value?

  init(loop: any Loop) {
    self.loop = loop
    sleeper = Sleeper(loop: loop)
  }

  var isGiven: Bool { value != nil }

  /// The value; nil if `deadline` passes first.
  func wait(until deadline: Instant) async -> Value? {
    if value == nil, deadline > loop.now { await sleeper.sleep(until: deadline) }
    return value
  }

  func give(_ value: Value) {
    if self.value != nil { return }
    self.value = value
    sleeper.wake()
  }
}
