// Outages of one wearable's link that is meant to stay, by cause. Pure.

import EventLoop

/// The outages of one wearable's link, by cause: lost, or without a slot. `OutageLog` bounds the reports of each cause.
struct LinkOutages {
  enum Cause: CaseIterable {
    /// The link broke, or delivered no data.
    case lost
    /// The hub gave its slot to another wearable.
    case slot
  }

  typealias News = (cause: Cause, news: OutageNews)

  private var lost = OutageLog()
  private var slot = OutageLog()

  init() {}

  /// Takes up an event of an earlier run, newest first; a known start stays.
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

  /// Handles the return of a wearable that had no slot and was away since `lastSign`. In between the absence was the
  /// cause, as a slot would have been useless.
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

  /// Contents that an hourly report would have now.
  func untold(_ now: Instant) -> [News] {
    var copy = self
    return copy.hourly(now)
  }

  func isIdle(_ now: Instant) -> Bool { lost.isIdle(now) && slot.isIdle(now) }

  private static func told(_ lost: OutageNews?, _ slot: OutageNews?) -> [News] {
    [lost.map { (.lost, $0) }, slot.map { (.slot, $0) }].compactMap { $0 }
  }
}
