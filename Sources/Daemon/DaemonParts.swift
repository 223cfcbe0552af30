// Parts that differ between programs that run a hub: drivers, radio, side tasks.

public import Bluetooth
public import Configuration
public import EventLoop
public import Logging
public import RingStore
public import Wearable

/// Choices of a program for the hub that it runs.
public struct DaemonParts: Sendable {
  /// Drivers of all supported families.
  public var drivers: [any WearableDriver]
  /// Read again on SIGHUP; nil: no file.
  public var configurationPath: String?
  /// Record of the last update (UpdateRecord.path), read at the start and on SIGHUP; nil: no record.
  public var updateRecordPath: String?
  /// Random seed of the hub, combined with the time of its start.
  public var seed: UInt64 = 1
  /// Creates the radio. `giveUp` ends the run, if the radio cannot be revived.
  public var makeRadio: @LoopActor (Configuration, Logger, _ giveUp: @escaping @LoopActor () -> Void) -> any Radio
  /// Subscribes to reports that another program had the adapter, if the radio has them.
  public var watchTakeovers:
    @LoopActor (any Radio, _ tell: @escaping @LoopActor (_ since: Instant, _ program: String) -> Void) -> Void = {
      _, _ in
    }
  /// Whether to check that committed data survives a power cut, before anything is erased because of it.
  public var looksAtMedium = true
  /// Works on the store before the hub uses it.
  public var prepare: @LoopActor (Store) async throws -> Void = { _ in }
  /// Called when the hub serves and its socket exists.
  public var onServing: @LoopActor () -> Void = {}

  /// Drivers, and a function that creates the radio.
  public init(
    drivers: [any WearableDriver],
    makeRadio: @escaping @LoopActor (Configuration, Logger, _ giveUp: @escaping @LoopActor () -> Void) -> any Radio
  ) {
    self.drivers = drivers
    self.makeRadio = makeRadio
  }
}
