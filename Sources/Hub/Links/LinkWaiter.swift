// A wait of a visit for one event that ends exactly once.

import Bluetooth
import EventLoop
import Wearable

/// A suspended task of a visit, resumed by its event, a deadline, the end of the link, or cancellation.
@LoopActor
final class LinkWaiter {
  private var continuation: CheckedContinuation<VisitTrouble?, Never>?
  private var isOver = false
  private var trouble: VisitTrouble?

  /// Resumes the task; nil: the event came. Only the first call counts.
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
