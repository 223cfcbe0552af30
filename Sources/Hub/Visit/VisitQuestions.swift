// What the door may ask about visits, custody, links and clocks, and what an operator may tell the lane.

public import Bluetooth
internal import EventLoop
import Health
public import Reasons
import RingStore
public import Wearable

extension Hearth {
  // MARK: Visits

  /// The newest first, the running one first of all.
  public func visits(_ limit: Int, of which: String?) throws(HearthError) -> [VisitSnapshot] {
    let tenant: Tenant? = if let which { try require(which) } else { nil }
    var list: [VisitSnapshot] = []
    if let runner = laneHolder?.visits.running, tenant == nil || runner.tenant === tenant { list.append(runner.snapshot()) }
    // The log has visits of others between, and lacks the quiet ones since it was written last.
    let logged = try store.recentVisits(tenant == nil ? limit + tenants.count : 10_000)
    let remembered = tenants.compactMap(\.visits.last)
    let all = (remembered + logged.filter { visit in !remembered.contains { $0.number == visit.number } }).sorted { $0.number > $1.number }
    for visit in all where list.count < limit && (tenant.map { $0.record.id == visit.wearable } ?? true) && visit.number != list.first?.number {
      list.append(snapshot(of: visit))
    }
    return Array(list.prefix(max(0, limit)))
  }

  func snapshot(of visit: VisitRecord) -> VisitSnapshot {
    var snapshot = VisitSnapshot(
      number: visit.number, wearable: store.record(visit.wearable)?.name ?? "wearable-\(visit.wearable.number)",
      trigger: VisitTrigger(rawValue: visit.trigger) ?? .seen, began: visit.began)
    snapshot.isRunning = false
    snapshot.ended = visit.ended
    snapshot.stage = VisitStage(rawValue: visit.stage) ?? .connect
    snapshot.outcome = visit.ended == nil ? .interrupted : VisitOutcome(rawValue: visit.laneOutcome)
    if let reason = Reason(rawValue: visit.outcome) { snapshot.trouble = HearthError(reason, visit.remark.isEmpty ? reason.text.sentence : visit.remark) }
    snapshot.bytesFetched = visit.bytesFetched
    snapshot.itemsDone = Int(visit.itemsDone)
    snapshot.itemsListed = Int(visit.itemsListed)
    return snapshot
  }

  /// Who waits for the lane, in order.
  public func laneQueue() -> [QueueSnapshot] { places().compactMap { snapshot(of: $0) } }

  private func snapshot(of place: Plan.Place) -> QueueSnapshot? {
    guard let tenant = tenants.first(where: { $0.record.id == place.id }) else { return nil }
    return QueueSnapshot(
      wearable: tenant.record.name, why: place.why, notBefore: place.notBefore.map { loop.wall + ($0 - loop.now) }, trigger: place.trigger,
      fetches: tenant.holdsData)
  }

  /// Asks for a visit: first in the queue. One that runs already becomes this one, with a slice of its own; another one's ends at its next byte.
  /// A wearable that keeps nothing and is live has all that a visit could bring it: nothing is asked for.
  ///
  /// - Throws: `noSuchWearable`, `visitUnsupported` for a wearable that no driver of this hub knows.
  @discardableResult
  public func visitNow(_ which: String) throws(HearthError) -> QueueSnapshot {
    let tenant = try require(which)
    guard tenant.driver != nil else { throw HearthError(.visitUnsupported, "\(tenant.record.name): no driver of this hub knows it") }
    tenant.visits.lastAsked = loop.now
    if let runner = tenant.visits.running {
      runner.absorb()
      return QueueSnapshot(wearable: tenant.record.name, why: "asked by an operator; running", notBefore: nil, trigger: .operatorAsked)
    }
    if !tenant.holdsData, tenant.link?.isSettled == true {
      return QueueSnapshot(
        wearable: tenant.record.name, why: "live, and it keeps nothing that could be fetched", notBefore: nil, trigger: .operatorAsked, fetches: false)
    }
    requestVisit(tenant)
    let place = places().first { $0.id == tenant.record.id }
    return place.flatMap { snapshot(of: $0) }
      ?? QueueSnapshot(
        wearable: tenant.record.name, why: "asked by an operator", notBefore: nil, trigger: .operatorAsked, fetches: tenant.holdsData)
  }

