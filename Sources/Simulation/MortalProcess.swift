// Death of a simulated process: its timers, tasks and disk work end with it. Several hubs live one after another in one
// simulation; a dead one must not act.

import EventLoop

/// Loop of one simulated process. After `die` none of its timers fires.
///
/// If a dead process asks for the time after the instant of its death, the world has passed an event to it. That is a
/// bug of the simulation (traps).
@LoopActor
final class MortalLoop: Loop {
  private let base: any Loop
  private var death: Instant?
  /// Retained for ever: objects owned by a body are the dead process's memory, and freeing them would run its code.
  private var remains: [@LoopActor () -> Void] = []

  init(_ base: any Loop) { self.base = base }

  var now: Instant {
    precondition(death == nil || death == base.now, "a killed hub moved")
    return base.now
  }
  var wall: WallTime { base.wall }
  var wallIsTrusted: Bool { base.wallIsTrusted }

  func schedule(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    base.schedule(at: deadline) { [self] in
      if death == nil { body() } else { remains.append(body) }
    }
  }

  func cancel(_ timer: LoopTimer) { base.cancel(timer) }
  func stop() { base.stop() }
  func die() { death = base.now }
}

/// Disk of one simulated process: work is done in place, and never again after `die`.
final class MortalDiskLane: DiskLane {
  @LoopActor private var isDead = false

  @LoopActor func die() { isDead = true }

  func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    if isDead { await endWithProcess() }
    return try work()
  }
}

/// Suspends the tasks of a killed process for ever. The tasks are never resumed, and their objects are never freed.
func endWithProcess() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
