// Ground truth for a judge: items that a store must have, and their times as reported.

public import EventLoop
internal import Health

extension VirtualTopStepBand {
  /// Items that a host with a link of this length must have: those in memory all that time. Exceptions are items hidden
  /// by a newer one in the same place, and pressure derived from light.
  public func owed(linkedFor length: Duration) -> [BandItem] {
    catchUp()
    return ledger.owed(recorder.items, linkedFor: length, now: world.loop.now).filter {
      $0.series != .systolicPressure && log.hidden[$0.number] == nil
    }
  }

  /// Time since which no message can contain an item, or its meaning, because a newer one has its place; nil: sendable.
  public func hiddenSince(_ item: BandItem) -> Instant? {
    [log.hidden[item.number], log.alone[item.number]].compactMap { $0 }.min()
  }

  /// Civil time in the messages, without a correction by the host. Equal to `BandItem.time` if the clock was right.
  public func toldTime(_ item: BandItem) -> WallTime {
    WallTime(microseconds: (told(item) + Self.epoch) * 1_000_000)
  }
}
