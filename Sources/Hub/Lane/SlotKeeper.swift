// The controller's slots for links: how many are taken, and who gives one up where more wait.

import EventLoop
import Reasons
import Wearable

/// Makes room for who waits. What it remembers is when a link was last told to yield.
@LoopActor
final class SlotKeeper {
  private let context: HubContext
  private let registry: Registry
  private let links: LinkKeeper
  /// When a link was last told to yield, and for whom, until that one had the slot.
  private var vacated: (at: Instant, waiting: EnrolledWearable)?

  /// A closed link leaves its slot within a supervision event or two; the lane looks again after this.
  static let rest: Duration = .seconds(2)
  /// A disconnection takes a few connection events, at most the supervision timeout of the routine profile (6 s). A
  /// slot that is
  /// not free then has gone to somebody else, and another link must yield.
  private static let vacationBound: Duration = .seconds(6)
  /// How often it is looked whether a slot is free that was given up.
  private static let look: Duration = .milliseconds(250)

  init(_ context: HubContext, _ registry: Registry, _ links: LinkKeeper) {
    self.context = context
    self.registry = registry
    self.links = links
  }

  private var linked: Int { registry.all.count { $0.link != nil } }
  private var slots: Int { context.radio.facts.slots }

  /// All slots have a link.
  var areFull: Bool { linked >= slots }

  /// Somebody who is not enrolled holds a slot, and gives it up at once where one is needed: true if so.
  var onNeeded: @LoopActor () -> Bool = { false }

  /// A slot is free, by the controller's count too, and would be if all attempts that are under way became links.
  ///
  /// - Parameter wearable: that wants it. What is kept for others is not free.
  func isFree(beside attempts: Int, for wearable: EnrolledWearable?) -> Bool {
    let now = context.loop.now
    let kept = registry.all.count { $0 !== wearable && $0.hasKeptSlot(now) }
    let promised = isPromised(toOtherThan: wearable, now) ? 1 : 0
    return max(linked + attempts, context.radio.facts.links) + kept + promised < slots
  }

  /// A link was told to yield a moment ago, and its slot may not be free yet.
  private var isVacating: Bool { vacated.map { context.loop.now - $0.at < Self.vacationBound } ?? false }

  /// A slot was vacated for somebody else a moment ago: else whoever comes first takes it, and one link after the other
  /// is given up for one that never has a slot. Who is steady and lost its link waits for nobody.
  private func isPromised(toOtherThan wearable: EnrolledWearable?, _ now: Instant) -> Bool {
    guard isVacating, let vacated, vacated.waiting !== wearable,
      vacated.waiting.lane.dueSince != nil, !vacated.waiting.lane.isHolder, !vacated.waiting.hasKeptSlot(now)
    else { return false }
    return wearable.map { !$0.isOwedLinkAsSteady(now) } ?? true
  }

  /// A slot is free, and taken next. The controller's own count counts too: a link that was just closed, or that
  /// somebody else made, holds a slot.
  ///
  /// - Parameter attempts: that are under way, and may each become a link.
  func take(beside attempts: Int = 0, for wearable: EnrolledWearable? = nil) -> Bool {
    guard isFree(beside: attempts, for: wearable) else { return false }
    if vacated?.waiting === wearable { vacated = nil }
    return true
  }

  /// All slots are taken and `waiting` has waited: the link held longest yields once it had its slice. The slot is free
  /// when the controller says so, and until then `waiting` keeps its place in the line; an attempt before would be
  /// refused and cost it its turn.
  ///
  /// - Parameter displaces: it may have the slot of an idle link alone.
  /// - Returns: when to look again; nil: nothing will change by time.
  func makeRoom(for waiting: EnrolledWearable, displaces: Bool = false) -> Instant? {
    let now = context.loop.now
    if isVacating { return now + Self.look }
    guard let since = waiting.lane.dueSince else { return nil }
    if onNeeded() { return now + Self.look }
    // Attempts hold no slot yet. They end within seconds, and no link is given up for them.
    if !displaces, isFree(beside: 0, for: waiting) { return now + Self.look }
    guard let (oldest, moment) = nextToYield(to: waiting, waitingSince: since) else { return now + Self.rest }
    if now < moment {
      context.changes.raise(.shown)
      // Where it is the controller that counts more links than the hub has, one of them is on its way out.
      return linked < slots ? min(moment, now + Self.rest) : moment
    }
    vacate(oldest, for: waiting)
    return now + Self.look
  }

