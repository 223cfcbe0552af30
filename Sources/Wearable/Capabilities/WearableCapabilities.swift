// What can be had of one wearable, series by series: a table that wearables fill, drivers bound and the hub keeps.

public import Health

/// Capabilities of one wearable, or of a driver for all its wearables. An empty table says that nothing can be had;
/// what is not known is no table at all.
public struct WearableCapabilities: Sendable, Hashable {
  private var table: [Series: SeriesCapabilities] = [:]

  public init() {}

  /// The same of several series.
  public init(_ capabilities: SeriesCapabilities, _ series: [Series]) { insert(capabilities, series) }

  /// Empty where nothing can be had of it.
  public subscript(series: Series) -> SeriesCapabilities {
    get { table[series] ?? [] }
    set { table[series] = newValue.isEmpty ? nil : newValue }
  }

  public var isEmpty: Bool { table.isEmpty }

  /// Series of which something can be had, by number: never in an order that a hash seed decides.
  public var series: [Series] { table.keys.sorted { $0.id < $1.id } }

  /// Series that have all of these, by number.
  public func series(with capabilities: SeriesCapabilities) -> [Series] {
    series.filter { self[$0].isSuperset(of: capabilities) }
  }

  /// Something is kept on the wearable for a while, and can be fetched.
  public var keepsData: Bool { table.values.contains { !$0.isDisjoint(with: [.recorded, .history]) } }

  public mutating func insert(_ capabilities: SeriesCapabilities, _ series: [Series]) {
    for one in series { self[one].formUnion(capabilities) }
  }

  public func union(_ other: WearableCapabilities) -> WearableCapabilities {
    var all = self
    for one in other.series { all[one].formUnion(other[one]) }
    return all
  }

  /// What both have of a series. How often and when something is measured is nothing without its being measured.
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
