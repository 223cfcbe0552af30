// Suspension of a task until one event that happens exactly once.

internal import EventLoop

/// Suspended task of a GATT client. The first event ends the wait: the response, a deadline, the end of the link,
/// cancellation.
@LoopActor
final class GATTWaiter {
  typealias Outcome = Result<[UInt8], GATTError>

  private var continuation: CheckedContinuation<Outcome, Never>?
  private var outcome: Outcome?
  private var timer: LoopTimer?
  private let loop: any Loop
  private let onEnd: (@LoopActor (Outcome) -> Void)?

  /// - Parameter onEnd: called once, at the moment of the end; the task itself resumes some time later.
  init(_ loop: any Loop, _ onEnd: (@LoopActor (Outcome) -> Void)? = nil) {
    self.loop = loop
    self.onEnd = onEnd
  }

  /// Ends with `outcome` at `deadline` unless another event came first.
  func end(at deadline: Instant, with outcome: Outcome) {
    timer = loop.schedule(at: deadline) { self.end(outcome) }
  }

  /// Returns false if the wait had already ended.
  @discardableResult
  func end(_ outcome: Outcome) -> Bool {
    guard self.outcome == nil else { return false }
    self.outcome = outcome
    if let timer { loop.cancel(timer) }
    timer = nil
    onEnd?(outcome)
    continuation?.resume(returning: outcome)
    continuation = nil
    return true
  }

  private func cancel() { end(.failure(.cancelled)) }

  /// Called once.
  func wait() async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let outcome { continuation.resume(returning: outcome) } else { self.continuation = continuation }
      }
    } onCancel: {
      Task(executorPreference: LoopExecutor.shared) { await self.cancel() }
    }
  }
}
