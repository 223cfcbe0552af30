// What flows of this room wait for: somebody who wakes them, or an answer that comes once or never.

import EventLoop

/// Where one flow sleeps until it is woken or a time has come.
@LoopActor
final class Sleeper {
  private let loop: any Loop
  private var waiter: CheckedContinuation<Void, Never>?
  private var timer: LoopTimer?

  init(loop: any Loop) { self.loop = loop }

  /// - Parameter deadline: nil: until it is woken.
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

/// One answer for one waiting flow. What is given before somebody waits is kept; what is given twice counts once.
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

  /// The answer; nil if `deadline` passes first.
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
