// Which samples somebody wants, in the words of a command line.

public import EventLoop
public import Health
internal import HubProtocol
public import Reasons
public import RingStore

/// Which samples somebody wants.
public struct ExportFilter: Sendable, Hashable {
  /// Name or address.
  public var device: String?
  public var series: String?
  public var since: WallTime?
  public var until: WallTime?

  public init(device: String? = nil, series: String? = nil, since: WallTime? = nil, until: WallTime? = nil) {
    self.device = device
    self.series = series
    self.since = since
    self.until = until
  }

  /// The store's query. A name means every enrolment, past or present, that had it; an address every enrolment of that
  /// wearable.
  ///
  /// - Throws: `noSuchWearable`, or `controlBadParameter` for a series that does not exist.
  public func query(_ records: [WearableRecord]) throws(HearthError) -> SampleQuery {
    var query = SampleQuery(since: since, until: until)
    if let device { query.wearables = Set(try Self.wearables(device, records)) }
    if let series { query.series = [try Self.series(series)] }
    return query
  }

  /// Every enrolment of a name or an address, at least one, in the order of enrolment.
  public static func wearables(_ device: String, _ records: [WearableRecord]) throws(HearthError) -> [WearableID] {
    let address = device.uppercased()
    let found = records.filter { $0.name == device || $0.addressText == address }.map(\.id).sorted()
    if found.isEmpty {
      let near = nearMiss(device, among: records.map { $0.name }.sorted(), atMost: 1)
      throw HearthError(
        .noSuchWearable, "no wearable is called '\(harmless(device))'\(hint(near.map { harmless($0) }))")
    }
    return found
  }

  /// The present enrolment of a name or an address, or the last one there was.
  public static func wearable(_ device: String, _ records: [WearableRecord]) throws(HearthError) -> WearableID {
    let found = try wearables(device, records)
    return records.first { found.contains($0.id) && $0.retiredAt == nil }?.id ?? found[found.count - 1]
  }

  public static func series(_ name: String) throws(HearthError) -> Series {
    if let known = Series(name: name) { return known }
    let names = Series.all.map(\.name)
    let near = nearMiss(name, among: names)
    // All of them only where none is near: they are a paragraph.
    let rest = near == nil ? ": there are \(names.joined(separator: ", "))" : hint(near)
    throw HearthError(.controlBadParameter, "no series is called '\(harmless(name))'\(rest)")
  }
}

extension Series {
  /// Those whose days have values, in the order of their numbers.
  public static let withDays: [Series] = all.filter { series in
    switch series.layout {
    case .scalar, .vector, .interval: series.daily != .event
    case .waveform, .record: false
    }
  }
}
