// Queries about visits, about items on wearables, and about clocks.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Answers from the log, from custody and from running visits. Has no state.
@LoopActor
struct VisitQuestions {
  let context: HubContext
  let registry: Registry
  let lane: Lane

  /// The newest first, a running one before all.
  func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot] {
    let wearable: EnrolledWearable? = if let which { try registry.require(which) } else { nil }
    var list: [VisitSnapshot] = []
    if let holder = lane.holder, let runner = holder.visits.running, wearable == nil || holder === wearable {
      list.append(runner.snapshot())
    }
    // The log contains visits of others in between, and lacks quiet ones since its last write.
    let logged = try context.store.recentVisits(wearable == nil ? limit + registry.all.count : 10_000)
    let remembered = registry.all.compactMap(\.visits.last)
    let all = (remembered + logged.filter { visit in !remembered.contains { $0.number == visit.number } }).sorted {
      $0.number > $1.number
    }
    for visit in all
    where list.count < limit && (wearable.map { $0.id == visit.wearable } ?? true) && visit.number != list.first?.number
    {
      list.append(VisitSnapshot(visit, context.store))
    }
    return Array(list.prefix(max(0, limit)))
  }

  // MARK: Custody

  /// Custody of each item that a wearable holds or held; with `lastVisitOnly` only those of its last visit.
  func custody(of which: String, lastVisitOnly: Bool) throws(HearthError) -> (
    visit: VisitSnapshot?, items: [CustodySnapshot]
  ) {
    let wearable = try registry.require(which)
    try wearable.visits.book.load()
    let runner = wearable.visits.running as? VisitRunner
    let visit: VisitSnapshot? = if let runner { runner.snapshot() } else { try visits(1, of: which).first }
    var items: [CustodySnapshot] = []
    for record in wearable.visits.book.all where !lastVisitOnly || record.visit == visit?.number {
      var item = CustodySnapshot(id: record.id, mark: record.mark, bytesFetched: record.fetched, visit: record.visit)
      item.size = record.size
      item.fetched = record.fetchedAt
      item.verified = record.verifiedAt
      item.durable = record.durableAt
      item.erased = record.erasedAt
      item.receipts = record.receipts.count
      item.firstReceipt = record.receipts.first
      item.remark = record.remark
      items.append(item)
    }
    if let runner, let current = runner.progress.item,
      !items.contains(where: { $0.id == current.id && $0.durable == nil })
    {
      var item = CustodySnapshot(
        id: current.id, mark: current.mark, bytesFetched: runner.progress.itemFetched, visit: runner.record.number)
      item.size = current.size
      items.removeAll { $0.id == current.id }
      items.append(item)
    }
    return (visit, items)
  }

  // MARK: Clocks

  /// Returns clocks by name.
  func clocks() throws(HearthError) -> [ClockSnapshot] {
    registry.all.sorted { $0.name < $1.record.name }.map { wearable in
      let clock = wearable.visits.clock
      var snapshot = ClockSnapshot(wearable: wearable.name)
      snapshot.offset = clock.ahead(context.options.timeZone)
      if let last = clock.readings.last?.last, let shown = last.offset {
        (snapshot.shownZone, snapshot.zone) = (shown, context.options.timeZone.offset(at: last.wall) / 60)
      }
      snapshot.readAt = clock.readings.last.map { WallTime(microseconds: $0.last.wall) }
      snapshot.setAt = clock.lastSet.map { WallTime(microseconds: $0.opened.wall) }
      snapshot.wasTrusted = clock.readings.last?.last.isTrusted ?? false
      (snapshot.driftPPM, snapshot.doubt) = clock.drift
      return snapshot
    }
  }
}

extension VisitRunner {
  func snapshot() -> VisitSnapshot {
    var snapshot = VisitSnapshot(number: record.number, wearable: wearable.name, trigger: trigger, began: record.began)
    snapshot.isOfAll = bringsAll
    snapshot.stage = stage
    snapshot.connection = turn.stage
    snapshot.bytesFetched = record.bytesFetched
    snapshot.itemsDone = Int(record.itemsDone)
    snapshot.itemsListed = progress.items.count
    snapshot.sliceUsed = sliceUsed
    snapshot.slice = hub.options.slice
    snapshot.rate = progress.rate(loop.now)
    guard let item = progress.item else { return snapshot }
    snapshot.item = item.id
    snapshot.itemFetched = progress.itemFetched
    snapshot.itemSize = item.size
    if let rate = snapshot.rate, rate > 0, let left = bytesLeft {
      snapshot.expectedEnd = loop.wall + .milliseconds(Int64(left) * 1000 / Int64(rate))
    }
    return snapshot
  }

  /// Bytes of listed items that are not durable; nil if an item's size is unknown.
  private var bytesLeft: Int? {
    var left = 0
    for listed in progress.items where book[listed.id]?.durableAt == nil || book[listed.id]?.mark != listed.mark {
      guard let size = listed.size else { return nil }
      let have = listed.id == progress.item?.id ? progress.itemFetched : book[listed.id]?.fetched ?? 0
      left += min(max(0, size - have), ItemFetch.limit)
    }
    return left
  }
}
