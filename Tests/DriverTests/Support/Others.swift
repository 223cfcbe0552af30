import EventLoop

/// Everybody else on the loop, who wants a turn as often as there is one: what runs beside them and gives them none
/// holds the loop.
@LoopActor
final class Others {
  private(set) var turns = 0
  private var isOver = false
  private var task: Task<Void, Never>?

  /// They begin at the next turn that somebody gives them.
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
