import EventLoop

/// All other tasks of the loop: they want a turn as often as there is one. Code that runs beside them and never yields
/// holds the loop.
@LoopActor
final class Others {
  private(set) var turns = 0
  private var isOver = false
  private var task: Task<Void, Never>?

  /// The tasks begin at the next yielded turn.
  init() { task = Task(executorPreference: LoopExecutor.shared) { await self.take() } }

  func end() async {
    isOver = true
    await task?.value
    task = nil
  }

  private func take() async {
    while !isOver {
      turns += 1
      await Task.yield()
    }
  }
}
