// The log of access as documents: values read, persons concerned, and readers.

public import EventLoop
public import Export
internal import Health
public import HubProtocol
public import Reasons
public import RingStore

extension AccessDocument {
  /// Number of records to search: all that a store holds.
  public static let searchLimit = 10_000

  init(_ record: AccessRecord, _ wearers: [Wearer], names: SampleExport) {
    let note = record.note
    let people = note.wearers.sorted()
    self.init(
      first: record.first.rfc3339, last: record.last.rfc3339, uid: note.user,
      user: note.userName.isEmpty ? nil : note.userName, method: note.method,
      device: note.wearable.map { names.name(of: $0) }, wearers: people.map(\.number),
      names: people.compactMap { id in wearers.first { $0.id == id }?.name }, moreWearers: record.hasMoreWearers,
      series: note.series.sorted().map { Series(id: $0)?.name ?? "series-\($0)" },
      from: note.span?.lowerBound.rfc3339, to: note.span?.upperBound.rfc3339, samples: note.samples, calls: note.calls,
      cursor: note.cursor.isEmpty ? nil : note.cursor)
  }

  /// The newest `limit` records, of one person or one wearable and in a span of time, if requested. A person goes
  /// before a wearable of the same name; an erased person has only a number.
  ///
  /// - Throws: `noSuchWearable`.
  public static func list(
    _ records: [AccessRecord], _ limit: Int, of which: String?, since: WallTime?, until: WallTime?,
    _ wearers: [Wearer], _ wearables: [WearableRecord], _ names: SampleExport
  ) throws(HearthError) -> [AccessDocument] {
    var found = records.filter { record in
      (since.map { record.last >= $0 } ?? true) && (until.map { record.first < $0 } ?? true)
    }
    if let which {
      let folded = which.lowercased()
      let named = wearers.filter { $0.name.lowercased() == folded }
      let number = UInt32(which).map { WearerID(number: $0) }
      if let person = (named.first { $0.retiredAt == nil } ?? named.last)?.id ?? number {
        found = found.filter { $0.concerns(person) }
      } else {
        let ids: [WearableID]
        do throws(HearthError) { ids = try ExportFilter.wearables(which, wearables) } catch {
          throw ExportFilter.unknown(error)
        }
        found = found.filter { record in record.note.wearable.map { ids.contains($0) } ?? false }
      }
    }
    return found.prefix(limit).map { AccessDocument($0, wearers, names: names) }
  }
}
