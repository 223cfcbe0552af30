// Where a visit waits for one thing that ends exactly once.

import Bluetooth
import EventLoop
import Wearable

/// One suspended flow of a visit: woken by what it waits for, by a deadline, by the end of the link, or by
/// cancellation.
@LoopActor
final class LinkWaiter {
  private var continuation: CheckedContinuation<VisitTrouble?, Never>?
  private var isOver = false
  private var trouble: VisitTrouble?

  /// Nil: what was waited for came. Only the first call counts.
  func wake(_ trouble: VisitTrouble?) {
    if isOver { return }
    isOver = true
    self.trouble = trouble
    continuation?.resume(returning: trouble)
    continuation = nil
  }

  /// Called once.
  func wait() async -> VisitTrouble? {
    guard continuation == nil else { fatalError("two flows wait for one thing") }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { wake(.link(.cancelled)) }
        if isOver { continuation.resume(returning: trouble) } else { self.continuation = continuation }
      }
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await self.wake(.link(.cancelled)) }
    }
  }
}
