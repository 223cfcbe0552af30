// The loop everybody shares, in ten lines:
//
//     while not stopped:
//       run the Swift jobs that are queued (tasks that were resumed)
//       fire the timers that are due, in order of deadline, then of creation
//       if jobs were queued meanwhile: do not wait; else wait for a descriptor, a wake-up or the next deadline
//       hand each ready descriptor to its owner
//
// In virtual time there are no descriptors: the wait is a jump to the next deadline.

/// What logic may ask of time. The same code runs on `EpollLoop` (a hub) and on `VirtualLoop` (a simulation).
///
/// Guarantees: bodies run on the loop thread and must never block it. A timer never fires early; it may fire late by as
/// long as other bodies take. Two timers fire in order of deadline, and of creation when deadlines are equal. A
/// cancelled timer never fires.
@LoopActor
public protocol Loop: AnyObject, Sendable {
  /// Monotonic time of the event being handled. Two reads in one body may be equal.
  var now: Instant { get }
  /// The hub's belief of civil time at `now`, however long ago in this turn that was: the two are one reading, and
  /// their distance changes only when somebody sets the clock.
  var wall: WallTime { get }
  /// True if a time source disciplines the wall clock (NTP, or virtual time told to be trusted).
  var wallIsTrusted: Bool { get }
  /// Runs `body` once, at `deadline` or as soon after as possible.
  @discardableResult
  func schedule(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer
  func cancel(_ timer: LoopTimer)
  /// Ends `run` after the current turn.
  func stop()
}

/// Names one scheduled body. Harmless after it fired.
public struct LoopTimer: Hashable, Sendable {
  let id: UInt64
}

extension Loop {
  @discardableResult
  public func schedule(after delay: Duration, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    schedule(at: now + delay, body)
  }

  /// Starts an async flow on the loop thread. Every task of the daemon is made here: without the executor preference,
  /// nonisolated async calls would hop to a thread pool.
  @discardableResult
  public func spawn(_ body: @escaping @LoopActor () async -> Void) -> Task<Void, Never> {
    Task(executorPreference: LoopExecutor.shared) { await body() }
  }

  /// Suspends the calling flow. Throws CancellationError at once when its task is cancelled.
  public func sleep(for delay: Duration) async throws {
    try await sleep(until: now + delay)
  }

  public func sleep(until deadline: Instant) async throws {
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        sleeper.continuation = continuation
        sleeper.timer = schedule(at: deadline) { sleeper.finish(nil) }
      }
    } onCancel: {
      // Cancellation is always asked for by loop code, so this runs on the loop thread; the job keeps it true if it
      // ever is not.
      Task(executorPreference: LoopExecutor.shared) { await sleeper.interrupt(self) }
    }
  }
}

/// One suspended flow; resumed exactly once.
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

/// Where the first flow of a run leaves its result.
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
