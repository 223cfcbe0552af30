// When the copy of the records is written: at the start, every half an hour, after an erasure, at the end.

internal import EventLoop

@LoopActor
final class RecordsKeeper {
  /// Between two copies of some hundred kilobytes, as most hubs have them.
  nonisolated static let pause: Duration = .seconds(1800)
  /// Of a card that holds for years: a larger copy is written so much more rarely.
  nonisolated static let bytesPerDay = 10 << 20
  /// After something was removed: what goes with it a moment later is in the same copy.
  nonisolated static let settling: Duration = .seconds(2)

  private let disk: StoreDisk
  private let registry: RegistryKeeper
  private var timer: LoopTimer?
  private var soon: LoopTimer?
  private var bytes = 0

  init(_ disk: StoreDisk, _ registry: RegistryKeeper) { (self.disk, self.registry) = (disk, registry) }

  func arm() {
    let seconds = bytes * 86_400 / Self.bytesPerDay
    timer = disk.loop.schedule(after: max(Self.pause, .seconds(seconds))) { [weak self] in
      guard let self else { return }
      disk.loop.spawn { await self.keep() }
      arm()
    }
  }

  func end() { for timer in [timer, soon].compactMap({ $0 }) { disk.loop.cancel(timer) } }

  /// Something is gone that no copy is to bring back.
  func noteRemoved() {
    if soon != nil { return }
    soon = disk.loop.schedule(after: Self.settling) { [weak self] in
      guard let self else { return }
      soon = nil
      disk.loop.spawn { await self.keep() }
    }
  }

  /// What the store cannot do now it does at the next time.
  func keep() async {
    guard let environment = disk.environment, disk.isSound, registry.secrets.trouble == nil else { return }
    let path = disk.options.path
    let written = try? await disk.perform { RecordsCopy.keep(environment, path) }
    if let written, written > 0 { bytes = written }
  }
}
