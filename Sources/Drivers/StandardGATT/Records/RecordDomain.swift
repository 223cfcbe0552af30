// Stored records as a fetch domain: which records are new, the items that they form, and when they may be deleted.
//
// A record is a value of some twenty bytes. The wearable sends all of them on request, so listing them already reads
// them. New records form an item per stretch of time or of numbers, and fetching the item returns what was read.

import Bluetooth
import EventLoop
import Health
import Wearable

/// The records of one Record Access Control Point.
@LoopActor
final class RecordDomain: FetchDomain {
  private let link: any WearableLink
  let point: RecordAccessPoint
  private let reader: RecordReader
  private let format: RecordFormat
  /// New records of each listed item, and the progress once they are durable.
  private var contents: [String: (bytes: [UInt8], progress: [UInt8])] = [:]
  /// The last listing left records for another.
  private(set) var hasMore = false
  /// Number of records at the last complete reading; nil without such a reading.
  private var whole: (count: Int, highest: UInt32)?
  private(set) var mayHaveRemoved = false

  /// Maximum number of records of a listing if they can be requested from a number on. Each listing becomes durable
  /// before the next, so a lost link costs no more than one. At 20 a second, the pace of indications with an interval
  /// of 25 ms, they take 26 s.
  nonisolated static let page = 512
  /// Maximum number of records of a listing if they cannot. That takes a minute at the pace of notifications, 70 a
  /// second. The limit is twice the largest known memory of a spot-check oximeter.
  nonisolated static let readLimit = 4096
  /// Maximum number of listings of a visit.
  nonisolated static let pages = 8

  init(_ link: any WearableLink, _ point: RecordAccessPoint, _ format: RecordFormat, _ gate: RecordGate) {
    (self.link, self.point, self.format) = (link, point, format)
    reader = RecordReader(link, point, format, gate)
  }

  var id: String { format.id }
  var series: [Series] { format.series }
  var syncDomains: [SyncDomain] { [format.syncDomain] }
  /// Whether records can be requested from a number on.
  var isPaged: Bool { format.isNumbered }

  // MARK: list

