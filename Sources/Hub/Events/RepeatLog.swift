// Which of many equal troubles are told at once and which are counted. Pure.

import EventLoop
import Reasons
import RingStore

/// Troubles of one moment, by wearable and code: the first after a quiet hour is told at once, those that follow are
/// counted and told by the hour, two pieces of news an hour for each wearable and code.
struct RepeatLog {
  /// Codes of one wearable within an hour; what it comes up with beyond them is in the log of visits alone.
  static let codesOfWearable = 4

  struct Key: Hashable, Comparable {
    var wearable: WearableID
    var reason: Reason

    static func < (a: Key, b: Key) -> Bool {
      (a.wearable.number, a.reason.rawValue) < (b.wearable.number, b.reason.rawValue)
    }
  }

  struct News: Equatable {
    var key: Key
    /// The last one's.
    var text: String
    var count: Int
    var from: Instant
    var to: Instant
  }

  private var last: [Key: Instant] = [:]
  private var counted: [Key: News] = [:]

  /// As an earlier run told it.
  mutating func remember(_ key: Key, at instant: Instant) { last[key] = max(last[key] ?? instant, instant) }

  mutating func note(_ key: Key, _ text: String, _ now: Instant) -> News? {
    if last[key] == nil, last.keys.count(where: { $0.wearable == key.wearable }) >= Self.codesOfWearable { return nil }
    let isRecent = last[key].map { now - $0 < OutageLog.quiet } ?? false
    last[key] = now
    if !isRecent { return News(key: key, text: text, count: 1, from: now, to: now) }
    counted[key] = News(
      key: key, text: text, count: (counted[key]?.count ?? 0) + 1, from: counted[key]?.from ?? now, to: now)
    return nil
  }

  /// What was counted, in the order of its keys.
  mutating func hourly(_ now: Instant) -> [News] {
    defer { counted = [:] }
    last = last.filter { now - $0.value < OutageLog.quiet }
    return counted.values.sorted { $0.key < $1.key }
  }
}
