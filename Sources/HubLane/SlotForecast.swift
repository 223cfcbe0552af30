// Forecast of the slots' shares if all enrolled wearables are present, by simulating the lane's own decisions.

package import Bluetooth
package import Custody
package import EventLoop
package import HubModel

/// An enrolled wearable as input of a forecast.
package struct ForecastWearable {
  package let id: WearableID
  /// Values that are measured without a link are lost.
  package var needsLink: Bool
  /// Wearables of its kind are on for seconds.
  package var hasShortPresenceKind: Bool
  /// Including the values of its open link so far.
  package var stability: LinkStability
  package var bond: AdapterPlace.Bond

  package init(
    _ id: WearableID, needsLink: Bool, hasShortPresenceKind: Bool, stability: LinkStability = LinkStability(),
    bond: AdapterPlace.Bond = .none
  ) {
    self.id = id
    self.needsLink = needsLink
    self.hasShortPresenceKind = hasShortPresenceKind
    self.stability = stability
    self.bond = bond
  }

  var wantsLink: Bool { needsLink && !hasShortPresenceKind }
}

/// A simulated hour in which all enrolled wearables are present from its start, respond, and send values as long as
/// they are linked.
///
/// Each step calls `LaneTable.decide` and `LaneTable.slot`, the same functions as in the hub.
package struct SlotForecast {
  /// The share of each wearable, in the order of the input.
  package private(set) var shares: [SlotShare] = []
  /// Wearables that need a link for as long as they are present.
  package private(set) var wanting = 0
  /// Number of further slots with which no wearable would wait.
  package private(set) var missing = 0

  /// An hour of training.
  private static let horizon: Duration = .seconds(3600)
  /// Limit of comparisons of two wearables, as links wait for the loop meanwhile. A step compares each with each: 2,000
  /// steps of 50 wearables, 20 of 500.
  private static let comparisons = 5_000_000
  /// Time of a link from the decision to its first value.
  private static let linking: Duration = .seconds(2)

  package init(_ wearables: [ForecastWearable], _ adapters: [AdapterSlots], _ scheduler: Scheduler, now: Instant) {
    let takers = wearables.filter { $0.wantsLink && $0.bond != .absent }
    wanting = takers.count
    let shortage = SlotShortage(wearables, adapters)
    missing = shortage.missing
    var play = Play(takers, adapters, scheduler, now)
    let isWhole = play.run(until: now + Self.horizon, steps: Self.steps(of: wanting))
    // If the hour was not simulated to its end, only the shortest turns are known.
    let turn = scheduler.rules.slice + Self.linking
    let shares = isWhole ? play.shares : play.shares(shortage, turn: turn, atMost: Self.horizon)
    var played = shares.makeIterator()
    self.shares = wearables.map { wearable in
      if wearable.bond == .absent { return SlotShare(.unreachable) }
      if wearable.hasShortPresenceKind { return SlotShare(.seconds) }
      if !wearable.needsLink { return SlotShare(.visits) }
      return played.next() ?? SlotShare(.turns)
    }
  }

  /// Number of steps for so many wearables; less than an hour for more than about 50.
  package static func steps(of wearables: Int) -> Int { max(20, comparisons / max(1, wearables * wearables)) }

  /// The course of that hour.
  private struct Play {
    private struct Course {
      var stability: LinkStability
      /// Time at which its link will be made, while it is being linked.
      var linkedAt: Instant?
      /// Time since which it has no link.
      var without: Instant
      var turn: Duration?
      var gap = Duration.zero
    }

    private var candidates: [LaneCandidate]
    private var courses: [Course]
    private var slots: SlotTable
    private let scheduler: Scheduler
    private let began: Instant
    private var now: Instant

    init(_ wearables: [ForecastWearable], _ adapters: [AdapterSlots], _ scheduler: Scheduler, _ now: Instant) {
      candidates = wearables.map { wearable in
        var candidate = LaneCandidate(wearable.id)
        (candidate.isPresent, candidate.needsLink, candidate.linkReputation) = (true, true, .proven)
        (candidate.bond, candidate.adapter) = (wearable.bond, nil)
        return candidate
      }
      courses = wearables.map { Course(stability: $0.stability, without: now) }
      // Present links, and the search for more slots, are not part of a forecast.
      slots = SlotTable(adapters.map { $0.empty })
      self.scheduler = scheduler
      (began, self.now) = (now, now)
    }

    var shares: [SlotShare] {
      // A first link may go to another adapter; what counts is a link that lasts for half of the time.
      let halfway = began + (now - began) / 2
      let hasRoom = candidates.allSatisfy(\.isLinked)
      return zip(candidates, courses).map { candidate, course in
        if let link = candidate.link, hasRoom || link.since < halfway { return SlotShare(.live) }
        let gap = candidate.isLinked ? course.gap : max(course.gap, now - course.without)
        return SlotShare(.turns, turn: course.turn, gap: gap)
      }
    }

    /// Returns shares by numbers alone: wearables that share too few slots take turns.
    func shares(_ shortage: SlotShortage, turn: Duration, atMost limit: Duration) -> [SlotShare] {
      zip(candidates, courses).map { candidate, course in
        guard let wait = shortage.wait(of: candidate.bond, turn: turn, atMost: limit) else { return SlotShare(.live) }
        return SlotShare(.turns, turn: course.turn, gap: max(course.gap, wait))
      }
    }

    /// - Returns: whether it reached its end, or a state that does not change.
    mutating func run(until end: Instant, steps: Int) -> Bool {
      for _ in 0..<steps where now < end {
        finishLinks()
        if candidates.allSatisfy(\.isLinked) { return true }
        note()
        if !decide(end) { return true }
      }
      return now >= end
    }

    /// Makes the links that are due.
    private mutating func finishLinks() {
      for index in candidates.indices {
        guard let at = courses[index].linkedAt, at <= now else { continue }
        courses[index].linkedAt = nil
        courses[index].gap = max(courses[index].gap, now - courses[index].without)
        candidates[index].hasTurn = false
        candidates[index].isLinked = true
        candidates[index].dueSince = nil
        candidates[index].link = HeldLink(since: now, hasBrought: true, lastValue: now, use: [])
        if let adapter = candidates[index].adapter { slots.adapters[adapter].links += 1 }
      }
    }

    /// Lets all be heard, and links bring values.
    private mutating func note() {
      for index in candidates.indices {
        var stability = courses[index].stability
        candidates[index].hadUnstableLinks = stability.isUnstable
        candidates[index].isUnstable = !candidates[index].isLinked && stability.isUnstable
        if let link = candidates[index].link {
          candidates[index].link?.lastValue = now
          stability.add(heard: now - link.since, silent: .zero)
        }
        candidates[index].lastConnectable = now
        (candidates[index].isStable, candidates[index].level) = (stability.isStable, stability.level)
      }
    }

    /// Carries out the next decision, or advances to the time of the next one.
    ///
    /// - Returns: false: the state does not change any more.
    private mutating func decide(_ end: Instant) -> Bool {
      var table = LaneTable(
        candidates, slots, scheduler, .unlimited, now: now, wall: WallTime(microseconds: 0))
      table.mark()
      candidates = table.candidates
      let demand = table.demand
      var looks = courses.compactMap(\.linkedAt)
      // Like the lane: each round skips the wearables of one adapter.
      for _ in 0...slots.adapters.count {
        let decision = table.decide(demand)
        looks += decision.looks
        guard let index = decision.link.flatMap({ id in candidates.firstIndex { $0.id == id } }) else { break }
        switch table.slot(for: candidates[index], decision.pool) {
        case .begin:
          begin(index)
          return true
        case .evict(let id, _, _):
          if let holder = candidates.firstIndex(where: { $0.id == id }) { evict(holder, for: candidates[index].id) }
          return true
        case .wait(let until): looks += [until].compactMap { $0 }
        case .shown(let look): looks.append(look)
        case .evictStranger: break
        }
        if !table.pass(candidates[index]) { break }
      }
      guard let next = looks.min() else { return false }
      // The hub looks again at every advertisement: by then a holder may be stable.
      now = min(max(next, now + .seconds(1)), now + SlotDecision.rest)
      return next < end
    }

    private mutating func begin(_ index: Int) {
      slots.evictions.removeAll { [id = candidates[index].id] in $0.beneficiary == id }
      candidates[index].hasTurn = true
      candidates[index].adapter = adapter(for: candidates[index])
      courses[index].linkedAt = now + SlotForecast.linking
    }

    /// The adapter with the greatest share of free slots.
    private func adapter(for candidate: LaneCandidate) -> Int? {
      if case .at(let place) = candidate.bond { return place }
      let serving = slots.adapters.indices.filter { !slots.adapters[$0].onlyListens }
      return serving.filter { taken($0) < slots.adapters[$0].capacity }.min { a, b in
        taken(a) * slots.adapters[b].capacity < taken(b) * slots.adapters[a].capacity
      }
    }

    private func taken(_ adapter: Int) -> Int {
      candidates.count { $0.adapter == adapter && ($0.isLinked || $0.hasTurn) }
    }

    private mutating func evict(_ index: Int, for beneficiary: WearableID) {
      guard let link = candidates[index].link else { return }
      let length = now - link.since
      courses[index].turn = courses[index].turn.map { min($0, length) } ?? length
      courses[index].stability.add(heard: length, silent: .zero)
      courses[index].stability.linkEnded()
      courses[index].without = now
      let adapter = candidates[index].adapter
      if let adapter { slots.adapters[adapter].links -= 1 }
      slots.evictions.note(Eviction(at: now, beneficiary: beneficiary, adapter: adapter))
      (candidates[index].isLinked, candidates[index].link, candidates[index].adapter) = (false, nil, nil)
      candidates[index].notBefore = now + .seconds(1)
    }
  }
}

extension AdapterSlots {
  /// The same adapter without links.
  fileprivate var empty: AdapterSlots {
    var empty = AdapterSlots(capacity: capacity, links: 0)
    empty.onlyListens = onlyListens
    return empty
  }
}

extension AttemptPace.NextAttempts {
  /// Attempts follow each other at once.
  fileprivate static let unlimited = {
    let always = Instant(nanoseconds: .min)
    return Self(proven: always, new: always, doubtful: always, restsUntil: always)
  }()
}
