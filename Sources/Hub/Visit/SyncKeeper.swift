// Orders to sync: whether a sync is possible, its place in the lane, and its progress.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Takes orders to sync. Has no state: `VisitOrders` holds the orders.
@LoopActor
struct SyncKeeper {
  let context: HubContext
  let registry: Registry
  let presence: PresenceMonitor
  let lane: Lane
  let orders: VisitOrders

  /// Orders a sync: its visit is the next one.
  ///
  /// - Throws:
  ///   - `noSuchWearable`, `driverMissing`;
  ///   - `syncRunning` while another sync of this wearable is under way;
  ///   - `notLinked` for a wearable that is not heard;
  ///   - `requestUnsupported` if its kind has no part of the requested data;
  ///   - `controlBadParameter` for a range that ends before it begins.
  func order(_ which: String, _ request: SyncRequest) throws(HearthError) -> SyncSnapshot {
    let wearable = try registry.require(which)
    let name = wearable.name
    guard let driver = wearable.driver else {
      throw HearthError(.driverMissing, "\(name): no driver of this hub knows it")
    }
    let before = orders.sync(of: wearable)
    if let before, !before.isOver {
      let (over, all) = (before.state.domainsOver, before.state.domains.count)
      throw HearthError(.syncRunning, "\(name) is synced already: \(over) of \(all) kinds of data are through")
    }
    let request = try bounded(request)
    let domains = try chosen(request, driver, name)
    if wearable.link?.isSettled == true, wearable.link?.session == nil { throw Self.keepsNothing(name) }
    guard presence.isPresent(wearable) else {
      throw HearthError(.notLinked, "\(name) is not heard and cannot be synced")
    }
    let state = SyncSnapshot(
      number: (before?.state.number ?? 0) + 1, wearable: name, request: request, ordered: context.loop.wall,
      domains: domains)
    let order = makeOrder(state, of: wearable)
    orders.keep(order, of: wearable)
    Self.keep(state, of: wearable, registry)
    let kinds = domains.map(\.id).joined(separator: " ")
    context.logger.info(
      "sync ordered", metadata: ["DEVICE": "\(name)", "SYNC": "\(state.number)", "DOMAINS": "\(kinds)"])
    wearable.visits.lastAsked = context.loop.now
    Self.watch(wearable, order, context, presence, lane)
    if let runner = wearable.visits.running { runner.syncWasOrdered() } else { lane.request(wearable) }
    return snapshot(of: wearable, order)
  }

  /// The sync that runs, or the last one; nil: there was no sync.
  func sync(of which: String) throws(HearthError) -> SyncSnapshot? {
    let wearable = try registry.require(which)
    return orders.sync(of: wearable).map { snapshot(of: wearable, $0) }
  }

  // MARK: Restarts

  /// Resumes orders of earlier hubs: finished ones are reported, the others go on. Called once, when a hub begins to
  /// serve.
  func resume() {
    for wearable in registry.all {
      let kept = wearable.remembered(KeptSync.self)
      guard let state = kept?.snapshot(of: wearable.name, wearable.driver) else { continue }
      let order = makeOrder(state, of: wearable, isResumed: true)
      orders.keep(order, of: wearable)
      if order.isOver { continue }
      let hours = Int(SyncOrder.longest.inSeconds) / 3600
      if state.domains.allSatisfy(\.isOver) {
        order.end(nil)
      } else if wearable.driver == nil {
        order.end(HearthError(.driverMissing, "\(wearable.name): no driver of this hub knows it"))
      } else if context.loop.wall - state.ordered >= SyncOrder.longest {
        order.end(HearthError(.requestNotDone, "the hub ended in a sync of \(wearable.name), more than \(hours) h ago"))
      } else {
        wearable.lane.asked(context.loop.now)
        Self.watch(wearable, order, context, presence, lane)
      }
    }
  }

  private func makeOrder(_ state: SyncSnapshot, of wearable: EnrolledWearable, isResumed: Bool = false) -> SyncOrder {
    SyncOrder(state, context.loop, context.logger, isResumed: isResumed) { [weak registry, weak wearable] state in
      guard let registry, let wearable else { return }
      wearable.lane.isSyncing = !state.isOver
      Self.keep(state, of: wearable, registry)
    }
  }

