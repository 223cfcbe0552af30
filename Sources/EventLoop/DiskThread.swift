// The only other thread of the hub: all that it does is wait for the disk.

internal import CLinux
internal import Glibc
internal import Synchronization

/// Executor for work that waits for the disk. On the hub it is a thread. In virtual time it is the loop itself,
/// immediately, so that a seed replays exactly.
public protocol DiskLane: AnyObject, Sendable {
  /// Runs `work` after all work submitted before it, never on the loop if there is a thread; returns its result.
  @LoopActor func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T
  /// Whether the work has its own thread, so that bytes written by that thread are bytes of this work alone.
  var isThreadOfItsOwn: Bool { get }
}

extension DiskLane {
  /// False: work runs on the caller's thread.
  public var isThreadOfItsOwn: Bool { false }
}

/// Disk work done in place, for simulation, tests and short-lived tools.
public final class InlineDiskLane: DiskLane {
  /// A lane without a thread.
  public init() {}
  /// Runs the work at once.
  ///
  /// - Throws: the error of `work`.
  public func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T { try work() }
}

/// Thread with a queue. Created at the first `perform`, ended by `shutDown`.
public final class DiskThread: DiskLane {
  /// Pending pieces of work. The store commits one batch at a time, so reaching this is a bug.
  public static let queueLimit = 64

  private struct State: Sendable {
    var queue: [@Sendable () -> Void] = []
    var running = false
    var ending = false
  }
  private let state = Mutex(State())
  private let semaphore = Semaphore()
  /// True: work runs on a thread of its own.
  public let isThreadOfItsOwn = true

  /// A lane; the thread starts with its first work.
  public init() {}

  /// Runs the work on the thread, in the order of calls.
  ///
  /// - Throws: the error of `work`.
  public func perform<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      submit { continuation.resume(with: Result { try work() }) }
    }
  }

  /// Ends the thread after its queued work; called once, when the daemon ends.
  public func shutDown() {
    state.withLock { $0.ending = true }
    semaphore.post()
  }

  private func submit(_ work: @escaping @Sendable () -> Void) {
    let start = state.withLock { state in
      guard state.queue.count < Self.queueLimit else { fatalError("the disk queue is full") }
      state.queue.append(work)
      defer { state.running = true }
      return !state.running
    }
    if start { startThread() }
    semaphore.post()
  }

  private func startThread() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        hearth_name_thread("hearth-disk")
        Unmanaged<DiskThread>.fromOpaque(context).takeRetainedValue().serve()
        return nil
      }, context)
    guard result == 0 else { fatalError("pthread_create: \(result)") }
    pthread_detach(thread)
  }

  private func serve() {
    while true {
      semaphore.wait()
      let work = state.withLock { state in state.queue.isEmpty ? nil : state.queue.removeFirst() }
      if let work { work() } else if state.withLock({ $0.ending }) { return }
    }
  }
}

/// POSIX semaphore with a stable address.
private final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  init() { sem_init(semaphore, 0, 0) }
  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }
  func post() { sem_post(semaphore) }
  func wait() { while sem_wait(semaphore) != 0 {} }
}
