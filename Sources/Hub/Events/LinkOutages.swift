// When one wearable had no link that is meant to stay, told apart by what kept it from one. Pure.

import EventLoop

/// The outages of one wearable's link: those by themselves, and those for want of a slot. Each kind is told by the
/// bounds of `OutageLog`, and what is told of one never blames the other.
struct LinkOutages {
  enum Cause: CaseIterable {
    /// It ended by itself, or brought nothing.
    case lost
    /// The hub gave its slot to another wearable.
    case slot
  }

  typealias News = (cause: Cause, news: OutageNews)

  private var lost = OutageLog()
  private var slot = OutageLog()

  init() {}

  /// As an earlier run told it, the newest first: what is known already stays.
  mutating func remember(_ cause: Cause, lastBegan: Instant) {
    switch cause {
    case .lost: if lost.lastBegan == nil { lost = OutageLog(lastBegan: lastBegan) }
    case .slot: if slot.lastBegan == nil { slot = OutageLog(lastBegan: lastBegan) }
    }
  }

  mutating func begin(_ cause: Cause, _ now: Instant) -> News? {
    switch cause {
    case .lost: lost.begin(now).map { (.lost, $0) }
    case .slot: slot.begin(now).map { (.slot, $0) }
    }
  }

  /// See `OutageLog.beginExcused`.
  mutating func beginExcused(_ now: Instant, until excuse: Instant) { lost.beginExcused(now, until: excuse) }
  mutating func excuse(until now: Instant) { lost.excuse(until: now) }

  mutating func end(_ now: Instant) -> [News] { Self.told(lost.end(now), slot.end(now)) }

  /// One without a slot went away, with its last sign then, and is heard again: meanwhile a slot was of no use to it.
  mutating func wasAway(since lastSign: Instant, _ now: Instant) -> [News] {
    guard slot.isOut else { return [] }
    var news = Self.told(lost.begin(lastSign), slot.end(lastSign))
    news += Self.told(lost.end(now), slot.begin(now))
    return news
  }

  mutating func forget() {
    lost.forget()
    slot.forget()
  }

  mutating func hourly(_ now: Instant) -> [News] {
    lost.hourly(now).map { (.lost, $0) } + slot.hourly(now).map { (.slot, $0) }
  }

  /// What the hour would tell now.
  func untold(_ now: Instant) -> [News] {
    var copy = self
    return copy.hourly(now)
  }

  func isIdle(_ now: Instant) -> Bool { lost.isIdle(now) && slot.isIdle(now) }

  private static func told(_ lost: OutageNews?, _ slot: OutageNews?) -> [News] {
    [lost.map { (.lost, $0) }, slot.map { (.slot, $0) }].compactMap { $0 }
  }
}
