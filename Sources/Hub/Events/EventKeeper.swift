// Events of weeks: links lost and found, failed visits, missing wearables, keys, radio, store.

import EventLoop
import Reasons
import RingStore

/// Makes events of what components report, and stores them. `OutageLog` and `RepeatLog` bound their number, the store
/// their cost: events are written with commits that happen anyway.
@LoopActor
final class EventKeeper {
  private let context: HubContext
  private let registry: Registry
  private let runs: RunKeeper
  private var links: [WearableID: LinkOutages] = [:]
  /// Wearables with a link that is up and meant to stay.
  private var kept: Set<WearableID> = []
  private var radio = OutageLog()
  private var takeovers = OutageLog()
  private var rungs = RungLog()
  private var store = OutageLog()
  /// The program that took the adapter last.
  private var takeover = "another program"
  private var droppedBefore: UInt64 = 0
  private var repeats = RepeatLog()
  /// A log apart from that of troubles, so that no trouble takes an alert's place.
  private var alerts = RepeatLog()
  /// Start of the absence of each missing wearable. Read from events of earlier runs when the first one is missing.
  private var missing: [WearableID: WallTime?]?
  private var timer: LoopTimer?

  static let hour: Duration = .seconds(3600)
  /// Counts of a shorter run are not written at its end: a hub that restarts again and again would fill the table with
  /// them.
  static let worthTelling: Duration = .seconds(600)

  init(_ context: HubContext, _ registry: Registry) {
    self.context = context
    self.registry = registry
    runs = RunKeeper(context, registry)
    context.changes.onHappening = { [weak self] happening in self?.note(happening) }
  }

  private var now: Instant { context.loop.now }
  private func wall(_ instant: Instant) -> WallTime { context.wall(of: instant) }

  // MARK: Life

  /// Starts before the first advertisement is heard.
  func start() {
    remember()
    runs.start()
    for wearable in registry.all where wearable.lane.keepsLink {
      links[wearable.id, default: LinkOutages()].beginExcused(now, until: now)
    }
    droppedBefore = context.store.status.droppedSamples
    armTimer()
  }

  func stop() {
    if let timer { context.loop.cancel(timer) }
    runs.stop()
    if now - context.began >= Self.worthTelling { tellCounted() }
  }

  private func armTimer() {
    timer = context.loop.schedule(after: Self.hour) { [weak self] in
      self?.tellCounted()
      self?.runs.hourly()
      self?.armTimer()
    }
  }

  /// Takes up the events of the last hour, also those of earlier runs. So a hub that crashes again and again reports no
  /// more than one that stays up.
  private func remember() {
    let past = (try? context.store.recentEvents(1000)) ?? []
    let wall = context.loop.wall
    for event in past {
      let age = wall - event.time
      guard age >= .zero, age < OutageLog.quiet, let reason = Reason(rawValue: event.reason) else { continue }
      guard let wearable = event.wearable else {
        if reason == .radioTried { rungs.remember(at: now - age) }
        if reason == .radioTakenOver { takeovers = OutageLog(lastBegan: now - age) }
        if reason.isOfRadio, reason != .radioTried, reason != .radioTakenOver {
          radio = OutageLog(lastBegan: now - age)
        }
        if reason == .storeBack { store = OutageLog(lastBegan: now - age) }
        continue
      }
      let key = RepeatLog.Key(wearable: wearable, reason: reason)
      if reason.isOfAlerts { alerts.remember(key, at: now - age) } else { repeats.remember(key, at: now - age) }
      // Events come newest first.
      if let cause = LinkOutages.Cause(reason) {
        links[wearable, default: LinkOutages()].remember(cause, lastBegan: now - age)
      }
    }
  }

  // MARK: Happenings

