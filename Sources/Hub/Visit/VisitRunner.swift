// A visit over an open link, stage by stage. Each step's result is in the store before the next step. So whatever ends
// it (the link, the power, an operator), the next visit continues there.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// A visit of one wearable with stages. Made when the link is up, or when a visit begins over an open link.
@LoopActor
final class VisitRunner: RunningVisit {
  unowned let hub: Visits
  let wearable: EnrolledWearable
  let turn: LinkSession
  var trigger: VisitTrigger
  /// The record as it will be written.
  var record: VisitRecord
  var stage = VisitStage.check { didSet { record.stage = stage.rawValue } }
  var slice: VisitSlice
  private var watch: LoopTimer?
  var progress = VisitProgress()
  var troubles = VisitTroubles()
  /// An item became durable: the log gets this visit, whatever its end.
  var isEventful = false
  /// The order that this visit carries out.
  var order: SyncOrder?
  /// Data that it should fetch, and whether that is everything.
  var scope = VisitScope.all
  var isOfAll = true
  /// The session found that another driver should have the wearable.
  private(set) var hasMoved = false
  /// Ids of items that this visit removed.
  var erased: Set<String> = []

  /// Limit between two signs of progress in the first stage.
  static let checkLimit: Duration = .seconds(60)
  static let closeLimit: Duration = .seconds(20)
  /// A turn that is over ends at the next piece of data. If no piece comes for this long the link is ended instead; at
  /// once if the answers are too slow (`isOverdue`).
  static let overrun: Duration = .seconds(30)
  private static let watchPeriod: Duration = .seconds(2)
  var stall: StallWatch

  init(_ hub: Visits, _ wearable: EnrolledWearable, _ turn: LinkSession, number: UInt64, trigger: VisitTrigger) {
    self.hub = hub
    self.wearable = wearable
    self.turn = turn
    self.trigger = trigger
    slice = VisitSlice(began: hub.context.loop.now)
    stall = StallWatch(began: hub.context.loop.now)
    record = VisitRecord(
      number: number, wearable: wearable.id, began: hub.context.loop.wall, boot: hub.context.store.bootID)
    record.trigger = trigger.rawValue
    record.stage = VisitStage.check.rawValue
  }

  var link: HubLink { turn.link }
  var loop: any Loop { hub.context.loop }
  var store: Store { hub.context.store }
  var session: any WearableSession { turn.session }
  var book: CustodyBook { wearable.visits.book }
  var isIndivisible: Bool { slice.isIndivisible }
  var sliceUsed: Duration { loop.now - slice.began }

  /// Ends the visit at the next point without loss.
  func interrupt(_ trouble: VisitTrouble) { if slice.interruption == nil { slice.interruption = trouble } }

  /// Takes over an operator's request for a visit, with a new slice.
  func absorb() {
    trigger = .operatorAsked
    record.trigger = trigger.rawValue
    (slice.began, slice.answeredBefore) = (loop.now, answered)
  }

  /// Whether the next piece of data is the last one of this turn.
  var mustYield: Bool {
    slice.interruption != nil || slice.makesWay || hub.shouldYield(wearable, since: slice.began)
  }

  /// Limit of slices for such an item: at 3 KB/s, as over a weak link, 1.3 MB in slices of 45 s. That is more than
  /// twice the largest file of wearables of this kind. A longer transfer is given up with the link.
  static let indivisibleSlices = 10
  /// The limit for a wearable without data in its last visits: 270 KB at that rate.
  static let doubtfulSlices = 2

  /// Whether the item that is being fetched ends here.
  var mustYieldItem: Bool {
    guard slice.isIndivisible else { return mustYield }
    if sliceUsed >= hub.options.slice, !isWorthWaiting { return mustYield }
    let slices = wearable.lane.visitReputation.grade == .doubtful ? Self.doubtfulSlices : Self.indivisibleSlices
    return slice.interruption != nil || sliceUsed > hub.options.slice * slices
  }

  /// Notes payload that the driver reports. If it is passed on only when complete, this is the only visible progress.
  func noteProgress(_ bytes: Int) {
    progress.heard(bytes)
  }

