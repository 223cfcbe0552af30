// Custody of each item on one wearable, as a visit reads and changes it.

import EventLoop
import Reasons
import RingStore
import Wearable

/// The custody records of one wearable. Kept in memory once read; every change that must last goes through the store
/// first.
@LoopActor
final class CustodyBook {
  private let wearable: WearableID
  private let store: Store
  private var records: [String: CustodyRecord] = [:]
  private var isLoaded = false
  /// The visit that listed an item first, until the item is durable: its times are those of the clock as it stood then.
  /// Also in the item's record, if it has one.
  private var firstListed: [String: UInt64] = [:]
  /// The phase of each item that was listed in this life of the hub.
  private var phases: [String: String] = [:]

  /// Limit of items of one listing that are considered. A wearable that claims more lies, or has more than one visit
  /// can fetch.
  static let listingLimit = 1024
  /// Records of earlier versions that get their phase with one listing: a few pages of the card.
  private static let namingLimit = 128

  init(_ wearable: WearableID, _ store: Store) {
    self.wearable = wearable
    self.store = store
  }

  func load() throws(HearthError) {
    if isLoaded { return }
    for record in try store.custody(of: wearable) { records[record.id] = record }
    isLoaded = true
  }

  /// Records of this wearable, by id.
  var all: [CustodyRecord] { records.values.sorted { $0.id < $1.id } }

  subscript(id: String) -> CustodyRecord? { records[id] }

  var known: [KnownItem] {
    all.filter { !$0.isListedOnly }.map {
      KnownItem(
        id: $0.id, mark: $0.mark, size: $0.size, fetched: $0.fetched, isDurable: $0.durableAt != nil,
        isErased: $0.erasedAt != nil, progress: $0.progress)
    }
  }

  /// The next step for an item that was listed.
  enum Need: Equatable {
    /// The item is in the store.
    case nothing
    /// Fetch it; bytes of this content may be staged already.
    case fetch(CustodyRecord)
  }

  /// Compares a listed item with the record of its id. An item without a mark never counts as durable, and replaces a
  /// durable one only when its content is known (`mustStay`).
  func need(of item: HeldItem, visit: UInt64) -> Need {
    if firstListed[item.id] == nil {
      firstListed[item.id] = records[item.id].map { $0.firstListed ?? $0.visit } ?? visit
    }
    guard var record = records[item.id] else { return .fetch(fresh(item, visit)) }
    let isSameSize = item.size == nil || record.size == nil || item.size == record.size
    let isSame = record.mark == item.mark && isSameSize
    if record.durableAt != nil {
      // A removed item is gone: an item with its name and mark is another one.
      guard record.erasedAt == nil, isSame, !item.mark.isEmpty else {
        // A different item has this id now.
        firstListed[item.id] = visit
        return .fetch(fresh(item, visit))
      }
      return .nothing
    }
    // The driver decides whether staged bytes of unknown content are still valid: it gets the mark under which they
    // were staged.
    guard isSame || (item.mark.isEmpty && isSameSize) else { return .fetch(fresh(item, visit)) }
    record.size = item.size ?? record.size
    record.begins = item.begins ?? record.begins
    record.visit = visit
    record.firstListed = firstListed[item.id]
    record.isListed = true
    record.phase = phases[item.id] ?? record.phase
    return .fetch(record)
  }

  /// Whether the durable item of this id must stay. As long as it may be the very content that was listed without a
  /// mark, no other item replaces it.
  func mustStay(_ item: HeldItem) -> Bool {
    item.mark.isEmpty && records[item.id].map { $0.durableAt != nil && $0.erasedAt == nil } ?? false
  }

  private func fresh(_ item: HeldItem, _ visit: UInt64) -> CustodyRecord {
    var record = CustodyRecord(
      wearable: wearable, id: item.id, mark: item.mark, size: item.size, begins: item.begins, visit: visit)
    record.firstListed = firstListed[item.id]
    record.phase = phases[item.id]
    if let before = records[item.id], before.erasedAt == nil { record.progress = before.progress }
    return record
  }

  /// Stores records of unknown items, in a visit in which the clock jumped. Only their presence before the jump says
  /// when they were measured, and a restart may come before they are fetched.
  func noteFirst(_ items: [HeldItem], visit: UInt64) async throws(HearthError) {
    var fresh: [CustodyRecord] = []
    for item in items where records[item.id] == nil {
      if case .fetch(let record) = need(of: item, visit: visit) { fresh.append(record) }
    }
    try await put(fresh)
  }

