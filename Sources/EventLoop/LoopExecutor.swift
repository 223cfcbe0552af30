// The executor of the loop thread, and the global actor that runs on it.
//
// This class is both executors, because an actor's jobs go to its SerialExecutor, but a task's nonisolated parts (and
// Task.yield) go to its TaskExecutor. With the same object for both, no job ever reaches Swift's thread pool, and the
// process keeps one thread.

internal import CLinux
internal import Glibc
internal import Synchronization

/// Actor of the hub's loop thread: the hub, the radio, the lights, the control socket.
@globalActor
public actor LoopActor {
  /// The only instance.
  public static let shared = LoopActor()
  /// Executor of the loop thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { LoopExecutor.shared.asUnownedSerialExecutor() }
}

/// The queue of Swift jobs that the loop thread runs. One per process. `enqueue` may be called from any thread; jobs
/// run only on the thread that holds the executor, in the order in which they came.
public final class LoopExecutor: SerialExecutor, TaskExecutor, Sendable {
  /// The only instance.
  public static let shared = LoopExecutor()

  private struct State: Sendable {
    var jobs: [UnownedJob] = []
    var owner: UInt = 0
    var wake: (@Sendable () -> Void)?
    var woken = false
  }
  private let state = Mutex(State())

  private init() {}

  /// Queues a job; callable from any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    let wake: (@Sendable () -> Void)? = state.withLock { state in
      state.jobs.append(unowned)
      if state.woken || state.owner == Self.thisThread { return nil }
      state.woken = true
      return state.wake
    }
    wake?()
  }

  /// Reference for the Swift runtime.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// True on the thread that runs the loop at this moment.
  public var isCurrent: Bool { state.withLock { $0.owner == Self.thisThread } }

  /// Traps outside of the loop thread.
  public func checkIsolated() {
    guard isCurrent else { fatalError("loop code ran on a thread that is not the loop's") }
  }

  /// Makes the calling thread the loop thread until `release`. A second caller waits. So tests that run simulations in
  /// virtual time in one process run one after another.
  func acquire(wake: @escaping @Sendable () -> Void) {
    while true {
      let taken = state.withLock { state in
        if state.owner != 0 { return false }
        state.owner = Self.thisThread
        state.wake = wake
        return true
      }
      if taken { return }
      usleep(500)
    }
  }

  func release() {
    state.withLock { state in
      guard state.owner == Self.thisThread else { fatalError("released by a thread that does not hold the loop") }
      state.owner = 0
      state.wake = nil
    }
  }

  /// Runs the jobs queued now. Jobs that they enqueue wait for the next call, so that a busy task cannot starve
  /// descriptors and timers. Returns whether any job ran.
  func runPending() -> Bool {
    let batch = state.withLock { state in
      state.woken = false
      let jobs = state.jobs
      state.jobs.removeAll(keepingCapacity: true)
      return jobs
    }
    for job in batch {
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
    return !batch.isEmpty
  }

  var hasPending: Bool { state.withLock { !$0.jobs.isEmpty } }

  private static var thisThread: UInt { UInt(pthread_self()) }
}

extension LoopActor {
  /// Runs loop code from plain code that is known to be on the loop thread; traps elsewhere.
  public static func assumeIsolated<T>(_ operation: @LoopActor () throws -> T) rethrows -> T {
    LoopExecutor.shared.checkIsolated()
    // The cast drops only the isolation, which the check above has just proven. The standard library does the same for
    // the main actor.
    return try withoutActuallyEscaping(operation) { escaping in
      try unsafeBitCast(escaping, to: (() throws -> T).self)()
    }
  }
}
