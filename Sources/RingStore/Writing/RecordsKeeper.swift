// When the copy of the records is written: at the start, every half an hour, after an erasure, at the end.

internal import EventLoop

@LoopActor
final class RecordsKeeper {
  /// A copy of some hundred kilobytes, where anything changed: some megabytes of a card a day at most.
  nonisolated static let pause: Duration = .seconds(1800)

  private let disk: StoreDisk
  private var timer: LoopTimer?

  init(_ disk: StoreDisk) { self.disk = disk }

  func arm() {
    timer = disk.loop.schedule(after: Self.pause) { [weak self] in
      guard let self else { return }
      disk.loop.spawn { await self.keep() }
      arm()
    }
  }

  func end() { if let timer { disk.loop.cancel(timer) } }

  /// What the store cannot do now it does at the next time.
  func keep() async {
    guard let environment = disk.environment, disk.isSound else { return }
    let path = disk.options.path
    _ = try? await disk.perform { _ = RecordsCopy.keep(environment, path) }
  }
}
