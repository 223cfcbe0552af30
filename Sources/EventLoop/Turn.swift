// Flows that must not run at the same time take turns.

/// Who may act, one at a time, in the order of asking.
@LoopActor
public final class Turn {
  private var isTaken = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  public nonisolated init() {}

  public func take() async {
    if !isTaken {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiters.append($0) }
  }

  /// Hands the turn to whoever waits longest.
  public func give() {
    guard isTaken else { fatalError("a turn was given back that no flow had") }
    if waiters.isEmpty { isTaken = false } else { waiters.removeFirst().resume() }
  }
}