  // MARK: Custody

  /// What is known of each thing a wearable holds or held; with `lastVisitOnly` what its last visit had to do with.
  public func custody(of which: String, lastVisitOnly: Bool) throws(HearthError) -> (visit: VisitSnapshot?, items: [CustodySnapshot]) {
    let tenant = try require(which)
    try tenant.visits.book.load()
    let runner = tenant.visits.running
    let visit: VisitSnapshot? = if let runner { runner.snapshot() } else { try visits(1, of: which).first }
    var items: [CustodySnapshot] = []
    for record in tenant.visits.book.all where !lastVisitOnly || record.visit == visit?.number {
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
    if let runner, let current = runner.item, !items.contains(where: { $0.id == current.id && $0.durable == nil }) {
      var item = CustodySnapshot(id: current.id, mark: current.mark, bytesFetched: runner.itemFetched, visit: runner.record.number)
      item.size = current.size
      items.removeAll { $0.id == current.id }
      items.append(item)
    }
    return (visit, items)
  }

  // MARK: Links

  public func link(of which: String) throws(HearthError) -> LinkSnapshot {
    let tenant = try require(which)
    guard let profile = tenant.profile else { return LinkSnapshot(wearable: tenant.record.name, requestedProfile: .background, why: "") }
    var snapshot = LinkSnapshot(wearable: tenant.record.name, requestedProfile: profile.wanted, why: profile.why)
    snapshot.override = profile.override?.profile
    snapshot.isByCentral = profile.override?.isByCentral ?? false
    snapshot.requested = profile.requested
    snapshot.characteristic = profile.writeText
    snapshot.trouble = profile.trouble
    guard let link = tenant.link else {
      if profile.override == nil { snapshot.why = "no link" }
      return snapshot
    }
    snapshot.isLinked = true
    snapshot.effective = profile.effective
    snapshot.effectiveProfile = profile.effectiveProfile
    snapshot.reportedProfile = profile.reported
    snapshot.mtu = link.client.mtu
    snapshot.isSecured = link.work?.isSecured ?? false
    return snapshot
  }

  /// Keeps an operator's choice for this wearable, across restarts; nil: by policy again. What came of it is seen in `link` some seconds later.
  ///
  /// - Parameter byCentral: the hub alone sets the link, to numbers that are legal, and the wearable's characteristic is not written: for one that
  ///   refuses a profile whose numbers it would accept.
  public func setLink(_ which: String, profile: LinkProfile?, byCentral: Bool = false) async throws(HearthError) -> LinkSnapshot {
    let tenant = try require(which)
    tenant.profile?.choose(profile.map { ProfileChoice(profile: $0, isByCentral: byCentral) })
    try await store.update(tenant.record)
    return try link(of: which)
  }

  /// An operator looks at it: its link is kept awake for so long, an hour at most.
  public func watch(_ which: String, for duration: Duration) {
    guard let tenant = tenant(named: which) else { return }
    let wasAwaited = isAwaited(tenant)
    tenant.visits.watchedUntil = loop.now + min(max(duration, .zero), .seconds(3600))
    tenant.profile?.review()
    if !wasAwaited { awaited(tenant) }
  }

  // MARK: Clocks

  /// By name.
  public func clocks() throws(HearthError) -> [ClockSnapshot] {
    tenants.sorted { $0.record.name < $1.record.name }.map { tenant in
      let clock = tenant.visits.clock
      var snapshot = ClockSnapshot(wearable: tenant.record.name)
      snapshot.offset = clock.ahead(options.timeZone)
      if let last = clock.readings.last?.last, let shown = last.offset { (snapshot.shownZone, snapshot.zone) = (shown, options.timeZone.offset(at: last.wall) / 60) }
      snapshot.readAt = clock.readings.last.map { WallTime(microseconds: $0.last.wall) }
      snapshot.setAt = clock.lastSet.map { WallTime(microseconds: $0.opened.wall) }
      snapshot.wasTrusted = clock.readings.last?.last.isTrusted ?? false
      (snapshot.driftPPM, snapshot.doubt) = clock.drift
      return snapshot
    }
  }

  // MARK: Actions

  /// What can be asked of a wearable, and what it tells of itself. One that is not linked, or is being visited, is asked in a visit of its own, which is
  /// made next.
  ///
  /// - Throws: `noSuchWearable`, `notLinked` for one that is not heard, `requestNotDone`, or why it did not answer.
  public func actions(of which: String) async throws(HearthError) -> (actions: [WearableAction], reports: [String]) {
    try await ask(try require(which), "asking what it can do") { session in (session.actions, session.reports) }
  }

  /// Does it, and reads back; see `actions(of:)` for when.
  ///
  /// - Returns: what happened, one sentence.
  public func perform(_ action: String, _ arguments: [String] = [], on which: String) async throws(HearthError) -> String {
    let words = Array(arguments.prefix(WearableAction.argumentLimit))
    return try await ask(try require(which), action) { session throws(VisitTrouble) in
      guard let wanted = session.actions.first(where: { $0.name == action }) else { throw .unsupported("it has no action '\(action.prefix(32))'") }
      return try await session.perform(wanted, words)
    }
  }

  /// What a wearable tells of itself, read from it now; see `actions(of:)` for when.
  ///
  /// - Throws: `requestUnsupported` where it does not tell that.
  public func report(_ topic: String, of which: String) async throws(HearthError) -> [ReportRow] {
    try await ask(try require(which), "asking for its \(topic)") { session throws(VisitTrouble) in
      guard session.reports.contains(topic) else { throw .unsupported("it tells nothing about '\(topic.prefix(32))'") }
      return try await session.report(topic)
    }
  }

  public func recoverRadio() throws(HearthError) {
    guard phase == .serving else { throw HearthError(.requestNotDone, "the hub is \(phase.rawValue)") }
    radio.recover()
  }
}

extension VisitRunner {
  func snapshot() -> VisitSnapshot {
    var snapshot = VisitSnapshot(number: record.number, wearable: tenant.record.name, trigger: trigger, began: record.began)
    snapshot.stage = stage
    snapshot.bytesFetched = record.bytesFetched
    snapshot.itemsDone = Int(record.itemsDone)
    snapshot.itemsListed = items.count
    snapshot.sliceUsed = sliceUsed
    snapshot.slice = hub.options.slice
    let spent = fetching + (fetchSince.map { loop.now - $0 } ?? .zero)
    if spent > .seconds(1), fetchedBytes > 0 { snapshot.rate = Int(Double(fetchedBytes) / spent.inSeconds) }
    guard let item else { return snapshot }
    snapshot.item = item.id
    snapshot.itemFetched = itemFetched
    snapshot.itemSize = item.size
    if let rate = snapshot.rate, rate > 0, let left = bytesLeft { snapshot.expectedEnd = loop.wall + .milliseconds(Int64(left) * 1000 / Int64(rate)) }
    return snapshot
  }

  /// Of what is listed and not durable; nil where something does not say its size.
  private var bytesLeft: Int? {
    var left = 0
    for listed in items where book[listed.id]?.durableAt == nil || book[listed.id]?.mark != listed.mark {
      guard let size = listed.size else { return nil }
      let have = listed.id == item?.id ? itemFetched : book[listed.id]?.fetched ?? 0
      left += min(max(0, size - have), ItemFetch.limit)
    }
    return left
  }
}