  /// Reason why the request was refused or not answered; it is not repeated over this link.
  private(set) var unread: String?

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    (contents, hasMore, whole) = ([:], false, nil)
    if unread != nil { return [] }
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
    let why = "its stored records: \(trouble.text)"
    unread = why
    link.note(why)
  }

  /// The number of records, before any listing; nil if the wearable does not report it.
  func count() async throws(VisitTrouble) -> Int? {
    if unread != nil { return nil }
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
    let last = here.map { RecordDigests.highest($0.progress) }.max() ?? 0
    // Before a deletion all records are read, so that each durable record is known to be there.
    guard format.isNumbered, last > 0, !isOrdered else { return try await read(here, counted: counted) }
    return try await resume(here, from: last, counted: counted)
  }

  /// Continues from the last durable number, itself included. If that record differs or is missing, the wearable has
  /// begun to number again.
  private func resume(_ known: [KnownItem], from last: UInt32, counted: UInt32) async throws(VisitTrouble)
    -> [HeldItem]
  {
    let reading = try await reader.read(.from(last), limit: Self.page, counted: nil)
    let items = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
    let newest = Dictionary(grouping: reading.records.filter { $0.place.number == last }, by: \.place.slot)
    let isKnown = newest.values.allSatisfy { records in
      let held = records.first.map { digests(beside: $0.place, items) } ?? [:]
      return records.allSatisfy { holder(of: $0, held) != nil }
    }
    guard !reading.isUnsupported, !reading.records.isEmpty, isKnown else {
      return try await read(known, counted: counted, anew: true)
    }
    hasMore = reading.hasMore
    let fresh = await self.items(of: reading, items)
    let names = Set(fresh.map(\.id))
    // Items before that number were not requested, and are unchanged.
    let before = known.filter { $0.isDurable && !names.contains($0.id) }
    return before.map { HeldItem(id: $0.id, mark: $0.mark, size: $0.size) } + fresh
  }

  /// Reads all records.
  ///
  /// - Parameter anew: numbering began again, so numbers do not show what is known.
  private func read(_ known: [KnownItem], counted: UInt32?, anew: Bool = false) async throws(VisitTrouble) -> [HeldItem]
  {
    let isPaged = format.isNumbered && !isRemovalOrdered && !anew
    let reading = try await reader.read(.all, limit: isPaged ? Self.page : Self.readLimit, counted: counted)
    if reading.isUnsupported { throw .unsupported("it refuses to report them") }
    hasMore = isPaged && reading.hasMore
    if !isPaged, reading.hasMore { link.note("it keeps more records than are read at once: the first were read") }
    let items = await items(of: reading, Dictionary(known.map { ($0.id, $0) }) { first, _ in first })
    let numbers = reading.records.compactMap(\.place.number)
    let highest = numbers.max() ?? 0
    let isAll = reading.isWhole && leftOut == 0 && (!format.isNumbered || numbers.count == reading.records.count)
    whole = isAll ? (reading.records.count, highest) : nil
    return items
  }

  // MARK: Items of records

  private func name(_ slot: String) -> String { "\(format.id)/\(slot)" }

  /// Known digests of the items that may contain records of this place.
  private func digests(beside place: RecordPlace, _ known: [String: KnownItem]) -> [String: Set<UInt32>] {
    var held: [String: Set<UInt32>] = [:]
    for slot in place.slots { if let item = known[name(slot)] { held[slot] = RecordDigests(item.progress).digests } }
    return held
  }

  /// Slot of the item that already contains the record: its own slot, or its former one.
  private func holder(of record: ReadRecord, _ held: [String: Set<UInt32>]) -> String? {
    record.place.slots.first { held[$0].map { record.isAmong($0) } ?? false }
  }

  /// Records that did not fit into their item.
  private var leftOut = 0
  /// Slots per turn: the 500 digests of each are read, sorted and written.
  private static let step = 16

  /// Builds the items slot by slot, and yields in between: a wearable may have a record in each of hundreds of slots.
  private func items(of reading: RecordReading, _ known: [String: KnownItem]) async -> [HeldItem] {
    leftOut = 0
    // A known record stays in its item.
    var names = reading.records.map(\.place.slot)
    for (turn, group) in Dictionary(grouping: reading.records.indices, by: { names[$0] }).values.enumerated() {
      let held = group.first.map { digests(beside: reading.records[$0].place, known) } ?? [:]
      for place in group { names[place] = holder(of: reading.records[place], held) ?? names[place] }
      if turn % Self.step == Self.step - 1 { await Task.yield() }
    }
    let slots = Dictionary(grouping: reading.records.indices) { names[$0] }
    await Task.yield()
    let order = slots.map { RecordSlot($0.key, $0.value.map { reading.records[$0] }) }.sorted()
    var items: [HeldItem] = []
    for (place, (slot, reach)) in zip(order, RecordSlot.reaches(order)).enumerated() {
      items.append(item(slot.name, slot.records, known[name(slot.name)], reach: reach))
      if place % Self.step == Self.step - 1 { await Task.yield() }
    }
    if leftOut > 0 { link.note("\(leftOut) stored records are more than one item can have") }
    return items
  }

  /// - Parameter reach: all records up to this number are in this item and earlier ones.
  private func item(_ slot: String, _ records: [ReadRecord], _ known: KnownItem?, reach: UInt32?) -> HeldItem {
    var digests = RecordDigests(known?.progress ?? [])
    let present = Set(records.flatMap { [$0.digest, $0.formerDigest] })
    // Digests of records that the wearable no longer has are dropped before a record is left out.
    let fresh = records.filter { !$0.isAmong(digests.digests) }
    if digests.digests.count + fresh.count > RecordDigests.limit { digests.keep(present) }
    var taken: [(bytes: [UInt8], isTold: Bool)] = []
    for record in fresh {
      guard digests.digests.count < RecordDigests.limit else {
        leftOut += 1
        continue
      }
      digests.insert(record.digest)
      taken.append((record.bytes, record.isTold))
    }
    if let reach { digests.reach(reach) }
    let begins = records.compactMap(\.place.begins).min()
    if taken.isEmpty, let known {
      return HeldItem(id: known.id, mark: known.mark, size: known.size, begins: begins)
    }
    let bytes = RecordBytes.joined(taken)
    contents[name(slot)] = (bytes, digests.progress)
    return HeldItem(id: name(slot), mark: digests.mark, size: bytes.count, begins: begins)
  }

  // MARK: fetch

  /// Bytes passed on at once.
  private static let chunk = 4096

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let bytes = contents[item.id]?.bytes else { throw .unsupported("\(item.id) was not read") }
    if sink.offset > bytes.count { try await sink.startOver(mark: item.mark, size: bytes.count) }
    while sink.offset < bytes.count {
      let next = bytes[sink.offset...].prefix(Self.chunk)
      if try await sink.take(copyOf: next) == .enough { return }
    }
  }

  // MARK: Content

  func pieces(of item: HeldItem) -> any IncrementalDecoder {
    RecordPieces(format, item, progress: contents[item.id]?.progress)
  }

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try pieces(of: item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try pieces(of: item).decodeAll(bytes, into: sink)
  }

  // MARK: remove

  private var isRemovalOrdered: Bool { link.remembered(RemovalOrder.self)?.stands(at: link.hubTime) ?? false }

  /// Empty without an operator's order, and if the wearable may have records that were not read.
  func removals(of items: [HeldItem]) -> [Removal] {
    guard isRemovalOrdered, whole != nil, !items.isEmpty else { return [] }
    return [Removal(name: "all \(format.id)", covers: items)]
  }

  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    guard let whole else { return .notNow("not all of its records were read") }
    guard let before = try await point.count() else { return .notNow("it does not say how many records it has") }
    guard Int(before) == whole.count else { return .notNow("it has other records now") }
    mayHaveRemoved = true
    var result: RecordAccess.Result?
    if format.isNumbered {
      // Records that were added since have higher numbers.
      result = try await point.delete(.upTo(whole.highest))
      if result?.isUnsupported ?? false { result = try await point.delete(.all) }
    } else {
      result = try await point.delete(.all)
    }
    if let result, result != .success, result != .noneFound { return .notNow("it refused: \(result)") }
    return try await judge(result, before: whole.count)
  }

  /// Judges a deletion by the count, as the wearable's answer is no proof and may be unreadable. An order that may have
  /// been executed is spent.
  private func judge(_ result: RecordAccess.Result?, before: Int) async throws(VisitTrouble) -> RemovalOutcome {
    if result != nil { link.forget(RemovalOrder.self) }
    guard let left = try await point.count() else {
      link.forget(RemovalOrder.self)
      return .notNow("it was ordered to, and does not say how many records are left: order it again if some are")
    }
    guard Int(left) < before else {
      if result != nil { return .ineffective("it says that it did, and has \(left) records") }
      return .notNow("it does not say whether it did, and has \(left) records")
    }
    link.forget(RemovalOrder.self)
    return .erased
  }
}

extension VisitTrouble {
  /// Text of the trouble for an operator's note.
  fileprivate var text: String {
    switch self {
    case .refused(let code, let what): "\(what) is refused, \(code)"
    case .unsupported(let what): what
    default: "\(self)"
    }
  }
}
