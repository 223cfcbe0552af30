// Stored records as a kind of data that is fetched: which are new, what they are kept as, and when they may be deleted.
//
// A record is a value of some twenty bytes. They come all at once when the wearable is asked, so listing them is
// reading them: what is new becomes an item for each stretch of time or of numbers, and its fetch gives what was read.

import Bluetooth
import EventLoop
import Health
import Wearable

/// The records behind one Record Access Control Point.
@LoopActor
final class RecordDomain: FetchDomain {
  private let link: any WearableLink
  let point: RecordAccessPoint
  private let reader: RecordReader
  private let format: RecordFormat
  /// New records of each item that was listed, and what is durable of it once they are.
  private var contents: [String: (bytes: [UInt8], progress: [UInt8])] = [:]
  /// The last listing left some for another.
  private(set) var hasMore = false
  /// How many there were when all of them were read; nil: they were not.
  private var whole: (count: Int, highest: UInt32)?
  private(set) var mayHaveRemoved = false

  /// Records of one listing, where they can be asked for from a number on: they become durable before more are asked
  /// for, so that a link that ends costs no more than these. At 20 a second, the pace of indications with an interval
  /// of 25 ms, they take 26 s.
  nonisolated static let page = 512
  /// Where they cannot: what is read in one go. A minute to the pace of 70 a second that notifications have; twice as
  /// many as the largest memory that is known of a spot-check oximeter.
  nonisolated static let readLimit = 4096
  /// Listings of one visit.
  nonisolated static let pages = 8

  init(_ link: any WearableLink, _ point: RecordAccessPoint, _ format: RecordFormat, _ gate: RecordGate) {
    (self.link, self.point, self.format) = (link, point, format)
    reader = RecordReader(link, point, format, gate)
  }

  var id: String { format.id }
  var series: [Series] { format.series }
  var syncDomains: [SyncDomain] { [format.syncDomain] }
  /// Its records can be asked for from a number on.
  var isPaged: Bool { format.isNumbered }

  // MARK: list

