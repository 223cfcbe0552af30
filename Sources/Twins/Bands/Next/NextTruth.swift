// What a judge asks a band of the new platform: what a store owes of it, and when it says that something was measured.

public import EventLoop
internal import Health

extension VirtualNextBand {
  /// Items that a host that stayed so long after it was let in must have: those that memory held all the while, but for
  /// what no message can tell because something newer has its place, and for pressure that was made up of light.
  public func owed(linkedFor length: Duration) -> [BandItem] {
    catchUp()
    return ledger.owed(recorder.items, linkedFor: length, now: world.loop.now).filter {
      $0.series != .systolicPressure && log.hidden[$0.number] == nil
    }
  }

  /// Since when no message can tell an item, because something newer has its place, or what it is; nil: one can.
  public func hiddenSince(_ item: BandItem) -> Instant? {
    [log.hidden[item.number], log.alone[item.number]].compactMap { $0 }.min()
  }

  /// Civil time that a host reads in its messages, if it does not correct it: that of `BandItem.time` where the clock
  /// was right.
  public func toldTime(_ item: BandItem) -> WallTime {
    WallTime(microseconds: (told(item) + Self.epoch) * 1_000_000)
  }
}