  private static func keep(_ state: SyncSnapshot, of wearable: EnrolledWearable, _ registry: Registry) {
    wearable.remember(KeptSync(state))
    registry.persistIfEnrolled(wearable)
  }

  // MARK: Possible kinds of data

  private func bounded(_ request: SyncRequest) throws(HearthError) -> SyncRequest {
    var request = request
    // Data of the future does not exist.
    if let until = request.until, until >= context.loop.wall { request.until = nil }
    if let since = request.since, since >= request.until ?? context.loop.wall {
      throw HearthError(.controlBadParameter, "the range is empty, or begins in the future")
    }
    request.words = Array(request.words.prefix(SyncRequest.wordLimit))
    return request
  }

  private func chosen(_ request: SyncRequest, _ driver: any WearableDriver, _ name: String) throws(HearthError)
    -> [SyncedDomain]
  {
    let all = driver.synced?.syncDomains ?? []
    if all.isEmpty { throw Self.keepsNothing(name) }
    var domains: [SyncedDomain] = []
    for domain in all where request.words.isEmpty || request.words.contains(where: domain.isMeant) {
      var one = SyncedDomain(domain.id, domain.series)
      if request.isAutomaticOnly, domain.isAutomatic != true, !domain.tellsManual {
        let why =
          domain.isAutomatic == false
          ? "\(domain.id) is begun by a person, not measured by itself"
          : "\(domain.id) does not say what was measured by itself"
        one.state = .skipped
        one.trouble = HearthError(.requestUnsupported, "\(name): \(why)")
      }
      domains.append(one)
    }
    for word in request.words where !all.contains(where: { $0.isMeant(by: word) }) {
      var one = SyncedDomain(String(word.prefix(KeptSync.nameLimit)), [])
      one.state = .skipped
      let known = all.map(\.id).joined(separator: ", ")
      one.trouble = HearthError(.requestUnsupported, "\(name) keeps no '\(one.id)'; it may keep \(known)")
      domains.append(one)
    }
    // Unsupported kinds are skipped beside supported ones; alone they are refused.
    if domains.allSatisfy(\.isOver), let first = domains.first?.trouble { throw first }
    return domains
  }

  static func keepsNothing(_ name: String) -> HearthError {
    HearthError(.requestUnsupported, "\(name) stores no data to fetch")
  }

  // MARK: Time limits

  /// Ends an order without progress for long. Holds no reference that the hub's end should free.
  private static func watch(
    _ wearable: EnrolledWearable, _ order: SyncOrder, _ context: HubContext, _ presence: PresenceMonitor, _ lane: Lane
  ) {
    context.loop.schedule(after: tick) { [weak wearable, weak order, weak context, weak presence, weak lane] in
      guard let wearable, let order, let context, let presence, let lane, !order.isOver else { return }
      if let holder = lane.holder, holder !== wearable, presence.isPresent(wearable) { order.standsInLine() }
      // For a wearable that lost its request: its turn is still to come.
      if !order.isInVisit, wearable.lane.askedAt == nil, wearable.visits.running == nil { lane.request(wearable) }
      if !order.isInVisit, order.hasWaitedLong {
        let minutes = Int(SyncOrder.patience.inSeconds) / 60
        order.end(HearthError(.requestNotDone, "\(wearable.name) had no turn, or was not there, for \(minutes) min"))
        // A request for everything that came meanwhile still waits.
        if !wearable.lane.asksForAll { wearable.lane.requestEnded() }
      } else {
        watch(wearable, order, context, presence, lane)
      }
    }
  }

  private static let tick: Duration = .seconds(30)

  // MARK: For people

  private func snapshot(of wearable: EnrolledWearable, _ order: SyncOrder) -> SyncSnapshot {
    var state = order.state
    state.wearable = wearable.name
    if order.isInVisit, let runner = wearable.visits.running as? VisitRunner, let item = runner.progress.item {
      state.item = item.id
      state.itemFetched = runner.progress.itemFetched
      state.itemSize = item.size
    }
    let marks = (try? context.store.watermarks(of: wearable.id)) ?? []
    state.watermarks = marks.filter { $0.end != nil || $0.refused > 0 }.compactMap { mark in
      Series(id: mark.series).map { SyncedSeries(series: $0, end: mark.end, refused: mark.refused) }
    }
    return state
  }
}
