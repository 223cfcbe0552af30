// The hub's event loop:
//
//     while not stopped:
//       run the Swift jobs that are queued (tasks that were resumed)
//       fire the timers that are due, in order of deadline, then of creation
//       if jobs were queued meanwhile: do not wait; else wait for a descriptor, a wake-up or the next deadline
//       call the handler of each ready descriptor
//
// In virtual time there are no descriptors: the wait is a jump to the next deadline.

/// Clock and timers for the hub's logic. The same code runs on `EpollLoop` (a hub) and on `VirtualLoop` (a simulation).
///
/// Guarantees: bodies run on the loop thread and must never block it. A timer never fires early; it may be late by as
/// long as other bodies take. Timers fire in order of deadline, and of creation if deadlines are equal. A cancelled
/// timer never fires.
@LoopActor
public protocol Loop: AnyObject, Sendable {
  /// Monotonic time of the event being handled. Two reads in one body may be equal.
  var now: Instant { get }
  /// Wall clock at `now`, even late in a turn. Both belong to one reading, and their offset changes only when the clock
  /// is set.
  var wall: WallTime { get }
  /// True if a time source disciplines the wall clock (NTP, or virtual time set to be trusted).
  var wallIsTrusted: Bool { get }
  /// Runs `body` once, at `deadline` or as soon after as possible.
  @discardableResult
  func schedule(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer
  func cancel(_ timer: LoopTimer)
  /// Ends `run` after the current turn.
  func stop()
}

/// Handle of one scheduled body. Harmless after the body ran.
public struct LoopTimer: Hashable, Sendable {
  let id: UInt64
}

extension Loop {
  /// Runs `body` after a delay.
  @discardableResult
  public func schedule(after delay: Duration, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    schedule(at: now + delay, body)
  }

  /// Starts an async task on the loop thread. Every task of the daemon is made here: without the executor preference,
  /// nonisolated async calls would hop to a thread pool.
  @discardableResult
  public func spawn(_ body: @escaping @LoopActor () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: LoopExecutor.shared) { await body() }
  }

  /// Suspends the calling task. Throws CancellationError at once when its task is cancelled.
  public func sleep(for delay: Duration) async throws {
    try await sleep(until: now + delay)
  }

  /// Waits until a time.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant) async throws {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        sleeper.continuation = continuation
        sleeper.timer = schedule(at: deadline) { sleeper.finish(nil) }
      }
    } onCancel: {
      // Cancellation is always requested by loop code, so this runs on the loop thread. The job keeps that true for any
      // other caller.
      Task(executorPreference: LoopExecutor.shared) { await sleeper.interrupt(self) }
    }
  }
}

/// Suspended task; resumed exactly once.
@LoopActor
private final class Sleeper {
  var continuation: CheckedContinuation<Void, any Error>?
  var timer: LoopTimer?

  func interrupt(_ loop: any Loop) {
    if let timer { loop.cancel(timer) }
    finish(CancellationError())
  }

  func finish(_ error: (any Error)?) {
    guard let continuation else { return }
    self.continuation = nil
    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
  }
}

/// Result of the first task of a run.
@LoopActor
final class Outcome<T: Sendable> {
  var result: Result<T, any Error>?

  /// Starts `main`; `result` is set when it ends, then `end` is called.
  @discardableResult
  func start(_ main: @escaping @LoopActor () async throws -> T, end: @escaping @LoopActor () -> Void = {}) -> Task<
    Void, Never
  > {
    Task(executorPreference: LoopExecutor.shared) { await self.run(main, end) }
  }

  private func run(_ main: @LoopActor () async throws -> T, _ end: @LoopActor () -> Void) async {
    do { result = .success(try await main()) } catch { result = .failure(error) }
    end()
  }
}
