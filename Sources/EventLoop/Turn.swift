// Mutex for tasks that must not run at the same time.

/// Lock held by one task at a time, granted in the order of requests.
@LoopActor
public final class Turn {
  private var isTaken = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// A free lock.
  public nonisolated init() {}

  /// Waits for the lock.
  public func take() async {
    if !isTaken {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiters.append($0) }
  }

  /// Passes the lock to the task that has waited longest.
  public func give() {
    guard isTaken else { fatalError("a turn was given back that no flow had") }
    if waiters.isEmpty { isTaken = false } else { waiters.removeFirst().resume() }
  }
}