  /// Who gives its slot up for `waiting`, and from when on it may.
  private func nextToYield(to waiting: EnrolledWearable, waitingSince since: Instant) -> (EnrolledWearable, Instant)? {
    // The link of a visit that runs is the visit's to end, and that of a measurement of who ordered it.
    let links = registry.all.filter { mayYield($0, to: waiting) }
    guard let oldest = links.min(by: { yieldOrder($0, to: waiting) < yieldOrder($1, to: waiting) }) else { return nil }
    let rank = yieldOrder(oldest, to: waiting).rank
    // What an operator asked for does not wait for anybody's slice, and who is there for seconds cannot.
    let now = context.loop.now
    let isAsked = waiting.lane.askedAt != nil
    if rank < .loose { return (oldest, now) }
    if rank == .visited {
      let isFirst = waiting.isFirstTimer
      return (oldest, max(now, isFirst ? linkedSince(oldest) + StallWatch.fairTurn : since + Self.lastWords))
    }
    if waiting.linkStanding == .doubtful {
      // Who was mute when it was tried last takes no slot of somebody whose values come, or a person wants it.
      if !isAsked { return nil }
    } else if isAsked || waiting.isBriefNow && (rank == .loose || mayInterrupt(waiting)) {
      return (oldest, isAsked || rank == .loose ? now : max(now, newcomersEnd(before: waiting, since) ?? now))
    }
    if rank == .loose {
      if waiting.isSteady(now) {
        // Whoever gave its slot up waits for a slice, and no longer; who lost its link does not.
        if waiting.isOwedLink(now) || oldest.lane.steadiness.isPoor { return (oldest, now) }
        return (oldest, max(since + context.options.slice, linkedSince(oldest) + Self.probation))
      }
      if waiting.isFirstTimer { return (oldest, max(now, linkedSince(oldest) + Self.firstWords)) }
    } else if !isAsked {
      if waiting.isOwedLink(now), level(waiting) > level(oldest) { return (oldest, now) }
      if !mayTakeSteady(waiting, since) { return nil }
    }
    return (oldest, max(since, linkedSince(oldest)) + context.options.slice)
  }

  /// Whether it may have the slot of one that is steady, after a slice. Who cost more than it brought may not; where
  /// the slot of a visit is free soon it is waited for.
  private func mayTakeSteady(_ waiting: EnrolledWearable, _ since: Instant) -> Bool {
    let now = context.loop.now
    if waiting.needsLink, waiting.lane.steadiness.isPoor { return false }
    // What keeps its data loses nothing by a wait, and there are the slots of others.
    let patience = context.options.slice * (waiting.needsLink ? 3 : 10)
    return waiting.isSteady(now) || !hasOtherLinks || now - since > patience
  }

  /// Somebody who is not steady has a link: it is free before long.
  private var hasOtherLinks: Bool {
    let now = context.loop.now
    return registry.all.contains { $0.link != nil && !$0.isSteady(now) }
  }

  /// Who is there for seconds takes the slot of one that is steady, as often as somebody measures: one reading is worth
  /// a gap in a stream.
  private func mayInterrupt(_ waiting: EnrolledWearable) -> Bool {
    waiting.lane.interruptions.next(context.loop.now) <= context.loop.now
  }

