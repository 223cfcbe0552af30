// Loop of the simulation: time is a number, waiting is a jump.

/// Loop in virtual time. Runs on the thread that calls `run`, which holds the process's loop executor meanwhile. The
/// same seed and calls give the same run: no code here reads a clock.
public final class VirtualLoop: Loop {
  /// Virtual monotonic time; begins at 1 s.
  public private(set) var now: Instant
  private var timers = TimerQueue()
  private var stopped = false
  private var wallOffset: Int64  // microseconds of wall clock at monotonic zero
  /// True if the virtual wall clock counts as disciplined.
  public var wallIsTrusted = true

  /// 2026-11-21T10:00:00Z: a fixed morning, so that a seed replays to the same bytes on any day.
  public nonisolated static let morning = WallTime(microseconds: 1795255200_000_000)

  fileprivate init(wall: WallTime) {
    now = Instant(nanoseconds: 1_000_000_000)
    wallOffset = wall.microseconds - 1_000_000
  }

  /// Virtual wall clock, which only `stepWall` shifts against `now`.
  public var wall: WallTime { WallTime(microseconds: wallOffset + now.nanoseconds / 1000) }

  /// Steps the wall clock, as an operator or a late NTP response would.
  public func stepWall(by step: Duration) { wallOffset += step.wholeNanoseconds / 1000 }

  /// Runs `body` at a virtual time, at once if that has passed.
  public func schedule(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    timers.insert(at: max(deadline, now), body)
  }

  /// Cancels a timer that has not fired.
  public func cancel(_ timer: LoopTimer) { timers.remove(timer) }
  /// Ends the loop after the present turn.
  public func stop() { stopped = true }

  /// Runs `main` to its end in virtual time and returns its result. Timers and tasks that `main` left behind are
  /// dropped with the loop.
  ///
  /// - Throws: the error of `main`, or `VirtualLoopError` if no timer or job is left that could resume it, or time
  ///   passes `limit`.
  public nonisolated static func run<T: Sendable>(
    wall: WallTime = morning, limit: Duration = .seconds(400 * 86_400),
    _ main: @escaping @LoopActor (VirtualLoop) async throws -> T
  ) throws -> T {
    LoopExecutor.shared.acquire(wake: {})
    defer { LoopExecutor.shared.release() }
    return try LoopActor.assumeIsolated {
      let loop = VirtualLoop(wall: wall)
      let outcome = Outcome<T>()
      let task = outcome.start { try await main(loop) }
      let end = loop.now + limit
      var turns = 0
      while outcome.result == nil {
        if loop.turn() {
          turns += 1
          if turns > busiestMoment {
            task.cancel()
            throw VirtualLoopError.livelock
          }
          continue
        }
        turns = 0
        guard let next = loop.timers.nextDeadline() else {
          task.cancel()
          throw VirtualLoopError.stuck
        }
        if next > end {
          task.cancel()
          throw VirtualLoopError.limit
        }
        loop.now = next
      }
      while loop.turn() {}
      guard let result = outcome.result else { throw VirtualLoopError.stuck }
      return try result.get()
    }
  }

  /// Turns without time passing. Honest work needs some thousands at most (a store that is read in pages). A task that
  /// restarts itself without waiting exceeds any number.
  private nonisolated static let busiestMoment = 5_000_000

  /// Runs all that can run without time passing. Returns whether anything ran.
  private func turn() -> Bool {
    var ran = LoopExecutor.shared.runPending()
    while let due = timers.popDue(now) {
      due.body()
      ran = true
      if LoopExecutor.shared.hasPending { break }
    }
    return ran
  }
}

/// Reason why a virtual run ended without a result.
public enum VirtualLoopError: Error {
  /// Fault that no timer and no job is left: the task waits for an event that cannot come.
  case stuck
  /// Virtual time passed the limit.
  case limit
  /// A task runs for ever without letting time pass.
  case livelock
}
