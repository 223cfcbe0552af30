// Samples as text, the same from the daemon and from the command line. Each format has a file of its own.

public import EventLoop
public import RingStore

/// Writes samples as ndjson or CSV.
///
/// Names are those of enrolled and retired wearables at the time of the export. A wearable that the registry no longer
/// knows is `wearable-17` without an address. A sample has the name of the person that wore the wearable at its time.
///
/// Times are UTC, rounded down to milliseconds. Times of a series with microseconds keep them if they are not whole
/// milliseconds.
public struct SampleExport: Sendable {
  /// Text format of a line.
  public enum Format: String, Sendable, CaseIterable {
    case ndjson, csv
  }

  /// Format of the lines.
  public let format: Format
  private var names: [WearableID: (name: String, address: String)] = [:]
  private let people: People

  /// An export without persons.
  public init(_ format: Format, wearables: [WearableRecord]) {
    self.init(format, wearables: wearables, people: People())
  }

  package init(_ format: Format, wearables: [WearableRecord], people: People) {
    self.format = format
    self.people = people
    for record in wearables { names[record.id] = (record.name, record.addressText) }
  }

  /// Text before the first line, with its line feed; empty for ndjson.
  public var head: String { format == .csv ? ExportRow.csvHeader() + "\n" : "" }

  /// Name of a wearable at the time of the export.
  public func name(of wearable: WearableID) -> String { names(of: wearable).name }

  /// Empty for a wearable that the registry no longer knows.
  public func address(of wearable: WearableID) -> String { names(of: wearable).address }

  func names(of wearable: WearableID) -> (name: String, address: String) {
    names[wearable] ?? ("wearable-\(wearable.number)", "")
  }

  /// Wearers in a span: names in the order of time, each once.
  public func wearers(of wearable: WearableID, from: WallTime, to: WallTime) -> [String] {
    var found: [String] = []
    func add(_ id: WearerID?) {
      if let name = id.flatMap({ people.wearer($0)?.name }), !found.contains(name) { found.append(name) }
    }
    add(people.wearer(of: wearable, at: from))
    for assignment in people.assignments(of: wearable) where assignment.from > from && assignment.from <= to {
      add(assignment.wearer)
    }
    return found
  }

  /// Wearables that a person wore and when, by the name or the number of the person; nil for an unknown person.
  public func sources(ofWearer text: String) -> (name: String, sources: [ItemSource])? {
    people.wearer(named: text).map { ($0.name, people.sources(of: $0.id)) }
  }

  /// Name by number; nil: there is no such person, or it was erased.
  public func wearer(_ id: WearerID) -> String? { people.wearer(id)?.name }

  /// Number of a person; see `sources`.
  public func number(ofWearer text: String) -> WearerID? { people.wearer(named: text)?.id }

  /// The house's own identifiers by the names of persons. Of several persons of a name the present one counts.
  public var houseIDs: [String: String] {
    var ids: [String: String?] = [:]
    for wearer in people.wearers where wearer.retiredAt != nil { ids[wearer.name] = .some(wearer.houseID) }
    for wearer in people.wearers where wearer.retiredAt == nil { ids[wearer.name] = .some(wearer.houseID) }
    return ids.compactMapValues { $0 }
  }

  /// The wearer at the time of a sample.
  func wearer(of sample: StoredSample) -> String? { wearerID(of: sample).flatMap { people.wearer($0)?.name } }

  func wearerID(of sample: StoredSample) -> WearerID? { people.wearer(of: sample.wearable, at: sample.time) }

  /// A line, without a line feed.
  public func line(_ sample: StoredSample) -> String {
    var text: [UInt8] = []
    append(sample, to: &text)
    return String(decoding: text.dropLast(), as: UTF8.self)
  }

  /// Appends a line and its line feed.
  public func append(_ sample: StoredSample, to text: inout [UInt8]) { row(sample).append(as: format, to: &text) }
}

extension ExportRow {
  /// Appends a line and its line feed.
  ///
  /// - Parameter bytes: with the bytes of records and of waveforms in an encoding of the wearable's own.
  public func append(as format: SampleExport.Format, bytes: Bool = true, to text: inout [UInt8]) {
    switch format {
    case .csv: appendCSV(bytes: bytes, to: &text)
    case .ndjson where bytes || data == nil: appendLine(to: &text)
    case .ndjson:
      var row = self
      row.data = nil
      row.appendLine(to: &text)
    }
  }
}

extension Store {
  /// Writes this store's samples, with the names of now.
  public func sampleExport(_ format: SampleExport.Format) -> SampleExport {
    SampleExport(format, wearables: wearables + retiredWearables, people: people)
  }
}

extension StoreReader {
  /// Exports samples like `Store.sampleExport`.
  public func sampleExport(_ format: SampleExport.Format) -> SampleExport {
    SampleExport(format, wearables: wearables + retiredWearables, people: people)
  }
}
