// What the hub knew of itself at one moment, and all metrics that are made of it. The same values answer the socket.

public import EventLoop
public import Hub
public import RingStore

/// Snapshots of one turn of the loop, and what its process costs.
public struct MetricsMoment: Sendable {
  public let hub: HubSnapshot
  /// Enrolled ones, `deviceLimit` at most.
  public let devices: [WearableSnapshot]
  public let store: StoreStatus
  public let process: ProcessFigures?
  public let wall: WallTime
  public let now: Instant

  /// As many as a hub enrols. Of 512 the text has a megabyte and a half at most.
  public static let deviceLimit = 512

  /// - Parameter wearables: enrolled or not; candidates are left out, as anybody can be one under any name.
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

  /// Each gives some families. Apart, so that whoever has the loop may let others in between two of them: one about
  /// 512 wearables takes 1 ms on a desktop, some 5 ms on a small board.
  public static let parts: [@Sendable (MetricsMoment) -> [MetricFamily]] =
    [{ $0.hubFamilies }, { $0.radioFamilies }, { $0.laneFamilies }, { $0.loopFamilies }, { $0.storeFamilies }]
    + deviceFamilies.map(alone)

  private static func alone(_ family: @escaping @Sendable (MetricsMoment) -> MetricFamily)
    -> @Sendable (MetricsMoment) -> [MetricFamily]
  { { [family($0)] } }

  /// All of it at once.
  public func text(_ form: MetricsForm) -> [UInt8] {
    var text = MetricsText(form)
    for part in Self.parts { for family in part(self) { text.add(family) } }
    text.end()
    return text.bytes
  }
}

/// What the kernel says of the process.
public struct ProcessFigures: Sendable {
  /// In user and kernel mode, since its start.
  public let processorTime: Duration
  public let residentBytes: Int

  public init(processorTime: Duration, residentBytes: Int) {
    self.processorTime = processorTime
    self.residentBytes = residentBytes
  }
}