  /// Checks the turn, between items.
  func checkTurn() throws(VisitTrouble) -> VisitTurn {
    if let interruption = slice.interruption { throw interruption }
    if let end = link.end { throw end }
    return mustYield ? .over : .goesOn
  }

  // MARK: The visit

  /// Runs the visit. `goLive` is called once the wearable's check is done, before any item is fetched.
  func run(goLive: @LoopActor () async throws(GATTError) -> Void) async -> VisitEnd {
    slice.answeredBefore = answered
    watchTurn()
    takeOrder()
    defer {
      if let watch { loop.cancel(watch) }
      link.knowledge.wish = SyncSelection()
    }
    var trouble: VisitTrouble?
    var isTurnOver = false
    do throws(VisitTrouble) {
      let checked: Result<Bool, VisitTrouble> = await checkAndTell()
      try leaveToAnother()
      let isOther = wearable.link?.noteMonitoring() == true
      // Open sources are served even if the rest is refused: a heart rate needs no bond.
      if case .failure(let trouble) = checked, link.end != nil || trouble.endsLink || Task.isCancelled { throw trouble }
      do throws(GATTError) { try await goLive() } catch {
        if case .failure(let trouble) = checked, link.end == nil { throw trouble }
        // A required encryption that failed is the reason.
        if let end = link.end, link.events.whereRefused() != .stands { throw end }
        throw .link(error)
      }
      let mayFetch = try checked.get()
      // Over a link from before: the wearable may have answered now what an earlier check could not ask.
      if wearable.link?.noteAnnounced() == true || isOther { hub.registry.persistIfEnrolled(wearable) }
      await serveRequests()
      if mayFetch { isTurnOver = try await collect() == .over }
    } catch { trouble = link.cause(of: error) }
    // Bytes were staged at the next point because of this interruption.
    if isTurnOver || trouble == .overran { trouble = slice.interruption ?? trouble }
    // A wearable that did not answer, or broke its protocol, gets no further requests.
    let isUsable = trouble.map { !$0.endsLink } ?? true
    let reached = stage
    if link.end == nil, isUsable {
      await serveRequests()
      await close()
    }
    if trouble != nil || isTurnOver { stage = reached }
    var end =
      if let trouble {
        VisitEnd(trouble, name: wearable.name).told(at: turn.stage, isLinked: link.end == nil)
      } else if isTurnOver {
        VisitEnd(outcome: .sliceOver)
      } else { troubles.lesser.map { VisitEnd($0, name: wearable.name) } ?? .done }
    end.take(beside: troubles.order, name: wearable.name)
    await log(end)
    if hub.options.givesMemoryBack, record.bytesFetched > 0 { Heap.giveBack() }
    return end
  }

  /// Ends the visit and the link if another driver has the wearable from now on; that is no fault.
  private func leaveToAnother() throws(VisitTrouble) {
    guard let text = hub.follow(session, wearable, link) else { return }
    hasMoved = true
    record.remark = text
    link.giveUp(.link(.cancelled))
    throw .link(.cancelled)
  }

  private func watchTurn() {
    // Runs also at the moment at which the slice is over.
    let left = hub.options.slice - sliceUsed
    watch = loop.schedule(after: left > .zero ? min(left, Self.watchPeriod) : Self.watchPeriod) { [weak self] in
      guard let self else { return }
      if isOverdue { return link.giveUp(.overran) }
      if let silence = stalledFor() { return link.giveUp(.silent(what: "no data came for \(silence)")) }
      watchTurn()
    }
  }

  /// Runs a stage that must end by itself.
  func bounded<Value>(
    _ limit: Duration, _ what: String, _ body: () async throws(VisitTrouble) -> Value
  ) async throws(VisitTrouble) -> Value {
    let timer = loop.schedule(after: limit) { [link] in link.giveUp(.silent(what: what)) }
    defer { loop.cancel(timer) }
    return try await body()
  }

  // MARK: Check

  private func checkAndTell() async -> Result<Bool, VisitTrouble> {
    var failure: VisitTrouble?
    defer { if wearable.noteBinding(session, failure) { hub.registry.persistIfEnrolled(wearable) } }
    do throws(VisitTrouble) { return .success(try await check()) } catch {
      let why = link.cause(of: error)
      failure = why
      return .failure(why)
    }
  }

