// Capabilities of one wearable, series by series: a table that wearables fill, drivers limit and the hub stores.

public import Health

/// Capabilities of one wearable, or of a driver for all its wearables. An empty table means that the wearable offers no
/// series. If the capabilities are unknown, there is no table at all.
public struct WearableCapabilities: Sendable, Hashable {
  private var table: [Series: SeriesCapabilities] = [:]

  /// Creates capabilities without series.
  public init() {}

  /// The same capabilities for several series.
  public init(_ capabilities: SeriesCapabilities, _ series: [Series]) { insert(capabilities, series) }

  /// Gates of one series; empty if the series is not available.
  public subscript(series: Series) -> SeriesCapabilities {
    get { table[series] ?? [] }
    set { table[series] = newValue.isEmpty ? nil : newValue }
  }

  /// True if no series is offered.
  public var isEmpty: Bool { table.isEmpty }

  /// Series with at least one gate, by number, so that the order never depends on a hash seed.
  public var series: [Series] { table.keys.sorted { $0.id < $1.id } }

  /// Series that have all of these gates, by number.
  public func series(with capabilities: SeriesCapabilities) -> [Series] {
    series.filter { self[$0].isSuperset(of: capabilities) }
  }

  /// Whether the wearable stores data for a while that can be fetched.
  public var keepsData: Bool { table.values.contains { !$0.isDisjoint(with: [.recorded, .history]) } }

  /// Adds capabilities to some series.
  public mutating func insert(_ capabilities: SeriesCapabilities, _ series: [Series]) {
    for one in series { self[one].formUnion(capabilities) }
  }

  /// Capabilities of either table.
  public func union(_ other: WearableCapabilities) -> WearableCapabilities {
    var all = self
    for one in other.series { all[one].formUnion(other[one]) }
    return all
  }

  /// Gates that both tables have. Window and interval are dropped for a series without automatic measuring.
  public func intersection(_ other: WearableCapabilities) -> WearableCapabilities {
    var both = WearableCapabilities()
    for one in series {
      var common = self[one].intersection(other[one])
      if !common.contains(.monitoring) { common.subtract([.monitoringWindow, .monitoringInterval]) }
      both[one] = common
    }
    return both
  }
}