  /// Until when a cuff that never gave a reading waits for others that never did and have just been linked: such links
  /// are made for seconds, and their slots are free before a strap that streams has to give up its own. nil: there are
  /// none, or it gave readings itself.
  private func newcomersEnd(before waiting: EnrolledWearable, _ since: Instant) -> Instant? {
    if waiting.lane.brief.isEarned { return nil }
    let newcomers = registry.all.filter { $0.link != nil && $0.isBriefNow && !$0.lane.brief.isEarned }
    return newcomers.map { min(linkedSince($0) + Self.firstWords, since + Self.newcomerWait) }.min()
  }

  private func mayYield(_ wearable: EnrolledWearable, to waiting: EnrolledWearable) -> Bool {
    guard wearable.link != nil, !wearable.isMeasuring else { return false }
    if !wearable.isVisited { return true }
    // A visit is its own, but for who was steady and finds no slot, and who was never linked.
    if wearable.visits.running != nil {
      let now = context.loop.now
      let goesFirst = waiting.isFirstTimer || waiting.isOwedLinkAsSteady(now)
      return wearable.lane.askedAt == nil && !wearable.isSteady(now) && goesFirst
    }
    // It is being settled, and was of no use so far: who was does not wait for that.
    return rank(wearable, for: waiting) == .useless
  }

  /// Why there is no slot for somebody who waits at a place (1: the next) of the line that `first` leads; nil where one
  /// is free.
  func wait(at place: Int, behind first: EnrolledWearable) -> SlotWait? {
    let links = max(linked, context.radio.facts.links)
    if links < slots { return nil }
    let holders = registry.all.filter { $0.link != nil }.sorted { linkedSince($0) < linkedSince($1) }
    var wait = SlotWait(links: links, slots: slots, holders: holders.map(\.name), place: place)
    // The newest of them took the last slot; where others have one nobody knows since when.
    if linked >= slots { wait.since = holders.last.map { context.wall(of: linkedSince($0)) } }
    if !isVacating, let since = first.lane.dueSince, let (next, moment) = nextToYield(to: first, waitingSince: since) {
      wait.next = next.name
      wait.nextAt = context.wall(of: max(moment, context.loop.now))
    }
    return wait
  }

  /// How one that waits would come to a slot now, as `makeRoom` would make one.
  func claim(of waiting: EnrolledWearable, beside attempts: Int, displaces: Bool) -> SlotClaim {
    let now = context.loop.now
    if !displaces, isFree(beside: attempts, for: waiting) { return .free }
    if !displaces, isFree(beside: 0, for: waiting) { return .attempted }
    if isVacating { return .vacating }
    guard let (next, moment) = nextToYield(to: waiting, waitingSince: waiting.lane.dueSince ?? now) else {
      return .none
    }
    return .of(next.name, at: context.wall(of: max(moment, now)))
  }

  private func vacate(_ oldest: EnrolledWearable, for waiting: EnrolledWearable) {
    context.logger.info("\(oldest.name) yields its slot to \(waiting.name)")
    let trouble = HearthError(.slotsFull, "\(oldest.name) gave its slot to \(waiting.name)")
    context.changes.happened(oldest.needsLink ? .linkLost(oldest, trouble) : .linkLeft(oldest))
    if waiting.isBriefNow, rank(oldest, for: waiting) == .atWork {
      _ = waiting.lane.interruptions.take(context.loop.now)
    }
    if isUseless(oldest), context.loop.now - linkedSince(oldest) >= Self.probation { onUseless(oldest) }
    let wasBriefTooLong = context.loop.now - linkedSince(oldest) >= Self.briefTime
    links.disconnect(oldest)
    // A wearable that keeps what it measures loses nothing by losing its link.
    oldest.lane.keepsLink = oldest.needsLink
    // It goes to the end of the line; its own next turn comes like anybody's.
    oldest.lane.retry.postpone(until: context.loop.now + .seconds(1))
    oldest.lane.gaveUpSlot = true
    if oldest.isBrief, wasBriefTooLong { oldest.lane.overstayed = true }
    vacated = (context.loop.now, waiting)
  }

