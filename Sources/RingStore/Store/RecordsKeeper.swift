// Times of the copy of the records: at the start, every half an hour, after an erasure, at the end.

internal import EventLoop

@LoopActor
final class RecordsKeeper {
  /// Pause between two copies of some hundred kilobytes, the size on most hubs.
  nonisolated static let pause: Duration = .seconds(1800)
  /// Budget of the card, so that it lasts for years: a larger copy is written less often.
  nonisolated static let bytesPerDay = 10 << 20
  /// Delay after a removal, so that related removals a moment later are in the same copy.
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

  /// Notes that records were removed, which no copy may restore.
  func noteRemoved() {
    if soon != nil { return }
    soon = disk.loop.schedule(after: Self.settling) { [weak self] in
      guard let self else { return }
      soon = nil
      disk.loop.spawn { await self.keep() }
    }
  }

  /// Writes the copy; a failed attempt is repeated at the next time.
  func keep() async {
    guard let environment = disk.environment, disk.isSound, registry.secrets.trouble == nil else { return }
    let path = disk.options.path
    let written = try? await disk.perform { RecordsCopy.keep(environment, path) }
    if let written, written > 0 { bytes = written }
  }
}
