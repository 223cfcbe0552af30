// What a wearable's links cost and bring, counted in seconds: who streams all the time it is linked is steady, and its
// slot is its own for a moment when its link is lost.

import EventLoop
import Wearable

/// Seconds for which values came over a wearable's links, less those for which it held a slot and was silent.
///
/// `Trust` says that something came; one value on each link is enough for that. This says whether a link is worth its
/// slot.
struct Steadiness: Equatable {
  /// What everybody begins with: six links that break at once, or fifteen silent seconds.
  private static let benefit = 30.0
  /// Who has so much is steady: it streamed for a minute more than it cost.
  private static let enough = 90.0
  /// Ten minutes of streaming; who has them may be silent for some four before it is as anybody else.
  private static let most = 600.0
  /// A strap that was taken off is as good as new after a minute of values.
  private static let least = -60.0
  /// Making a link costs the radio a second or two, and the discovery four.
  private static let linkCost = 5.0
  /// A silent second takes the slot from somebody who streams and loses as much.
  private static let silentCost = 2.0
  /// Values of a strap come once a second, those of a slow sensor each ten.
  static let gap: Duration = .seconds(10)

  private var seconds = Self.benefit

  var isSteady: Bool { seconds >= Self.enough }
  /// In thirds of what can be had: who streamed longer than others keeps its slot before them.
  var level: Int { Int(max(seconds, 0) * 3 / Self.most) }
  /// It cost more than it brought.
  var isPoor: Bool { seconds < 0 }

  /// It was steady in an earlier life of the hub: it still is after six links that break at once.
  mutating func remembered() { seconds = max(seconds, Self.enough + 6 * Self.linkCost) }

  mutating func add(_ span: LiveSpan) {
    seconds += span.heard.inSeconds - Self.silentCost * span.silent.inSeconds
    seconds = min(max(seconds, Self.least), Self.most)
  }

  mutating func linkEnded() { seconds = max(seconds - Self.linkCost, Self.least) }
}

/// How much of a link's time was filled with values.
struct LiveSpan: Equatable {
  private(set) var heard: Duration = .zero
  private(set) var silent: Duration = .zero

  /// - Parameter gap: since the last value, or the beginning of the link.
  mutating func passed(_ gap: Duration) {
    if gap <= Steadiness.gap { heard += gap } else { silent += gap }
  }
}

extension LiveLink {
  func span(_ now: Instant) -> LiveSpan {
    var span = intake.span
    span.passed(now - intake.lastNotification)
    return span
  }
}

extension EnrolledWearable {
  /// With what its link brings now.
  func steadiness(_ now: Instant) -> Steadiness {
    var steadiness = lane.steadiness
    if let link { steadiness.add(link.span(now)) }
    return steadiness
  }

  /// It needs its link, and was worth it, or is by what comes over it now: a first link may last for days. Who is there
  /// for seconds alone is never steady.
  func isSteady(_ now: Instant) -> Bool {
    let hasBrought = lane.trust.standing == .proven || link?.hasBrought ?? false
    return needsLink && !isBrief && hasBrought && steadiness(now).isSteady
  }

  /// It is there for seconds after it measured, and keeps to that: it was not mute, did not stay, and gives readings.
  var isBriefNow: Bool {
    isBrief && lane.trust.standing != .doubtful && !lane.overstayed && lane.brief.isGood
  }

  /// It was never linked, and not tried more than once: whoever comes gets one chance before those who had theirs.
  var isFirstTimer: Bool {
    link == nil && live.counters.links == 0 && live.counters.attempts <= 1 && lane.trust.standing == .new
  }

  /// A link of its own will or the air's ended: what it was worth is summed up, and its slot is kept for it if it was
  /// steady.
  func keepSlot(_ now: Instant) {
    // Its link is gone by now, and is summed up already.
    guard isSteady(now) else { return }
    lane.slotKeptUntil = now + Self.slotTime
  }

  /// Its link ends.
  func sumUpLink(_ now: Instant) {
    guard let link else { return }
    lane.steadiness.add(link.span(now))
    lane.steadiness.linkEnded()
  }

  /// Its slot is its own, though it has no link.
  func hasKeptSlot(_ now: Instant) -> Bool {
    link == nil && !lane.isHolder && lane.slotKeptUntil.map { now < $0 } ?? false
  }

  /// Who walks behind a pillar is back within it. A slot that is empty for so long costs less than the values of who
  /// finds it taken.
  private static let slotTime: Duration = .seconds(30)
}
