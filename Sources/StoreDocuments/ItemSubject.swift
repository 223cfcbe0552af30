// Subject of a request for measured items: a wearable, or a person with all wearables that they wore.

public import EventLoop
public import Export
public import Health
internal import HubProtocol
public import Reasons
public import RingStore

/// A wearable or a wearer, as named in the request.
public struct ItemSubject: Sendable {
  /// Name in the hub.
  public let name: String
  /// Wearables and times of the items.
  public let sources: [ItemSource]
  /// nil: a wearable.
  public let wearer: String?

  /// Finds a wearable by name or address, else a wearer by name or number.
  ///
  /// - Throws: `noSuchWearable`.
  public init(_ text: String, _ records: [WearableRecord], _ names: SampleExport) throws(HearthError) {
    do throws(HearthError) {
      let wearable = try ExportFilter.wearable(text, records)
      self.init(name: names.name(of: wearable), sources: [ItemSource(wearable)], wearer: nil)
    } catch {
      guard let found = names.sources(ofWearer: text) else { throw ExportFilter.unknown(error) }
      self.init(name: found.name, sources: found.sources, wearer: found.name)
    }
  }

  private init(name: String, sources: [ItemSource], wearer: String?) {
    self.name = name
    self.sources = sources
    self.wearer = wearer
  }

  /// Sources that are summed up together in a day. Measured values of all wearables of a person belong together.
  /// Counted ones do not, as two wearables count the same steps.
  public func groups(of series: Series) -> [[ItemSource]] {
    switch series.daily {
    case .level: [sources]
    case .amount, .state, .event: sources.map { [$0] }
    }
  }
}

extension ItemSource {
  /// Sources by their wearables.
  public static func byWearable(_ sources: [ItemSource]) -> [WearableID: ItemSource] {
    Dictionary(sources.map { ($0.wearable, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Number of the stretch that began last before a time, from 0; nil without stretches.
  public func stretch(at time: WallTime) -> Int? { stretches?.lastIndex { $0.lowerBound <= time.microseconds } }

  /// The parts of a span of time to search: for a wearer, the times in which that person wore the wearable.
  public func parts(of span: Range<WallTime>) -> [ClosedRange<WallTime>] {
    let whole = span.lowerBound.microseconds..<span.upperBound.microseconds
    return (stretches ?? [whole]).map { $0.clamped(to: whole) }.filter { !$0.isEmpty }.map {
      WallTime(microseconds: $0.lowerBound)...WallTime(microseconds: $0.upperBound - 1)
    }
  }
}

/// A checked request of a call or a command.
public struct ItemRequest: Sendable {
  /// Wearable or person.
  public let subject: ItemSubject
  /// Query for the store.
  public let query: ItemQuery

  /// - Throws: `noSuchWearable`; `controlBadParameter` for a series without values, and for unknown words.
  public init(
    _ subject: ItemSubject, series name: String, since: WallTime?, until: WallTime?, kind: String?, isManual: Bool?,
    after: String?, limit: Int
  ) throws(HearthError) {
    let series = try ExportFilter.series(name)
    if series.layout.hasBytes {
      throw HearthError(
        .controlBadParameter, "\(series.name) has no single values that could be listed; hearth export gives all of it")
    }
    let found = kind.map { word in SampleKind.allCases.first { $0.name == word } }
    if let kind, case .some(.none) = found {
      let words = SampleKind.allCases.map(\.name).joined(separator: ", ")
      throw HearthError(.controlBadParameter, "no kind of item is called '\(harmless(kind))': there are \(words)")
    }
    let key = after.flatMap { ItemKey(text: $0) }
    if let after, key == nil {
      throw HearthError(.controlBadParameter, "'\(harmless(after))' is no place in a list of items")
    }
    self.subject = subject
    query = ItemQuery(
      subject.sources, series, since: since, until: until,
      filter: ItemFilter(kind: found ?? nil, isManual: isManual), after: key, limit: limit)
  }
}

extension Series {
  /// Place of a temperature's measurement; nil for other series, and if unknown.
  public var place: String? {
    let end = "_temperature"
    return name.hasSuffix(end) ? String(name.dropLast(end.count)) : nil
  }
}