  /// Refused, or not answered: over this link it is not asked again.
  private var isOutOfReach = false

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    (contents, hasMore, whole) = ([:], false, nil)
    if isOutOfReach { return [] }
    do throws(VisitTrouble) { return try await listed(known) } catch {
      switch error {
      case .refused, .unsupported:
        giveUp(error)
        return []
      default: throw error
      }
    }
  }

  private func giveUp(_ trouble: VisitTrouble) {
    isOutOfReach = true
    link.note("its stored records: \(trouble.text)")
  }

  /// How many there are, before any listing; nil where it does not say.
  func count() async throws(VisitTrouble) -> Int? {
    if isOutOfReach { return nil }
    do throws(VisitTrouble) { return try await point.count().map { Int($0) } } catch {
      switch error {
      case .refused, .unsupported: giveUp(error)
      case .busy: break
      default: throw error
      }
      return nil
    }
  }

  private func listed(_ known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    let here = known.filter { !$0.isErased && $0.id.hasPrefix(format.id + "/") }
    let isOrdered = isRemovalOrdered
    guard let counted = try await point.count() else { return try await read(here, counted: nil) }
    if counted == 0 { return [] }
    let last = here.map { RecordDigests($0.progress).highest }.max() ?? 0
    // What is to be deleted is read whole: nothing is taken for durable that is not known to be there.
    guard format.isNumbered, last > 0, !isOrdered else { return try await read(here, counted: counted) }
    return try await resume(here, from: last, counted: counted)
  }

  /// From the last number that is durable on, itself included: where it is another record, or there is none, the
  /// wearable has begun to number anew.
  private func resume(_ known: [KnownItem], from last: UInt32, counted: UInt32) async throws(VisitTrouble)
    -> [HeldItem]
  {
    let reading = try await reader.read(.from(last), limit: Self.page, counted: nil)
    let held = digests(of: known)
    let isKnown = reading.records.allSatisfy { $0.place.number != last || holder(of: $0, held) != nil }
    guard !reading.isUnsupported, !reading.records.isEmpty, isKnown else {
      return try await read(known, counted: counted, anew: true)
    }
    hasMore = reading.hasMore
    let fresh = items(of: reading, known)
    let names = Set(fresh.map(\.id))
    // What lies before was not asked for, and is as it was.
    let before = known.filter { $0.isDurable && !names.contains($0.id) }
    return before.map { HeldItem(id: $0.id, mark: $0.mark, size: $0.size) } + fresh
  }

  /// All of them.
  ///
  /// - Parameter anew: numbers do not tell what is known of them.
  private func read(_ known: [KnownItem], counted: UInt32?, anew: Bool = false) async throws(VisitTrouble) -> [HeldItem]
  {
    let isPaged = format.isNumbered && !isRemovalOrdered && !anew
    let reading = try await reader.read(.all, limit: isPaged ? Self.page : Self.readLimit, counted: counted)
    hasMore = isPaged && reading.hasMore
    if !isPaged, reading.hasMore { link.note("it keeps more than \(Self.readLimit) records: the first were read") }
    let items = items(of: reading, known)
    let numbers = reading.records.compactMap(\.place.number)
    let highest = numbers.max() ?? 0
    let isAll = reading.isWhole && leftOut == 0 && (!format.isNumbered || numbers.count == reading.records.count)
    whole = isAll ? (reading.records.count, highest) : nil
    return items
  }

  // MARK: Items of records

  private func name(_ slot: String) -> String { "\(format.id)/\(slot)" }

  private func digests(of known: [KnownItem]) -> [String: Set<UInt32>] {
    Dictionary(known.map { ($0.id, RecordDigests($0.progress).digests) }) { first, _ in first }
  }

  /// Slot of the item that has a record already: its own, or the one to which it belonged before.
  private func holder(of record: ReadRecord, _ held: [String: Set<UInt32>]) -> String? {
    let slots = [record.place.slot] + (record.place.formerSlot.map { [$0] } ?? [])
    return slots.first { held[name($0)]?.contains(record.digest) ?? false }
  }

  /// Records that had no room among those of their item.
  private var leftOut = 0

  private func items(of reading: RecordReading, _ known: [KnownItem]) -> [HeldItem] {
    leftOut = 0
    let held = digests(of: known)
    // A record stays in the item where it lies.
    let slots = Dictionary(grouping: reading.records) { holder(of: $0, held) ?? $0.place.slot }
    func rank(_ slot: String) -> (UInt32, Int64, String) {
      let places = slots[slot, default: []].map(\.place)
      return (places.compactMap(\.number).min() ?? 0, places.compactMap(\.begins).min() ?? .max, slot)
    }
    let order = slots.keys.map { rank($0) }.sorted { $0 < $1 }.map(\.2)
    var items: [HeldItem] = []
    for (place, slot) in order.enumerated() {
      let behind = order[(place + 1)...].flatMap { slots[$0, default: []] }.compactMap(\.place.number).min()
      let upTo = order[...place].flatMap { slots[$0, default: []] }.compactMap(\.place.number).max()
      let reach = upTo.map { upTo in behind.map { min(upTo, $0 &- 1) } ?? upTo }
      items.append(item(slot, slots[slot, default: []], known.first { $0.id == name(slot) }, reach: reach))
    }
    if leftOut > 0 { link.note("\(leftOut) stored records are more than one item can have") }
    return items
  }

  /// - Parameter reach: all records up to this number are in this item and those before it.
  private func item(_ slot: String, _ records: [ReadRecord], _ known: KnownItem?, reach: UInt32?) -> HeldItem {
    var digests = RecordDigests(known?.progress ?? [])
    let present = Set(records.map(\.digest))
    // What the wearable has no more may be forgotten before anything else is left out.
    if digests.digests.union(present).count > RecordDigests.limit { digests.keep(present) }
    var fresh: [(bytes: [UInt8], isTold: Bool)] = []
    for record in records where !digests.digests.contains(record.digest) {
      guard digests.digests.count < RecordDigests.limit else {
        leftOut += 1
        continue
      }
      digests.insert(record.digest)
      fresh.append((record.bytes, record.isTold))
    }
    if let reach { digests.reach(reach) }
    let begins = records.compactMap(\.place.begins).min()
    if fresh.isEmpty, let known {
      return HeldItem(id: known.id, mark: known.mark, size: known.size, begins: begins)
    }
    let bytes = RecordBytes.joined(fresh)
    contents[name(slot)] = (bytes, digests.progress)
    return HeldItem(id: name(slot), mark: digests.mark, size: bytes.count, begins: begins)
  }

  // MARK: fetch

  /// Bytes handed over at once.
  private static let chunk = 4096

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let bytes = contents[item.id]?.bytes else { throw .unsupported("\(item.id) was not read") }
    if sink.offset > bytes.count { try await sink.startOver(mark: item.mark, size: bytes.count) }
    while sink.offset < bytes.count {
      let next = bytes[sink.offset...].prefix(Self.chunk)
      if try await sink.take(copyOf: next) == .enough { return }
    }
  }

  // MARK: What is in it

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    let sink = CountingSink()
    var (records, isUnsure) = (0, false)
    try RecordBytes.each(bytes) { record, isTold throws(ItemDefect) in
      let place = format.place(record)
      guard place.slot != RecordPlace.odd.slot else { throw .malformed("a record that cannot be read") }
      guard name(place.slot) == item.id else { throw .malformed("a record of \(place.slot)") }
      if !isTold { try format.decode(record, sink) }
      records += 1
      isUnsure = isUnsure || place.isTimeUnsure
    }
    let noun = records == 1 ? "record" : "records"
    var verdict = ItemVerdict(
      summary: "\(records) \(noun), \(sink.count) values", isFinal: true, mark: item.mark, isTimeUnsure: isUnsure)
    verdict.progress = contents[item.id]?.progress
    return verdict
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try RecordBytes.each(bytes) { record, isTold throws(ItemDefect) in
      if !isTold { try format.decode(record, sink) }
    }
  }

  // MARK: remove

  private var isRemovalOrdered: Bool { link.remembered(RemovalOrder.self)?.stands(at: link.hubTime) ?? false }

  /// None without a person's order, and none where something may be on it that was not read.
  func removals(of items: [HeldItem]) -> [Removal] {
    guard isRemovalOrdered, whole != nil, !items.isEmpty else { return [] }
    return [Removal(name: "all \(format.id)", covers: items)]
  }

  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    guard let whole else { return .notNow("not all of its records were read") }
    guard let before = try await point.count(), Int(before) == whole.count else {
      return .notNow("it has other records now")
    }
    mayHaveRemoved = true
    var result: RecordAccess.Result?
    if format.isNumbered {
      // What came since has a higher number.
      result = try await point.delete(.upTo(whole.highest))
      if result?.isUnsupported ?? false { result = try await point.delete(.all) }
    } else {
      result = try await point.delete(.all)
    }
    guard result == .success || result == .noneFound else {
      return .notNow("it refused: \(result.map { "\($0)" } ?? "a reserved code")")
    }
    link.forget(RemovalOrder.self)
    let left = try await point.count() ?? 0
    return Int(left) < whole.count ? .erased : .ineffective("it says that it did, and has \(left) records")
  }
}

extension VisitTrouble {
  /// For a note.
  fileprivate var text: String {
    switch self {
    case .refused(let code, let what): "\(what) is refused, \(code)"
    case .unsupported(let what): what
    default: "\(self)"
    }
  }
}

/// Counts what is decoded.
private final class CountingSink: ItemSink {
  private(set) var count = 0

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) { count += 1 }
  func noteAnomaly(_ what: StaticString) {}
}