  /// Its link had time to bring a value, brought none and is not in use: it yields to any wearable that waits.
  func isIdle(_ wearable: EnrolledWearable) -> Bool {
    let now = context.loop.now
    guard wearable.link != nil, isUseless(wearable), now - linkedSince(wearable) >= Self.probation else { return false }
    let isWatched = wearable.visits.watchedUntil.map { now < $0 } ?? false
    return wearable.visits.running == nil && !wearable.isMeasuring && !isWatched
  }

  /// Its link brought nothing for as long as it had time to: it counts as a try that came to nothing.
  var onUseless: @LoopActor (EnrolledWearable) -> Void = { _ in }

  // MARK: In which order

  private enum Rank: Int, Comparable {
    /// Nothing came over it, and nothing speaks for its wearable.
    case useless
    /// It keeps what it measures and has nothing to say.
    case idle
    /// Nothing came over it for a minute: not worn, or mute.
    case silent
    /// Its values come, and it was not steady so far, or has just fallen silent.
    case loose
    /// A visit runs over it.
    case visited
    case atWork

    static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
  }

  /// The first value comes within a few seconds, as straps measure once a second.
  private static let probation: Duration = .seconds(15)

  /// Who is there for seconds is so for half a minute at most; twice that.
  private static let briefTime: Duration = .seconds(60)
  /// What a visit has before it gives its slot to one that was steady: as much as an item of a few hundred bytes needs.
  private static let lastWords: Duration = .seconds(2)
  /// Half of what a cuff is heard for at the least: the rest is for its link, and a reading.
  private static let newcomerWait: Duration = .seconds(3)
  /// What anybody's link has before it gives its slot to somebody who was never linked: the discovery, and a value.
  private static let firstWords: Duration = .seconds(6)

  private func isUseless(_ wearable: EnrolledWearable) -> Bool {
    wearable.linkStanding != .proven && wearable.link?.hasBrought == false
  }

  private func rank(_ wearable: EnrolledWearable, for waiting: EnrolledWearable) -> Rank {
    let now = context.loop.now
    if wearable.visits.watchedUntil.map({ now < $0 }) ?? false { return .atWork }
    // Who is there for seconds is at work as long as it is there.
    if wearable.isBriefNow { return now - linkedSince(wearable) < Self.briefTime ? .atWork : .idle }
    if wearable.isVisited, wearable.visits.running != nil { return .visited }
    if isUseless(wearable), wearable.visits.running == nil {
      let isOnProbation = now - linkedSince(wearable) < (waiting.isFirstTimer ? Self.firstWords : Self.probation)
      // Whoever gave its slot to it does not take it back before it had its time.
      let isBetter = waiting.isOwedLink(now) || wearable.linkStanding == .doubtful && waiting.linkStanding == .new
      if isBetter || !isOnProbation { return .useless }
    }
    let lastValue = wearable.link?.lastValue
    let isStreaming = lastValue.map { now - $0 < LaneState.streaming } ?? false
    if !wearable.needsLink, !isStreaming { return .idle }
    let quiet = now - max(lastValue ?? linkedSince(wearable), linkedSince(wearable))
    if !isStreaming, quiet >= LaneState.streaming { return .silent }
    return quiet >= Self.probation || !wearable.isSteady(now) ? .loose : .atWork
  }

  /// Who yields first: who was of no use, what keeps what it measures and has nothing to say, who is silent, then what
  /// has been linked longest.
  private func yieldOrder(_ wearable: EnrolledWearable, to waiting: EnrolledWearable)
    -> (rank: Rank, level: Int, since: Instant)
  {
    let rank = rank(wearable, for: waiting)
    return (rank, rank == .atWork ? level(wearable) : 0, linkedSince(wearable))
  }

  /// Below all: who is there for seconds, and never gave a reading.
  private func level(_ wearable: EnrolledWearable) -> Int {
    wearable.isBriefNow && !wearable.lane.brief.isEarned ? -1 : wearable.steadiness(context.loop.now).level
  }

  private func linkedSince(_ wearable: EnrolledWearable) -> Instant { wearable.link?.since ?? context.loop.now }
}
