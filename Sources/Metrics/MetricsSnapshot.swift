// State of the hub at one moment, and all metrics derived from it. The control socket answers from the same values.

public import EventLoop
public import Hub
public import RingStore

/// Snapshots of one turn of the loop, with the figures of the process.
public struct MetricsSnapshot: Sendable {
  /// Snapshot of the hub: radio, lane and loop.
  public let hub: HubSnapshot
  /// Enrolled wearables, at most `deviceLimit`.
  public let devices: [WearableSnapshot]
  /// Figures of the store: bytes, samples and commits.
  public let store: StoreStatus
  /// Figures of the process; nil: unknown.
  public let process: ProcessFigures?
  /// Civil time of the snapshot.
  public let wall: WallTime
  /// Monotonic time of the snapshot.
  public let now: Instant

  /// Highest number of enrolled wearables. With 512 the text has at most a megabyte and a half.
  public static let deviceLimit = 512

  /// - Parameter wearables: enrolled or not; candidates are left out, because any device can be one under any name.
  public init(
    hub: HubSnapshot, wearables: [WearableSnapshot], store: StoreStatus, process: ProcessFigures?, wall: WallTime,
    now: Instant
  ) {
    self.hub = hub
    devices = Array(wearables.lazy.filter(\.isEnrolled).prefix(Self.deviceLimit))
    self.store = store
    self.process = process
    self.wall = wall
    self.now = now
  }

  /// Parts of the metrics, each with some families. Separate, so that the caller can yield the loop between two of
  /// them. A part with 512 wearables takes 1 ms on a desktop, about 5 ms on a small board.
  public static let parts: [@Sendable (MetricsSnapshot) -> [MetricFamily]] =
    [{ $0.hubFamilies }, { $0.radioFamilies }, { $0.laneFamilies }, { $0.loopFamilies }, { $0.storeFamilies }]
    + deviceFamilies.map(alone)

  private static func alone(_ family: @escaping @Sendable (MetricsSnapshot) -> MetricFamily)
    -> @Sendable (MetricsSnapshot) -> [MetricFamily]
  { { [family($0)] } }

  /// The complete text at once.
  public func text(_ form: MetricsForm) -> [UInt8] {
    var text = MetricsText(form)
    for part in Self.parts { for family in part(self) { text.add(family) } }
    text.end()
    return text.bytes
  }
}

/// Figures of the process from the kernel.
public struct ProcessFigures: Sendable {
  /// Processor time in user and kernel mode, since the start of the process.
  public let processorTime: Duration
  /// Resident memory in bytes.
  public let residentBytes: Int

  /// Figures from the kernel.
  public init(processorTime: Duration, residentBytes: Int) {
    self.processorTime = processorTime
    self.residentBytes = residentBytes
  }
}