  /// - Returns: whether there may be items to fetch.
  private func check() async throws(VisitTrouble) -> Bool {
    stage = .check
    do throws(HearthError) { try book.load() } catch { throw .noRoom("\(error)") }
    let report: CheckReport
    defer { noteUnread() }
    do throws(VisitTrouble) {
      report = try await bounded(Self.checkLimit, "its check") { () throws(VisitTrouble) in try await session.check() }
    } catch {
      // For a clock that was set before the link was lost: only its reading from before can date earlier records.
      if let clock = session.clocked?.clockSeen { note(clock) }
      throw error
    }
    wearable.lane.memory.measured(free: report.memoryFree, total: report.memoryTotal, at: loop.now)
    if let uptime = report.uptime { wearable.visits.booted = loop.wall - uptime }
    for fact in report.facts { wearable.learn(fact) }
    if let battery = report.battery, (0...100).contains(battery) { wearable.noteBattery(battery, hub.context) }
    if let clock = report.clock {
      note(clock)
      wearable.visits.clock.fallen = clock.fallen
    }
    guard let why = report.mayNotFetch else { return true }
    record.remark = why
    if let pause = report.comeAgainAfter { troubles.lesser = .busy(what: why, retryAfter: pause) }
    return false
  }

  // MARK: Close

  /// Reads the clock a last time, and leaves the wearable in its proper state. Trouble here does not harm earlier
  /// results.
  private func close() async {
    stage = .finish
    let timer = loop.schedule(after: Self.closeLimit) { [link] in link.giveUp(.silent(what: "the end of the visit")) }
    defer { loop.cancel(timer) }
    do throws(VisitTrouble) {
      if let clock = try await session.clocked?.readClock() {
        record.closed = clock.evidence
        wearable.visits.clock.closed(record.number, clock.evidence)
        wearable.visits.clock.fallen = clock.fallen
      }
    } catch {
      link.note("its clock could not be read at the end")
    }
    do throws(VisitTrouble) { try await session.finish() } catch {
      if link.end == nil { troubles.note(error) }
    }
  }

  // MARK: The log

  /// Interval of logging visits without data. Each costs some 25 KB of flash, and for a house of thirty that is as much
  /// a day as all its samples.
  static let quietLogging: Duration = .seconds(3600)

  private func log(_ end: VisitEnd) async {
    record.ended = loop.wall
    record.laneOutcome = end.outcome.rawValue
    record.outcome = end.trouble?.reason.rawValue ?? 0
    record.itemsListed = UInt32(clamping: progress.items.count)
    if let trouble = end.told {
      record.remark = trouble.detail
      if end.says(.recordingNotArmed) { record.unrecorded = session.recording?.unrecorded.map(\.id) ?? [] }
    } else if let lasting = hub.lasting(wearable) {
      // The visit did what was possible, but not all is well.
      (record.outcome, record.remark) = (lasting.reason.rawValue, lasting.detail)
    } else if let first = troubles.defects.first {
      record.remark = first
    } else if record.remark.isEmpty {
      record.remark = remark(of: end)
    }
    let memory = wearable.visits
    let isOtherClock = memory.clock.beganEra(at: record.number)
    let isNews =
      isEventful || isOtherClock || memory.last?.laneOutcome != record.laneOutcome
      || memory.last?.outcome != record.outcome || trigger == .operatorAsked
    (memory.last, memory.wasOfAll) = (record, bringsAll)
    if !isNews, let logged = memory.loggedAt, loop.now - logged < Self.quietLogging {
      if record.opened != nil { memory.unlogged = record }
      return
    }
    memory.loggedAt = loop.now
    // The last reading of the clock as it was before; also if this visit did not read it, and replaces no reading.
    let before = isOtherClock || record.opened == nil ? memory.unlogged : nil
    memory.unlogged = nil
    do throws(HearthError) {
      if let before { try await store.putVisit(before) }
      try await store.putVisit(record)
    } catch { hub.logger.error("\(error)") }
  }
}
