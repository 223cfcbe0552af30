// What flows of this room wait for: an answer that comes once or never.

import EventLoop

/// One answer for one waiting flow. What is given before somebody waits is kept; what is given twice counts once.
@LoopActor
final class Answer<Value: Sendable> {
  private let loop: any Loop
  private var value: Value?
  private var waiter: CheckedContinuation<Void, Never>?
  private var timer: LoopTimer?

  init(loop: any Loop) { self.loop = loop }

  var isGiven: Bool { value != nil }

  /// The answer; nil if `deadline` passes first.
  func wait(until deadline: Instant) async -> Value? {
    precondition(waiter == nil, "two flows wait for one answer")
    if value == nil, deadline > loop.now {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        waiter = continuation
        timer = loop.schedule(at: deadline) { [weak self] in self?.wake() }
      }
    }
    return value
  }

  func give(_ value: Value) {
    if self.value != nil { return }
    self.value = value
    wake()
  }

  private func wake() {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard let waiter else { return }
    self.waiter = nil
    waiter.resume()
  }
}
