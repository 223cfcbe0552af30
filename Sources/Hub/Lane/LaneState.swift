// What the choice of the next visit knows about one wearable, and what a visit that ended adds to it.

import Bluetooth
import EventLoop
import Reasons
import Wearable

/// How a wearable stands with the lane. Kept in memory: after a restart of the hub the log of visits tells the most of it.
struct Standing {
  /// End of the last visit that came to its end; may lie before the start of the hub.
  var visitedAt: Instant?
  /// The last visit left something behind that goes on with the next.
  var resumes = false
  /// Seen again after an absence, and not visited since.
  var returned = false
  /// It said over its link that it holds something new; what was said before a visit began is that visit's to find.
  var announced = false
  /// When an operator asked for the visit that is still to be made.
  var askedAt: Instant?
  /// When the oldest began that it holds and the store does not; nil: nothing, or unknown.
  var oldestUnfetched: Instant?
  var memory = MemoryTrend()
  /// The last visit left its link open because it streams, or it needs it all the time: a lost link is made anew at once.
  var keepsLink = false
  /// A wearable that keeps data streams if a value came within this time.
  static let streaming: Duration = .seconds(60)
  /// When its last link ended.
  var linkEndedAt: Instant?
  /// Hearing it changes nothing about the lane before this.
  var quietUntil: Instant?
}

/// When a wearable's memory will be full, from what it said about it.
struct MemoryTrend: Equatable {
  private(set) var free: Int?
  private var used: Int?
  private var at: Instant?
  /// Bytes an hour, as fast as it was last seen to fill.
  private var rate: Double?

  /// Less than this is full soon at any rate.
  static let scarce = 0.1
  /// A shorter time between two readings says little about a rate.
  static let leastSpan: Duration = .seconds(60)

  init() {}

  /// Nil where the wearable does not say.
  var total: Int? { free.flatMap { free in used.map { free + $0 } } }

  /// What the check of a visit said. What was removed since the reading before only makes the rate look lower; it is then kept as it was.
  mutating func measured(free: Int?, total: Int?, at now: Instant) {
    guard let free, free >= 0 else { return }
    let used = total.flatMap { $0 >= free ? $0 - free : nil }
    if let at, let before = self.used, let used, now - at >= Self.leastSpan, used > before {
      rate = Double(used - before) / ((now - at).inSeconds / 3600)
    }
    self.free = free
    self.used = used
    at = now
  }

  /// Everything on it was removed: what it holds at the next check came after this.
  mutating func emptied(at now: Instant) {
    if let used, let free { self.free = free + used }
    if used != nil { used = 0 }
    at = now
  }

  /// Nil while there is too little to tell, or so much room that it does not matter.
  func hoursToFull(_ now: Instant) -> Double? {
    guard let free, let at else { return nil }
    if let rate, rate > 0 { return max(0, Double(free) / rate - (now - at).inSeconds / 3600) }
    guard let used else { return nil }
    return Double(free) < Self.scarce * Double(free + used) ? 0 : nil
  }
}

extension Hearth {
  /// A try begins: what storms are counted by.
  func tryBegan(_ tenant: Tenant) {
    tenant.retry.began(loop.now)
    _ = hubBucket.take(loop.now)
  }

  /// Says that a try was of no use, and lets follow what follows from it.
  func noteFailure(_ tenant: Tenant, _ trouble: HearthError, _ failure: TryFailure) {
    // The next link is made without a key, and asks for none.
    let isMended = failure == .link(.authenticationFailed) && unpairable.contains(tenant.address)
    let failure = isMended ? TryFailure.link(.keyMissing) : failure
    var shown = trouble
    switch tenant.retry.failed(failure, at: loop.now, isForeground: isAwaited(tenant), random: &random) {
    case .innocent: break
    // Its place is kept: the lane rests, lest the freed slot go to whoever comes after it in the line.
    case .laneRests: laneRestsUntil = loop.now + Self.slotRest
    case .later, .attention:
      tenant.trouble = trouble
      tenant.dueSince = nil
    case .wait, .onceAtOnce:
      if tenant.retry.isCooling {
        shown = HearthError(trouble.reason, "\(trouble.detail), \(Reconnection.tries + 1) times; tried again when it is seen again after an absence")
      }
      tenant.trouble = shown
      tenant.dueSince = nil
    }
    tenant.standing.quietUntil = nil
    if tenant.visits.running == nil, tenant.retry.isCooling || trouble.reason.needsPerson { refuseRequests(of: tenant, trouble) }
    logger.notice(
      "\(shown)", metadata: ["CODE": "\(trouble.reason.code)", "DEVICE": "\(tenant.record.name)", "EFFECT": "\(trouble.reason.text.effect)"])
    showLights()
  }

  /// A visit ended, however. Its failure, if it was one, is told to `tenant.retry` apart from this.
  func visitEnded(_ tenant: Tenant, _ outcome: VisitOutcome) {
    tenant.dueSince = nil
    tenant.standing.quietUntil = nil
    switch outcome {
    case .done:
      tenant.standing.visitedAt = loop.now
      tenant.standing.resumes = false
      tenant.standing.returned = false
      tenant.standing.askedAt = nil
      tenant.retry.succeeded()
    case .sliceOver:
      tenant.standing.resumes = true
      // An operator's request goes on, behind those that came meanwhile.
      if tenant.standing.askedAt != nil { tenant.standing.askedAt = loop.now }
    case .interrupted, .broken, .silent:
      tenant.standing.resumes = tenant.holdsData
      // A request is not given up for one lost link, but it ends with the tries.
      if tenant.retry.isCooling { tenant.standing.askedAt = nil }
    case .busy, .refused, .noRoom, .needsAttention, .abandoned:
      tenant.standing.askedAt = nil
    }
  }

  /// An operator asks for a visit: first in the queue, and whatever was waited for is over.
  func requestVisit(_ tenant: Tenant) {
    if tenant.standing.askedAt == nil { tenant.standing.askedAt = loop.now }
    tenant.standing.quietUntil = nil
    tenant.retry.asked()
    considerLane()
  }

  /// A wearable said over its link that it holds something new: it is due as soon as its last visit is no longer fresh.
  func noteAnnouncement(of tenant: Tenant) {
    guard tenant.holdsData, !tenant.standing.announced else { return }
    tenant.standing.announced = true
    tenant.standing.quietUntil = nil
    tenant.retry.freed()
    considerLane()
  }

  /// Whether the visit that holds the lane should end its turn at the next point at which nothing is lost by it.
  ///
  /// - Parameter since: when its slice began.
  ///
  /// Asked after every piece of data: within the slice only requests of operators count, and mostly there is none.
  func shouldYield(_ holder: Tenant, since: Instant) -> Bool {
    let used = loop.now - since
    if used < options.slice, holder.standing.askedAt != nil || !tenants.contains(where: { $0 !== holder && $0.standing.askedAt != nil }) { return false }
    return scheduler.yields(candidate(holder), sliceUsed: used, to: tenants.lazy.map { self.candidate($0) }, now: loop.now)
  }
}

extension WearableDriver {
  /// It keeps data that can be fetched. What does not is only listened to, and linked while it is present.
  var holdsData: Bool { !capabilities.recorded.isEmpty }
}
