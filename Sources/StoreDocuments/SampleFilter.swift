// Filter of samples, from the words of a command line.

public import EventLoop
public import Export
public import Health
internal import HubProtocol
public import Reasons
public import RingStore

/// Filter of samples.
public struct ExportFilter: Sendable, Hashable {
  /// Names or addresses; empty: all.
  public var devices: [String]
  /// Empty: all.
  public var series: [String]
  /// Name or number of a person: samples of wearables while that person wore them.
  public var person: String?
  /// Earliest time; nil: any.
  public var since: WallTime?
  /// Latest time; nil: any.
  public var until: WallTime?

  /// A filter; empty and nil parts do not filter.
  public init(
    devices: [String] = [], series: [String] = [], person: String? = nil, since: WallTime? = nil, until: WallTime? = nil
  ) {
    self.devices = devices
    self.series = series
    self.person = person
    self.since = since
    self.until = until
  }

  /// A filter with at most one of each.
  public init(device: String?, series: String?, since: WallTime? = nil, until: WallTime? = nil) {
    self.init(devices: device.map { [$0] } ?? [], series: series.map { [$0] } ?? [], since: since, until: until)
  }

  /// The store's query. A name means every enrolment, past or present, that had it; an address every enrolment of that
  /// wearable. For a person only enrolments that were assigned to them.
  ///
  /// - Parameter names: with the assignments of wearables.
  /// - Throws: `noSuchWearable`, `noSuchWearer`, or `controlBadParameter` for an unknown series.
  public func query(_ records: [WearableRecord], _ names: SampleExport) throws(HearthError) -> SampleQuery {
    var query = SampleQuery(since: since, until: until)
    if !devices.isEmpty {
      var wearables: Set<WearableID> = []
      for device in devices { wearables.formUnion(try Self.wearables(device, records)) }
      query.wearables = wearables
    }
    if !series.isEmpty {
      var wanted: [Series] = []
      for name in series { wanted.append(try Self.series(name)) }
      query.series = wanted
    }
    if let person {
      guard let found = names.sources(ofWearer: person) else {
        throw HearthError(.noSuchWearer, "no person is called '\(harmless(person))'")
      }
      query.stretches = ItemSource.byWearable(found.sources)
      let worn = Set(query.stretches.keys)
      query.wearables = query.wearables.map { $0.intersection(worn) } ?? worn
    }
    return query
  }

  /// Every enrolment of a name or an address, at least one, in the order of enrolment.
  ///
  /// - Throws: `noSuchWearable`, with a similar name if there is one.
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

  /// Error for a name that is neither a wearable's nor a person's, with the command that lists persons.
  static func unknown(_ error: HearthError) -> HearthError {
    HearthError(error.reason, "\(error.detail), and no person either (hearth wearer lists them)")
  }

  /// The present enrolment of a name or an address, or the last one.
  ///
  /// - Throws: `noSuchWearable`, with a similar name if there is one.
  public static func wearable(_ device: String, _ records: [WearableRecord]) throws(HearthError) -> WearableID {
    let found = try wearables(device, records)
    return records.first { found.contains($0.id) && $0.retiredAt == nil }?.id ?? found[found.count - 1]
  }

  /// The series of a name.
  ///
  /// - Throws: for an unknown name, with a similar one.
  public static func series(_ name: String) throws(HearthError) -> Series {
    if let known = Series(name: name) { return known }
    let names = Series.all.map(\.name)
    let near = nearMiss(name, among: names)
    // The complete list only if no name is similar, as it fills a paragraph.
    let rest = near == nil ? ": there are \(names.joined(separator: ", "))" : hint(near)
    throw HearthError(.controlBadParameter, "no series is called '\(harmless(name))'\(rest)")
  }
}

extension Series {
  /// Series with values by day, in the order of their numbers.
  public static let withDays: [Series] = all.filter { series in
    switch series.layout {
    case .scalar, .vector, .interval: series.daily != .event
    case .waveform, .record: false
    }
  }
}
