// What a program that runs a hub brings along: its families, its radio, what it does beside.

public import Bluetooth
public import Configuration
public import EventLoop
public import Logging
public import RingStore
public import Wearable

/// What a program chooses of the hub that it runs.
public struct DaemonParts: Sendable {
  /// The families it knows.
  public var drivers: [any WearableDriver]
  /// Read again on SIGHUP; nil: nothing is.
  public var configurationPath: String?
  /// The record of the last update (UpdateRecord.path), read at the start and on SIGHUP; nil: none is.
  public var updateRecordPath: String?
  /// Chance of the hub's own, beside the time of its start.
  public var seed: UInt64 = 1
  /// Makes the radio. The function it gets ends the run, for a radio that nothing revives.
  public var makeRadio: @LoopActor (Configuration, Logger, _ giveUp: @escaping @LoopActor () -> Void) -> any Radio
  /// Has the radio tell when another program had its adapter, where it can.
  public var watchTakeovers:
    @LoopActor (any Radio, _ tell: @escaping @LoopActor (_ since: Instant, _ program: String) -> Void) -> Void = {
      _, _ in
    }
  /// Looks whether what is committed outlives the power, before anything is erased for it.
  public var looksAtMedium = true
  /// Works on the store before the hub sees it.
  public var prepare: @LoopActor (Store) async throws -> Void = { _ in }
  /// The hub serves, and its socket is there.
  public var onServing: @LoopActor () -> Void = {}

  public init(
    drivers: [any WearableDriver],
    makeRadio: @escaping @LoopActor (Configuration, Logger, _ giveUp: @escaping @LoopActor () -> Void) -> any Radio
  ) {
    self.drivers = drivers
    self.makeRadio = makeRadio
  }
}
