// What a process takes with it when it is killed: its timers, its tasks and its place at the disk. Several hubs live
// one after another in one simulation; a dead one must not move.

import EventLoop

/// The loop as one simulated process sees it. After `die` none of its timers fires.
///
/// A dead process that asks it for the time, later than at the instant of its death, was told something by the world
/// that it cannot hear. The simulation is wrong then (traps).
@LoopActor
final class MortalLoop: Loop {
  private let base: any Loop
  private var death: Instant?
  /// Kept for ever: what a body owns is the dead process's memory, and freeing it would run code in its name.
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

/// The disk as one simulated process sees it: work is done in place, and never again after `die`.
final class MortalDiskLane: DiskLane {
  @LoopActor private var isDead = false

  @LoopActor func die() { isDead = true }

  func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    if isDead { await endWithProcess() }
    return try work()
  }
}

/// Where the flows of a killed process end. Nothing resumes them, and nothing that they hold is freed.
func endWithProcess() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
