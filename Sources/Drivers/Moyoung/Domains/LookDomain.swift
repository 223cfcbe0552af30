// Base of this family's fetch domains: listed looks, their bytes, and days that are numbered by how many days they lie
// back.

import Bands
import Bluetooth
import CivilTime
import EventLoop
import Health
import Wearable

/// Kind of data that a visit fetches as looks. Listing is reading: an answer has a few hundred bytes.
@LoopActor
class LookDomain: FetchDomain {
  let link: any WearableLink
  let client: MoyoungClient
  let clock: MoyoungClock
  let id: String
  let series: [Series]
  private let isAutomatic: Bool?
  /// Bytes of the listed looks.
  private var contents: [String: [UInt8]] = [:]

  /// Looks that the hub has not fetched yet; nil: the band was not asked since the visit began.
  private var waiting: Set<String>?

  /// Items that stay listed without a request: those of the days that the band keeps.
  nonisolated static let remembered = 8

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock, _ domain: SyncDomain) {
    (self.link, self.client, self.clock) = (link, client, clock)
    (id, series, isAutomatic) = (domain.id, domain.series, domain.isAutomatic)
  }

  var syncDomains: [SyncDomain] { [SyncDomain(id, series, isAutomatic: isAutomatic)] }

  // MARK: Listing

  /// Begins a visit.
  func begin() { waiting = nil }
  /// Whether everything listed in this visit was fetched, so that the clock may be moved.
  var isDrained: Bool { waiting?.isEmpty ?? false }
  /// Whether the band can be asked, and answers.
  private var canBeAsked = true
  /// Leaves the rest to the next visit, because the band did not send all that it has.
  func leaveForLater() { canBeAsked = false }

  /// Reads what the band has; nil if it does not report it, or cannot be asked now.
  func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? { nil }

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    (contents, waiting, canBeAsked) = ([:], nil, true)
    let mine = known.filter { $0.id.hasPrefix(id + "/") && !$0.isErased }
    let found = try await looks(known)
    if canBeAsked { waiting = [] }
    guard let looks = found else { return remaining(mine) }
    let items = looks.compactMap { look in item(look, mine.first { $0.id == look.name }) }
    let isThere = { (item: HeldItem) in
      mine.contains { $0.id == item.id && $0.isDurable && $0.mark == item.mark && $0.size == item.size }
    }
    if canBeAsked { waiting = Set(items.filter { contents[$0.id] != nil && !isThere($0) }.map(\.id)) }
    let names = Set(items.map(\.id))
    // The band still keeps days that were not read this time.
    return (items + remaining(mine).filter { !names.contains($0.id) && isKept($0.id) }).sorted { $0.id < $1.id }
  }

  /// Whether a stored item is still on the band, although it was not requested.
  func isKept(_ id: String) -> Bool { false }

  /// Whether a name is of one of the three days that a band keeps.
  func isOfKeptDays(_ name: String) -> Bool {
    let today = MoyoungTime.dayNumber(shown)
    return ((today - 2)...today).contains { name.hasPrefix("\(id)/\(LocalDate(dayNumber: $0).text)") }
  }

  private func item(_ look: any MoyoungLook, _ known: KnownItem?) -> HeldItem? {
    if look.count == 0, look.refused == 0, !look.isNews {
      guard let known, known.isDurable else { return nil }
      return HeldItem(id: known.id, mark: known.mark, size: known.size, begins: look.begins * 1_000_000)
    }
    contents[look.name] = look.bytes
    return look.item
  }

  /// Stored items that are still on the band, without a request.
  func remaining(_ known: [KnownItem]) -> [HeldItem] {
    known.filter { $0.isDurable && $0.id.hasPrefix(id + "/") }.sorted { $0.id < $1.id }.suffix(Self.remembered).map {
      HeldItem(id: $0.id, mark: $0.mark, size: $0.size)
    }
  }

  // MARK: Days

  /// Time on the band's clock, seconds since 1970.
  var shown: Int64 { clock.shown }
  /// Time on the band's clock when this hub first set it, less the error of whole seconds. Nil: never set, so times are
  /// only a guess.
  var since: Int64? { link.remembered(MoyoungClockNote.self).map { $0.since - 2 } }

  /// Day from which the band counts back; nil near midnight.
  var today: Int64? {
    let shown = shown
    // The clock will be moved, and the next visit looks.
    if clock.isStrange { return nil }
    if MoyoungTime.isNearMidnight(shown) {
      link.note("near midnight: its days are looked at later")
      canBeAsked = false
      return nil
    }
    return MoyoungTime.dayNumber(shown)
  }

  // MARK: Fetching

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let bytes = contents[item.id] else { throw .unsupported("\(item.id) was not read") }
    // Bytes of an earlier look cannot be continued.
    if sink.offset > 0 { try await sink.startOver(mark: item.mark, size: bytes.count) }
    _ = try await sink.take(copyOf: bytes)
    waiting?.remove(item.id)
  }

  // MARK: Content

  func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { throw .malformed("a look of no kind") }

  private func look(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook {
    let look = try read(bytes)
    guard look.name == item.id else { throw .malformed("a look at \(look.name)") }
    return look
  }

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict { try look(item, bytes).verdict }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try look(item, bytes).append(to: sink)
  }
}
