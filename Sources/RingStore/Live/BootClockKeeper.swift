// The clock of this boot, as the beginnings of chunks show it.

internal import EventLoop
internal import Reasons

@LoopActor
final class BootClockKeeper {
  private let disk: StoreDisk
  private let status: StatusKeeper
  /// The clock of this boot; nil if no sample came before a time source.
  private var known: BootClock?

  init(_ disk: StoreDisk, _ status: StatusKeeper, _ known: BootClock?) {
    self.disk = disk
    self.status = status
    self.known = known
  }

  /// Notes the clock with which a chunk begins. A changed record of this boot is written with that chunk's commit.
  func note(_ chunk: ChunkBuffer, rests isOnHub: Bool) {
    if disk.options.bootID == .unknown { return }
    if disk.loop.wallIsTrusted {
      guard var clock = known, clock.offset == nil else { return }
      (clock.offset, clock.known) = (chunk.clockOffset, disk.loop.wall.microseconds)
      keep(clock)
      let seconds = (chunk.clockOffset &- clock.lowest) / 1_000_000
      status.events.note(
        .storeTimesCorrected,
        text: "samples of this start that came before the time server are read \(seconds) s later, or less")
    } else if isOnHub {
      var clock = known ?? BootClock(boot: disk.options.bootID, lowest: .max)
      if clock.note(unsure: chunk.clockOffset) { keep(clock) }
    }
  }

  private func keep(_ clock: BootClock) {
    known = clock
    status.events.note(clock)
  }
}
