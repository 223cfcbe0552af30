// What the kinds of data of this family share: looks that were listed, their bytes, and days that are told by how many
// they lie back.

import Bands
import Bluetooth
import CivilTime
import EventLoop
import Health
import Wearable

/// A kind of data of which a visit takes looks. Listing it is reading it: an answer is a few hundred bytes.
@LoopActor
class LookDomain: FetchDomain {
  let link: any WearableLink
  let client: MoyoungClient
  let clock: MoyoungClock
  let id: String
  let series: [Series]
  private let isAutomatic: Bool?
  /// Bytes of the looks that were listed.
  private var contents: [String: [UInt8]] = [:]

  /// Of these the hub has not got the bytes yet; nil: what the band has was not asked for since the visit began.
  private var waiting: Set<String>?

  /// Items that stay listed where the band is not asked: those of the days that it keeps.
  nonisolated static let remembered = 8

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock, _ domain: SyncDomain) {
    (self.link, self.client, self.clock) = (link, client, clock)
    (id, series, isAutomatic) = (domain.id, domain.series, domain.isAutomatic)
  }

  var syncDomains: [SyncDomain] { [SyncDomain(id, series, isAutomatic: isAutomatic)] }

  // MARK: list

  /// A visit begins.
  func begin() { waiting = nil }
  /// Everything that the band told in this visit was fetched: it may show another time from now on.
  var isDrained: Bool { waiting?.isEmpty ?? false }
  /// Where it is asked at all, and answers.
  private var canBeAsked = true
  /// It did not tell all that it has: the next visit asks again.
  func leaveForLater() { canBeAsked = false }

  /// Reads what the band has; nil where it does not say, or cannot be asked now.
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
    // Of the days that it keeps, those that were not looked at are there all the same.
    return (items + remaining(mine).filter { !names.contains($0.id) && isKept($0.id) }).sorted { $0.id < $1.id }
  }

  /// What is known of it is still on the band: said where nothing was asked.
  func isKept(_ id: String) -> Bool { false }

  /// It names one of the three days that a band keeps.
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

  /// What is known to be there, without asking.
  func remaining(_ known: [KnownItem]) -> [HeldItem] {
    known.filter { $0.isDurable && $0.id.hasPrefix(id + "/") }.sorted { $0.id < $1.id }.suffix(Self.remembered).map {
      HeldItem(id: $0.id, mark: $0.mark, size: $0.size)
    }
  }

  // MARK: Days

  /// What the band's clock shows, seconds since 1970.
  var shown: Int64 { clock.shown }
  /// What it showed when this hub set it first, less what whole seconds are wrong by; nil: it never did, and times are
  /// the best guess.
  var since: Int64? { link.remembered(MoyoungClockNote.self).map { $0.since - 2 } }

  /// The day of which a band counts back; nil near midnight.
  var today: Int64? {
    let shown = shown
    // Its clock is moved, and the next visit looks.
    if clock.isStrange { return nil }
    if MoyoungTime.isNearMidnight(shown) {
      link.note("near midnight: its days are looked at later")
      canBeAsked = false
      return nil
    }
    return MoyoungTime.dayNumber(shown)
  }

  // MARK: fetch

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let bytes = contents[item.id] else { throw .unsupported("\(item.id) was not read") }
    // Bytes of an earlier look are none of this one.
    if sink.offset > 0 { try await sink.startOver(mark: item.mark, size: bytes.count) }
    _ = try await sink.take(copyOf: bytes)
    waiting?.remove(item.id)
  }

  // MARK: What is in it

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
