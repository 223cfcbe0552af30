// Repeated troubles: which are reported at once, and which are counted. Pure.

import EventLoop
import Reasons
import RingStore

/// Troubles of one moment, by wearable and code. The first after a quiet hour is reported at once; those that follow
/// are counted and reported by the hour. So there are two reports an hour for each wearable and code.
struct RepeatLog {
  /// Limit of codes of one wearable within an hour; further ones appear only in the log of visits.
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
    /// Text of the last one.
    var text: String
    var count: Int
    var from: Instant
    var to: Instant
  }

  private var last: [Key: Instant] = [:]
  private var counted: [Key: News] = [:]

  /// Takes up the report of an earlier run.
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

  /// The counted troubles, in the order of their keys.
  mutating func hourly(_ now: Instant) -> [News] {
    defer { counted = [:] }
    last = last.filter { now - $0.value < OutageLog.quiet }
    return counted.values.sorted { $0.key < $1.key }
  }
}
