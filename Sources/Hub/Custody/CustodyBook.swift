// What is known of each thing one wearable holds, as a visit reads and changes it.

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
  /// The visit in which an item was listed first, as long as it is not durable: its times are those of the clock as it
  /// stood then. Also in its record, where it has one.
  private var firstListed: [String: UInt64] = [:]
  /// The phase of each item that was listed in this life of the hub.
  private var phases: [String: String] = [:]

  /// Items of one listing that are looked at. A wearable that claims more is lying, or has more than one visit can do.
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

  /// By id.
  var all: [CustodyRecord] { records.values.sorted { $0.id < $1.id } }

  subscript(id: String) -> CustodyRecord? { records[id] }

  var known: [KnownItem] {
    all.filter { !$0.isListedOnly }.map {
      KnownItem(
        id: $0.id, mark: $0.mark, size: $0.size, fetched: $0.fetched, isDurable: $0.durableAt != nil,
        isErased: $0.erasedAt != nil, progress: $0.progress)
    }
  }

  /// What is to be done with an item that was listed.
  enum Need: Equatable {
    /// It is in the store.
    case nothing
    /// Bytes of this content may be kept already.
    case fetch(CustodyRecord)
  }

  /// Compares a listed item with what is known of its place. An item without a mark is never taken for one that is
  /// durable; it takes the place of one
  /// only when its content is known (`mustStay`).
  func need(of item: HeldItem, visit: UInt64) -> Need {
    if firstListed[item.id] == nil {
      firstListed[item.id] = records[item.id].map { $0.firstListed ?? $0.visit } ?? visit
    }
    guard var record = records[item.id] else { return .fetch(fresh(item, visit)) }
    let isSameSize = item.size == nil || record.size == nil || item.size == record.size
    let isSame = record.mark == item.mark && isSameSize
    if record.durableAt != nil {
      // What was removed is gone: what bears its name and its mark is another's.
      guard record.erasedAt == nil, isSame, !item.mark.isEmpty else {
        // Something else lies there now.
        firstListed[item.id] = visit
        return .fetch(fresh(item, visit))
      }
      return .nothing
    }
    // Whether kept bytes of unknown content still hold is for the driver to find out: it gets the mark that they were
    // kept under.
    guard isSame || (item.mark.isEmpty && isSameSize) else { return .fetch(fresh(item, visit)) }
    record.size = item.size ?? record.size
    record.begins = item.begins ?? record.begins
    record.visit = visit
    record.firstListed = firstListed[item.id]
    record.isListed = true
    record.phase = phases[item.id] ?? record.phase
    return .fetch(record)
  }

  /// What is durable under this id may be the very content that was listed without a mark: nothing takes its place
  /// before that is known.
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

  /// Items of which nothing is known yet, in a visit in which the clock jumped: that they were there before is all that
  /// tells when they were measured, and a restart may come before
  /// they do.
  func noteFirst(_ items: [HeldItem], visit: UInt64) async throws(HearthError) {
    var fresh: [CustodyRecord] = []
    for item in items where records[item.id] == nil {
      if case .fetch(let record) = need(of: item, visit: visit) { fresh.append(record) }
    }
    try await put(fresh)
  }

  /// Remembers which phase brings these.
  func noteListed(_ items: [HeldItem], _ phase: (HeldItem) -> String) {
    for item in items { phases[item.id] = phase(item) }
  }

  /// The phase that brings an item; nil: it was not listed since that is kept.
  func phase(of id: String) -> String? { phases[id] ?? records[id]?.phase }

  /// The visit whose clock readings belong to an item's times.
  func firstListing(of id: String) -> UInt64? { firstListed[id] }

  /// The store has it.
  func note(_ record: CustodyRecord) {
    records[record.id] = record
    if record.durableAt != nil { firstListed[record.id] = nil }
  }

  /// Writes records that changed.
  func put(_ changed: [CustodyRecord]) async throws(HearthError) {
    if changed.isEmpty { return }
    try await store.putCustody(changed)
    for record in changed { note(record) }
  }

  /// A whole listing was read: what is not on it is not on the wearable any more.
  ///
  /// - Parameter isOfIt: whether an item would be on such a listing, were it there.
  func noteListing(_ ids: Set<String>, isOfIt: (String) -> Bool = { _ in true }) async throws(HearthError) {
    var changed: [CustodyRecord] = []
    var unnamed = Self.namingLimit
    for var record in all where isOfIt(record.id) {
      if ids.contains(record.id), record.phase == nil, let phase = phases[record.id], unnamed > 0 {
        // A record of an earlier version: from now on its phase outlasts the hub.
        unnamed -= 1
        record.phase = phase
        if record.isListed { changed.append(record) }
      }
      if record.isListed == ids.contains(record.id) { continue }
      record.isListed.toggle()
      // Of something durable that stays said: what is listed under its name now is not fetched yet.
      if record.isListed, record.durableAt == nil { record.erasedAt = nil }
      changed.append(record)
    }
    firstListed = firstListed.filter { ids.contains($0.key) || !isOfIt($0.key) }
    phases = phases.filter { ids.contains($0.key) || records[$0.key] != nil }
    try await put(changed)
  }

  /// The receipts of durable, complete items among these. What was removed is proof of nothing that bears its
  /// name now, unless it was removed in this visit.
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

  /// What is on the wearable and was encrypted with a key that nobody here knows: its bytes are kept, and what is in
  /// them is unknown.
  var locked: [CustodyRecord] { records.values.filter { $0.isListed && $0.erasedAt == nil && $0.isLocked } }

  /// What is on the wearable and cannot be decoded: its bytes are kept, and it stays there.
  var defective: [CustodyRecord] { records.values.filter { $0.isListed && $0.erasedAt == nil && $0.isDefective } }

  /// When the content begins that is on the wearable and not in the store, on its own clock; the earliest.
  ///
  /// - Parameter leftOut: phases of which this is not asked.
  func oldestMissing(but leftOut: [String]) -> Int64? {
    let missing = records.values.filter { record in
      record.isListed && record.durableAt == nil && !(phase(of: record.id).map(leftOut.contains) ?? false)
    }
    return missing.compactMap(\.begins).min()
  }
}

extension CustodyRecord {
  /// Nothing of it is here: it was seen on the wearable.
  var isListedOnly: Bool {
    firstListed != nil && fetched == 0 && fetchedAt == nil && durableAt == nil && erasedAt == nil && receipts.isEmpty
      && progress.isEmpty && remark.isEmpty
  }

  var isLocked: Bool { isKeptUnread && unread == .locked }

  var isDefective: Bool { isKeptUnread && (unread == .defective || unread == .unknownVersion) }

  private var isKeptUnread: Bool { durableAt != nil && !isFinal && unread != nil }
}

extension HeldItem {
  /// Its names are within what the drivers' contract says; the wearable may have made them up.
  var isWellFormed: Bool {
    identity != nil && (size.map { $0 >= 0 } ?? true)
  }

  /// Under the mark of what was really there.
  func marked(_ mark: String) -> HeldItem {
    var item = self
    item.mark = mark
    return item
  }
}