  private func note(_ happening: Happening) {
    if context.phase == .stopping { return }
    switch happening {
    case .linkKept(let wearable): linkKept(wearable)
    case .linkLeft(let wearable):
      kept.remove(wearable.id)
      links[wearable.id]?.forget()
    case .linkLost(let wearable, let trouble): linkLost(wearable, trouble)
    case .heardAgain(let wearable, let away):
      for news in links[wearable.id]?.wasAway(since: now - away, now) ?? [] { tell(news, of: wearable, nil) }
    case .visitFailed(let wearable, let trouble): repeated(wearable, trouble.reason, trouble.detail)
    case .missing(let wearable, let trouble, let since): isMissing(wearable, trouble, since)
    case .back(let wearable): isBack(wearable)
    case .alert(let wearable, let trouble):
      let key = RepeatLog.Key(wearable: wearable.id, reason: trouble.reason)
      if let news = alerts.note(key, trouble.detail, now) { tell(news) }
    case .measurementSkipped(let wearable, let trouble): repeated(wearable, trouble.reason, trouble.detail)
    case .notCollected(let wearable, let why, let span): write(why.reason, wearable.id, why.detail, span)
    case .shareReached(let wearable, let trouble): repeated(wearable, trouble.reason, trouble.detail)
    // The number of a wearable is never reused, so each eviction is one event. The rate of joining bounds their number.
    case .evicted(let wearable, let trouble): write(trouble.reason, wearable, trouble.detail, EventSpan())
    case .enrolmentFull(let trouble): write(trouble.reason, nil, trouble.detail, EventSpan())
    case .keyLost(let wearable, let trouble): repeated(wearable, trouble.reason, trouble.detail)
    case .identityClaimed(let wearable, let trouble): repeated(wearable, trouble.reason, trouble.detail)
    case .strangerRefused(let trouble): write(trouble.reason, nil, trouble.detail, EventSpan())
    case .keyMade(let wearable): repeated(wearable, .bondMade, "\(wearable.name) and the hub have a new key")
    case .radio(let reason): radioChanged(reason)
    case .takenOver(let since, let program): takenOver(since, program)
    case .rung(let rung):
      if let news = rungs.note(rung, now) {
        write(.radioTried, nil, "\(context.radio.facts.adapter): \(news)", EventSpan())
      }
    case .store(let trouble): storeChanged(trouble)
    }
  }

  private func linkKept(_ wearable: EnrolledWearable) {
    if !kept.insert(wearable.id).inserted { return }
    for news in links[wearable.id]?.end(now) ?? [] { tell(news, of: wearable, nil) }
  }

  private func linkLost(_ wearable: EnrolledWearable, _ trouble: HearthError) {
    guard kept.remove(wearable.id) != nil, registry.contains(wearable) else { return }
    if radio.isOut || trouble.reason.isOfRadio {
      links[wearable.id, default: LinkOutages()].beginExcused(now, until: now)
      return
    }
    let cause: LinkOutages.Cause = trouble.reason == .slotsFull ? .slot : .lost
    if let news = links[wearable.id, default: LinkOutages()].begin(cause, now) { tell(news, of: wearable, trouble) }
  }

  private func radioChanged(_ reason: Reason?) {
    guard let reason else {
      let news = radio.end(now)
      if news != nil { for wearable in registry.all { links[wearable.id]?.excuse(until: now) } }
      return news.map { tellRadio($0, nil) } ?? ()
    }
    if let news = radio.begin(now) { tellRadio(news, reason) }
  }

  /// Reports a takeover when it is over; while it lasts, state and warnings show it.
  private func takenOver(_ since: Instant, _ program: String) {
    takeover = program
    _ = takeovers.begin(since)
    if let news = takeovers.end(now) { tellTakeover(news) }
  }

  private func storeChanged(_ trouble: HearthError?) {
    if let news = trouble == nil ? store.end(now) : store.begin(now) { tellStore(news, trouble) }
  }

  private func repeated(_ wearable: EnrolledWearable, _ reason: Reason, _ text: String) {
    let key = RepeatLog.Key(wearable: wearable.id, reason: reason)
    if let news = repeats.note(key, text, now) { tell(news) }
  }

  // MARK: Missing wearables

  private func isMissing(_ wearable: EnrolledWearable, _ trouble: HearthError, _ since: WallTime?) {
    var all = missing ?? missingBefore()
    let isKnown = all[wearable.id] != nil
    if !isKnown { all.updateValue(since, forKey: wearable.id) }
    missing = all
    if isKnown { return }
    write(trouble.reason, wearable.id, trouble.detail, EventSpan(from: since))
  }

  private func isBack(_ wearable: EnrolledWearable) {
    var all = missing ?? missingBefore()
    let entry = all.removeValue(forKey: wearable.id)
    missing = all
    guard let since = entry else { return }
    let away = since.map { " after \(spoken(context.loop.wall - $0))" } ?? ""
    let text = "\(wearable.name) is back\(away); \(OutageEvent.Words.effect(on: wearable))"
    write(.wearableBack, wearable.id, text, EventSpan(from: since, to: since.map { _ in context.loop.wall }))
  }

  /// Wearables that were missing at the end of the run before, by its events. Their absence is not reported again.
  private func missingBefore() -> [WearableID: WallTime?] {
    var found: [WearableID: WallTime?] = [:]
    for event in ((try? context.store.recentEvents(10_000)) ?? []).reversed() {
      guard let wearable = event.wearable else { continue }
      if event.reason == Reason.wearableMissing.rawValue { found.updateValue(event.span.from, forKey: wearable) }
      if event.reason == Reason.wearableBack.rawValue { found.removeValue(forKey: wearable) }
    }
    return found
  }

