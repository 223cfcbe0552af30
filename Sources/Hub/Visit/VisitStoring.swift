// From complete bytes to receipts, and from receipts to removals on the wearable.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  /// Stores verified bytes and the samples decoded from them.
  ///
  /// - Returns: durable under the mark of the content found, as samples or as bytes alone.
  func keep(_ sink: ItemFetch, _ listed: HeldItem, _ verdict: ItemVerdict, _ pieces: any IncrementalDecoder)
    async throws(VisitTrouble) -> ItemEnd
  {
    guard listed.marked(verdict.mark).isWellFormed else {
      noteDefect(of: listed, "\(listed.id): an invalid mark")
      return .stays
    }
    // The item was durable all the time, which the listing could not show.
    if let known = book[listed.id], known.durableAt != nil, known.erasedAt == nil, known.mark == verdict.mark,
      known.fetched == sink.bytes.count
    {
      return .durable(mark: known.mark)
    }
    var record = sink.record
    record.fetchedAt = record.fetchedAt ?? loop.wall
    record.verifiedAt = loop.wall
    record.isFinal = verdict.isFinal && !listed.isOpen
    record.remark = verdict.isTimeUnsure ? "\(verdict.summary), at uncertain times" : verdict.summary
    record.unread = nil
    record.mark = verdict.mark
    let item = listed.marked(verdict.mark)
    if let defect = try await commit(record, item, sink.bytes, pieces, verdict) {
      return try await keepRaw(sink, listed, defect.reason, defect.text)
    }
    for notice in verdict.notices { noteDefect(of: listed, "\(listed.id): \(notice.text)", notice.reason) }
    return .durable(mark: record.mark)
  }

  /// Stores bytes that cannot be decoded: they are never removed on the wearable. If they may be an item that is
  /// durable already, that one stays as it is, and the bytes stay on the wearable.
  func keepRaw(_ sink: ItemFetch, _ listed: HeldItem, _ reason: UnreadReason, _ what: String)
    async throws(VisitTrouble) -> ItemEnd
  {
    let remark = "\(reason.name): \(what)"
    noteDefect(of: listed, "\(listed.id): \(remark)", reason == .locked ? .itemLocked : .itemDefective)
    if book.mustStay(listed) { return .stays }
    var record = sink.record
    record.isFinal = false
    record.remark = remark
    record.unread = reason
    if let defect = try await commit(record, listed.marked(record.mark), sink.bytes, nil, nil) {
      noteDefect(of: listed, defect.text)
      return .stays
    }
    return .durable(mark: record.mark)
  }

  /// Stores batch after batch, each with the custody record in the same transaction. The last one makes the item
  /// durable and deletes the staged bytes.
  ///
  /// - Returns: why it cannot be decoded after all, with no batch stored; nil: it is durable.
  private func commit(
    _ whole: CustodyRecord, _ item: HeldItem, _ bytes: [UInt8], _ pieces: (any IncrementalDecoder)?,
    _ verdict: ItemVerdict?
  ) async throws(VisitTrouble) -> ItemDefect? {
    stage = .store
    var record = whole
    record.fetched = bytes.count
    record.size = bytes.count
    record.fetchedAt = record.fetchedAt ?? loop.wall
    record.visit = self.record.number
    var limit = FetchedBatch.footprintLimit
    while true {
      var batches = batches(of: item, bytes, limit: limit, pieces)
      batches.keepsBytes = verdict?.keepsBytes ?? true
      batches.mayRepeat = verdict?.mayRepeat ?? false
      batches.times.isGuess = verdict?.isTimeUnsure ?? false
      let counted: ItemBatches.Count
      do throws(ItemDefect) {
        counted = try await batches.count()
        wearable.live.counters.anomalies += UInt64(counted.anomalies)
        for odd in counted.odd.list { _ = wearable.live.oddities.note(odd.what, odd.count, at: loop.now) }
      } catch { return error }
      record.remark = whole.remark
      if counted.refused > 0 { record.remark += ", \(counted.refused) of the future refused" }
      if counted.impossible > 0 { record.remark += ", \(counted.impossible) impossible ones left out" }
      do throws(HearthError) {
        try await commit(&record, batches, parts: counted.parts, progress: verdict?.progress)
        noteLeftOut(counted, of: item)
        if wearable.live.budget.note(counted.bytes, now: loop.now) { wearable.noteShareReached(hub.context) }
        return nil
      } catch {
        // A small store takes less at once.
        guard error.reason == .storeBatchTooLarge, record.receipts.isEmpty, limit > Self.smallestBatch else {
          throw .noRoom(error.detail)
        }
        limit /= 2
      }
    }
  }

  private static let smallestBatch = 64 << 10

  private func noteLeftOut(_ counted: ItemBatches.Count, of item: HeldItem) {
    if counted.refused > 0 { noteRefused(counted.refused, of: item) }
    guard counted.impossible > 0 else { return }
    wearable.live.counters.impossible += UInt64(counted.impossible)
    hub.logger.warning(
      "\(item.id) of \(wearable.name): \(counted.impossible) values cannot be; left out",
      metadata: ["DEVICE": "\(wearable.name)", "VISIT": "\(record.number)"])
  }

  private func noteRefused(_ count: Int, of item: HeldItem) {
    let minutes = Int(Watermark.tolerance.inSeconds) / 60
    hub.logger.warning(
      "\(item.id) of \(wearable.name): \(count) values say that they are more than \(minutes) min ahead; refused",
      metadata: ["DEVICE": "\(wearable.name)", "VISIT": "\(record.number)"])
  }

  private func batches(
    of item: HeldItem, _ bytes: [UInt8], limit: Int, _ pieces: (any IncrementalDecoder)?
  ) -> ItemBatches {
    ItemBatches(
      item: item, wearable: wearable.id, times: times(of: item), zone: hub.options.timeZone, fallback: record.began,
      limit: limit, bytes: bytes, pieces: pieces)
  }

  /// - Parameter progress: stored only with the last part; until then decoding starts from the earlier progress.
  private func commit(_ record: inout CustodyRecord, _ batches: ItemBatches, parts: Int, progress: [UInt8]?)
    async throws(HearthError)
  {
    // Parts that were stored before a power cut are not stored again.
    let stored = try store.receipts(of: record.wearable, numbers: record.receipts).map(\.part)
    let isOfThis = stored.allSatisfy { $0.map { $0.item == batches.item.identity && $0.count == parts } ?? false }
    if !isOfThis { record.receipts = [] }
    let item = batches.item
    let cut = batches.cut(into: parts, visit: self.record) { part in
      part == parts || !stored.contains(item.part(part, of: parts))
    }
    while let (part, batch) = try await cut.next() {
      let isLast = part == parts
      if isLast { (record.durableAt, record.firstListed) = (loop.wall, nil) }
      if isLast, let progress { record.progress = progress }
      let receipt = try await store.commit(batch, custody: record, dropsStaged: isLast)
      if !record.receipts.contains(receipt.number) { record.receipts.append(receipt.number) }
      isEventful = true
      book.note(record)
      await Task.yield()
    }
  }

  // MARK: Removal

  /// Makes the wearable's removal calls for which every item has its receipts; never another one.
  func removeAll(of domain: any FetchDomain, _ items: [HeldItem]) async throws(VisitTrouble) -> VisitTurn {
    guard hub.mayErase(wearable, in: trigger) else { return .goesOn }
    for removal in domain.removals(of: items) {
      if removal.covers.allSatisfy({ book[$0.id]?.erasedAt != nil }) { continue }
      guard !wearable.erasing.isUseless(removal.id, hub.circumstances(of: wearable)) else { continue }
      let proof = try await storing { () throws(HearthError) in
        RemovalProof(removal, of: wearable.id, receipts: try book.receipts(of: removal.covers, removedNow: erased))
      }
      guard let proof else { continue }
      guard try checkTurn() == .goesOn else { return .over }
      // Checked again, as the removals before this one may have taken minutes.
      guard hub.mayErase(wearable, in: trigger) else { return .goesOn }
      stage = .erase
      // If this hub dies in the middle of the call, it is unknown whether the wearable has used its only removal.
      if removal.isOncePerBoot { wearable.erasing.noteCalled(removal.id, hub.circumstances(of: wearable)) }
      defer { hub.keepNotes(wearable) }
      switch try await called(removal, of: domain, proof) {
      case .erased: try await noteErased(removal)
      case .ineffective(let what): noteIneffective(removal, what)
      case .notNow(let what):
        if removal.isOncePerBoot { wearable.erasing.forget(removal.id) }
        link.note("\(removal.name) cannot be removed now: \(what)")
      }
    }
    return .goesOn
  }

  private func called(_ removal: Removal, of domain: any FetchDomain, _ proof: RemovalProof) async throws(VisitTrouble)
    -> RemovalOutcome
  {
    do throws(VisitTrouble) { return try await domain.remove(proof) } catch {
      if removal.isOncePerBoot, !domain.mayHaveRemoved { wearable.erasing.forget(removal.id) }
      throw error
    }
  }

  private func noteErased(_ removal: Removal) async throws(VisitTrouble) {
    isEventful = true
    wearable.erasing.noteEffective()
    let now = loop.wall
    let gone = removal.covers.compactMap { book[$0.id] }.map { record in
      var record = record
      record.erasedAt = now
      record.progress = []
      record.isListed = false
      erased.insert(record.id)
      return record
    }
    hub.logger.info(
      "erased \(removal.name)",
      metadata: ["DEVICE": "\(wearable.name)", "VISIT": "\(record.number)", "ITEMS": "\(gone.count)"])
    try await storing { () throws(HearthError) in try await book.put(gone) }
  }

  private func noteIneffective(_ removal: Removal, _ what: String) {
    isEventful = true
    wearable.erasing.noteIneffective(removal.id, hub.circumstances(of: wearable))
    hub.logger.warning(
      "\(Reason.eraseIneffective.code) link: \(wearable.name) did not erase \(removal.name): \(what)",
      metadata: ["CODE": "\(Reason.eraseIneffective.code)", "DEVICE": "\(wearable.name)", "VISIT": "\(record.number)"])
  }
}

extension ItemDefect {
  /// Reason why only the bytes are stored.
  var reason: UnreadReason {
    switch self {
    case .cut, .malformed: .defective
    case .unknownVersion: .unknownVersion
    case .locked: .locked
    }
  }

  /// Text for people, after the reason.
  var text: String {
    switch self {
    case .cut(let what): "it ends too soon: \(what)"
    case .malformed(let what), .unknownVersion(let what), .locked(let what): what
    }
  }
}