  /// Stores which phase fetches each of these items.
  func noteListed(_ items: [HeldItem], _ phase: (HeldItem) -> String) {
    for item in items { phases[item.id] = phase(item) }
  }

  /// The phase that fetches an item; nil: not listed since phases are stored.
  func phase(of id: String) -> String? { phases[id] ?? records[id]?.phase }

  /// The visit with the clock readings for an item's times.
  func firstListing(of id: String) -> UInt64? { firstListed[id] }

  /// Takes over a record that the store has.
  func note(_ record: CustodyRecord) {
    records[record.id] = record
    if record.durableAt != nil { firstListed[record.id] = nil }
  }

  /// Writes changed records.
  func put(_ changed: [CustodyRecord]) async throws(HearthError) {
    if changed.isEmpty { return }
    try await store.putCustody(changed)
    for record in changed { note(record) }
  }

  /// Takes a complete listing: an item that is missing from it is no longer on the wearable.
  ///
  /// - Parameter isOfIt: whether an item would be in such a listing if it existed.
  func noteListing(_ ids: Set<String>, isOfIt: (String) -> Bool = { _ in true }) async throws(HearthError) {
    var changed: [CustodyRecord] = []
    var unnamed = Self.namingLimit
    for var record in all where isOfIt(record.id) {
      if ids.contains(record.id), record.phase == nil, let phase = phases[record.id], unnamed > 0 {
        // A record of an earlier version; from now on its phase is stored.
        unnamed -= 1
        record.phase = phase
        if record.isListed { changed.append(record) }
      }
      if record.isListed == ids.contains(record.id) { continue }
      record.isListed.toggle()
      // A durable item stays marked as erased: the item now listed under its name is not fetched yet.
      if record.isListed, record.durableAt == nil { record.erasedAt = nil }
      changed.append(record)
    }
    firstListed = firstListed.filter { ids.contains($0.key) || !isOfIt($0.key) }
    phases = phases.filter { ids.contains($0.key) || records[$0.key] != nil }
    try await put(changed)
  }

  /// The receipts of durable, complete items among these. A removed item is no proof for another one that has its name
  /// now, unless it was removed in this visit.
  func receipts(of items: [HeldItem], removedNow: Set<String> = []) throws(HearthError) -> [Receipt] {
    var found: [Receipt] = []
    for item in items {
      guard let record = records[item.id], record.durableAt != nil, record.isFinal, record.mark == item.mark else {
        continue
      }
      if record.erasedAt != nil, !removedNow.contains(item.id) { continue }
      found += try store.receipts(of: wearable, numbers: record.receipts)
    }
    return found
  }

  /// Items on the wearable that are encrypted with a key unknown to this hub. Their bytes are stored, their content is
  /// unknown.
  var locked: [CustodyRecord] { records.values.filter { $0.isListed && $0.erasedAt == nil && $0.isLocked } }

  /// Items on the wearable that cannot be decoded. Their bytes are stored, and they stay on the wearable.
  var defective: [CustodyRecord] { records.values.filter { $0.isListed && $0.erasedAt == nil && $0.isDefective } }

  /// The earliest start of content on the wearable that is not in the store, by the wearable's own clock.
  ///
  /// - Parameter leftOut: phases to ignore.
  func oldestMissing(but leftOut: [String]) -> Int64? {
    let missing = records.values.filter { record in
      record.isListed && record.durableAt == nil && !(phase(of: record.id).map(leftOut.contains) ?? false)
    }
    return missing.compactMap(\.begins).min()
  }
}

extension CustodyRecord {
  /// Whether the item was only listed, and no part of it was fetched.
  var isListedOnly: Bool {
    firstListed != nil && fetched == 0 && fetchedAt == nil && durableAt == nil && erasedAt == nil && receipts.isEmpty
      && progress.isEmpty && remark.isEmpty
  }

  var isLocked: Bool { isKeptUnread && unread == .locked }

  var isDefective: Bool { isKeptUnread && (unread == .defective || unread == .unknownVersion) }

  private var isKeptUnread: Bool { durableAt != nil && !isFinal && unread != nil }
}

extension HeldItem {
  /// Whether its names keep the limits of the drivers' contract; the wearable may have made them up.
  var isWellFormed: Bool {
    identity != nil && (size.map { $0 >= 0 } ?? true)
  }

  /// The same item under the mark of the content that was found.
  func marked(_ mark: String) -> HeldItem {
    var item = self
    item.mark = mark
    return item
  }
}
