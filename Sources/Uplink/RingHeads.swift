// Acknowledged position of each ring, as this uplink and the one before it know it. They are published because a broker
// may acknowledge the last rows of a ring and lose them. Otherwise only the ring's next row would show that, and a
// returned wearable has no further rows.

internal import EventLoop
internal import UplinkMessages

struct RingHeads {
  /// A wearable without new rows is published after this long: a new row would show a loss by itself.
  static let rest: Duration = .seconds(45)
  /// Longest time for a wearable with further rows, or after a new connection: the broker may have lost its retained
  /// messages.
  static let every: Duration = .seconds(600)
  /// Limit: more rings than any hub has at once. At this number, those of wearables without rows for the longest time
  /// are dropped.
  static let limit = 32_768
  /// A wearable without rows for this long is dropped; its published position stays with the broker.
  static let forgotten: Duration = .seconds(30 * 86_400)

  private struct Wearable {
    var gave: Instant
    var said: Instant
    /// Whether rows were acknowledged since the last publication.
    var isNew = false
    /// Whether it must be published again without a change.
    var isDoubtful = false

    mutating func wasSaid(_ now: Instant) { (said, isNew, isDoubtful) = (now, false, false) }

    func isDue(_ now: Instant) -> Bool {
      let isLate = now - said >= RingHeads.every
      return isNew && (isLate || now - gave >= RingHeads.rest) || isDoubtful && isLate
    }
  }

  /// Positions of rows that are not acknowledged yet.
  private var given: [RingName: RingHead] = [:]
  private var acknowledged: [RingName: RingHead] = [:]
  private var wearables: [UInt32: Wearable] = [:]
  private(set) var store: UInt64?

  /// Positions that are acknowledged, in order.
  var all: [RingHead] { acknowledged.sorted { $0.key < $1.key }.map(\.value) }

  /// Notes rows of a page that were given. Another store has other rings, so a new store clears all positions.
  mutating func gave(_ rows: [UplinkRow], store: UInt64?, _ now: Instant) {
    if store != self.store { (given, acknowledged, wearables, self.store) = ([:], [:], [:], store) }
    var (oldest, newest): ([RingName: RingHead], [RingName: RingHead]) = ([:], [:])
    for row in rows where oldest[row.ring] == nil && RingHead.isSaid(row) { oldest[row.ring] = RingHead(row) }
    for row in rows.reversed() where newest[row.ring] == nil && RingHead.isSaid(row) {
      newest[row.ring] = RingHead(row)
    }
    for (ring, last) in newest {
      var head = oldest[ring] ?? last
      head.join(last)
      if let before = given[ring] { head.join(before) }
      // Not bounded here: a page has fewer rings than the limit.
      given[ring] = head
      wearables[ring.enrolment, default: Wearable(gave: now, said: now)].gave = now
    }
  }

  /// Marks all given rows as acknowledged.
  mutating func settled() {
    for ring in given.keys { wearables[ring.enrolment]?.isNew = true }
    acknowledged.merge(given) { old, new in
      var both = old
      both.join(new)
      return both
    }
    given = [:]
  }

  /// Drops wearables that are gone, and the most silent ones if there are too many.
  ///
  /// - Returns: their enrolments.
  mutating func prune(_ now: Instant) -> Set<UInt32> {
    var gone = Set(wearables.filter { !$0.value.isNew && now - $0.value.gave >= Self.forgotten }.keys)
    if acknowledged.count + given.count > Self.limit {
      let rings = Dictionary(grouping: acknowledged.keys, by: \.enrolment).mapValues(\.count)
      var left = acknowledged.count + given.count - rings.filter { gone.contains($0.key) }.values.reduce(0, +)
      // A quarter at a time, because sorting is expensive.
      for (enrolment, _) in wearables.sorted(by: { $0.value.gave < $1.value.gave }) where left > Self.limit / 4 * 3 {
        if gone.insert(enrolment).inserted { left -= rings[enrolment] ?? 0 }
      }
    }
    if gone.isEmpty { return gone }
    gone.subtract(given.keys.map(\.enrolment))
    for enrolment in gone { wearables[enrolment] = nil }
    acknowledged = acknowledged.filter { !gone.contains($0.key.enrolment) }
    return gone
  }

  /// Adopts the positions of the previous uplink: they are published soon, and joined with new ones.
  mutating func remember(_ heads: [RingHead], store: UInt64, _ now: Instant) {
    if self.store != nil { return }
    self.store = store
    for head in heads.prefix(Self.limit) {
      acknowledged[RingName(head)] = head
      wearables[head.enrolment] = Wearable(gave: now, said: now, isNew: true)
    }
  }

  /// Called for a new connection: the broker may have lost its retained messages.
  mutating func doubt() { for number in wearables.keys { wearables[number]?.isDoubtful = true } }

  /// Whether positions are waiting for publication.
  var hasNews: Bool { wearables.values.contains(where: \.isNew) }
  func isDue(_ now: Instant) -> Bool { wearables.values.contains { $0.isDue(now) } }

  /// Positions of the wearables that are due, or of all with changes; nil if there are none.
  mutating func take(_ now: Instant, inTime: Bool = true) -> (heads: [RingHead], store: UInt64)? {
    guard let store else { return nil }
    let due = wearables.filter { inTime ? $0.value.isDue(now) : $0.value.isNew }.keys
    if due.isEmpty { return nil }
    for number in due {
      wearables[number]?.wasSaid(now)
    }
    let said = Set(due)
    let heads = all.filter { said.contains($0.enrolment) }
    return heads.isEmpty ? nil : (heads, store)
  }
}

extension RingName {
  fileprivate init(_ head: RingHead) {
    self.init(enrolment: head.enrolment, series: head.series, isFetched: head.isFetched)
  }

  fileprivate static func < (one: RingName, other: RingName) -> Bool {
    (one.enrolment, one.series, one.isFetched ? 1 : 0) < (other.enrolment, other.series, other.isFetched ? 1 : 0)
  }
}
