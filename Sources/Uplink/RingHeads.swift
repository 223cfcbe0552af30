// How far the broker acknowledged each ring since this uplink started. A broker that acknowledges the last rows of a
// ring and loses them would else be found out with its next row, and a wearable that was handed back has none.

internal import EventLoop
internal import UplinkMessages

struct RingHeads {
  /// How often it is said, where rows were acknowledged since.
  static let every: Duration = .seconds(600)
  /// More rings than any hub has; what is beyond is not said.
  private static let limit = 32_768

  /// Rows on their way.
  private var given: [RingName: RingHead] = [:]
  private var acknowledged: [RingName: RingHead] = [:]
  private var hasNews = false
  private var said: Instant
  private var store: UInt64?

  init(_ now: Instant) { said = now }

  /// Rows of a page leave. Those of another store are of other rings.
  mutating func gave(_ rows: [UplinkRow], store: UInt64?) {
    if store != self.store { (given, acknowledged, hasNews, self.store) = ([:], [:], false, store) }
    var (oldest, newest): ([RingName: RingHead], [RingName: RingHead]) = ([:], [:])
    for row in rows where oldest[row.ring] == nil && RingHead.isSaid(row) { oldest[row.ring] = RingHead(row) }
    for row in rows.reversed() where newest[row.ring] == nil && RingHead.isSaid(row) {
      newest[row.ring] = RingHead(row)
    }
    for (ring, last) in newest {
      var head = oldest[ring] ?? last
      head.join(last)
      if let before = given[ring] { head.join(before) }
      if given.count < Self.limit || given[ring] != nil { given[ring] = head }
    }
  }

  /// Everything that was given is acknowledged.
  mutating func settled() {
    if given.isEmpty { return }
    hasNews = true
    acknowledged.merge(given) { old, new in
      var both = old
      both.join(new)
      return both
    }
    given = [:]
  }

  func isDue(_ now: Instant) -> Bool { hasNews && now - said >= Self.every }

  /// All of them, to be said now; none where nothing is new.
  mutating func take(_ now: Instant) -> (heads: [RingHead], store: UInt64)? {
    guard hasNews, let store else { return nil }
    (hasNews, said) = (false, now)
    let sorted = acknowledged.sorted {
      ($0.key.enrolment, $0.key.series, $0.key.isFetched ? 1 : 0)
        < ($1.key.enrolment, $1.key.series, $1.key.isFetched ? 1 : 0)
    }
    return (sorted.map(\.value), store)
  }
}