  // MARK: Writing

  private func tellCounted() {
    for (id, log) in links.sorted(by: { $0.key.number < $1.key.number }) {
      guard let wearable = registry[id] else {
        links[id] = nil
        kept.remove(id)
        continue
      }
      var log = log
      for news in log.hourly(now) { tell(news, of: wearable, nil) }
      links[id] = log.isIdle(now) ? nil : log
    }
    for news in alerts.hourly(now) where registry[news.key.wearable] != nil { tell(news) }
    for news in repeats.hourly(now) where registry[news.key.wearable] != nil { tell(news) }
    for news in radio.hourly(now) { tellRadio(news, nil) }
    for news in takeovers.hourly(now) { tellTakeover(news) }
    if let news = rungs.hourly(now) { tell(news) }
    for news in store.hourly(now) { tellStore(news, nil) }
  }

  private func tell(_ news: RepeatLog.News) {
    if news.count == 1 { return write(news.key.reason, news.key.wearable, news.text, EventSpan()) }
    let span = EventSpan(from: wall(news.from), to: wall(news.to), count: UInt32(clamping: news.count))
    let text = "\(news.count) times in \(spoken(news.to - news.from)): \(news.text)"
    write(news.key.reason, news.key.wearable, text, span)
  }

  private func tell(_ news: RungLog.Counted) {
    let words = news.rungs.map { $0.count == 1 ? $0.name : "\($0.count) times \($0.name)" }
    let count = news.rungs.reduce(0) { $0 + $1.count }
    let span = EventSpan(from: wall(news.from), to: wall(news.to), count: UInt32(clamping: count))
    write(.radioTried, nil, "\(context.radio.facts.adapter): \(words.joined(separator: ", "))", span)
  }

  private func tell(_ news: LinkOutages.News, of wearable: EnrolledWearable, _ trouble: HearthError?) {
    tell(news.news, wearable.id, OutageEvent.Words(news.cause, of: wearable, trouble))
  }

  private func tellRadio(_ news: OutageNews, _ reason: Reason?) {
    let reason = reason ?? .controllerSilent
    tell(
      news, nil,
      OutageEvent.Words(
        lost: (reason, reason.text.sentence), found: (.radioBack, "the radio hears again"),
        often: (.radioBack, "the radio was down"), effect: "no wearable was heard meanwhile"))
  }

  private func tellTakeover(_ news: OutageNews) {
    let took = "\(takeover) took \(context.radio.facts.adapter)"
    tell(
      news, nil,
      OutageEvent.Words(
        lost: (.radioTakenOver, took), found: (.radioTakenOver, "\(took); the hub has it again"),
        often: (.radioTakenOver, took), effect: "no wearable was heard meanwhile"))
  }

  private func tellStore(_ news: OutageNews, _ trouble: HearthError?) {
    let dropped = context.store.status.droppedSamples
    let lost = dropped - min(droppedBefore, dropped)
    if case .began = news {} else { droppedBefore = dropped }
    tell(
      news, nil,
      OutageEvent.Words(
        lost: (trouble?.reason ?? .storeFailing, trouble?.detail ?? "the store does not take writes"),
        found: (.storeBack, "the store takes writes again"), often: (.storeBack, "the store did not take writes"),
        effect: lost == 0 ? "no samples were lost" : "\(lost) samples were lost"))
  }

  private func tell(_ news: OutageNews, _ wearable: WearableID?, _ words: OutageEvent.Words) {
    let event = OutageEvent(news, words) { wall($0) }
    write(event.reason, wearable, event.text, event.span)
  }

  /// Outages that the hourly report will contain, newest first, for queries of a time span. Their numbers are not those
  /// of events.
  func untold() -> [StoreEvent] {
    links.sorted { $0.key.number < $1.key.number }.flatMap { id, log -> [StoreEvent] in
      guard let wearable = registry[id] else { return [] }
      return log.untold(now).reversed().map { news in
        let event = OutageEvent(news.news, OutageEvent.Words(news.cause, of: wearable, nil)) { wall($0) }
        return StoreEvent(
          number: .max, time: context.loop.wall, reason: event.reason.rawValue, wearable: id, text: event.text,
          span: event.span)
      }
    }
  }

  private func write(_ reason: Reason, _ wearable: WearableID?, _ text: String, _ span: EventSpan) {
    context.store.noteEvent(reason, wearable: wearable, text: text, span: span)
  }
}
