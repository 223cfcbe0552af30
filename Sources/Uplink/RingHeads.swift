// How far the broker acknowledged each ring, as this uplink and the one before it know. A broker that acknowledges the
// last rows of a ring and loses them would else be found out with its next row, and a wearable that was handed back has
// none.

internal import EventLoop
internal import UplinkMessages

struct RingHeads {
  /// Of a wearable that gives no more rows it is said after this long: a row that comes would show a loss by itself.
  static let rest: Duration = .seconds(45)
  /// And of one that goes on giving rows, or after a new connection: the broker may have lost what it kept.
  static let every: Duration = .seconds(600)
  /// More rings than any hub has at once. When there are as many, those of wearables that gave nothing for longest go.
  static let limit = 32_768
  /// A wearable that gave nothing for so long is no more: what was said of it stays with the broker.
  static let forgotten: Duration = .seconds(30 * 86_400)

  private struct Wearable {
    var gave: Instant
    var said: Instant
    /// Something was acknowledged since it was said.
    var isNew = false
    /// It is to be said again though nothing is new.
    var isDoubtful = false

    mutating func wasSaid(_ now: Instant) { (said, isNew, isDoubtful) = (now, false, false) }

    func isDue(_ now: Instant) -> Bool {
      let isLate = now - said >= RingHeads.every
      return isNew && (isLate || now - gave >= RingHeads.rest) || isDoubtful && isLate
    }
  }

  /// Rows on their way.
  private var given: [RingName: RingHead] = [:]
  private var acknowledged: [RingName: RingHead] = [:]
  private var wearables: [UInt32: Wearable] = [:]
  private(set) var store: UInt64?

  /// All that is known, in order.
  var all: [RingHead] { acknowledged.sorted { $0.key < $1.key }.map(\.value) }

  /// Rows of a page leave. Those of another store are of other rings.
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
      // A page has fewer.
      given[ring] = head
      wearables[ring.enrolment, default: Wearable(gave: now, said: now)].gave = now
    }
  }

  /// Everything that was given is acknowledged.
  mutating func settled() {
    for ring in given.keys { wearables[ring.enrolment]?.isNew = true }
    acknowledged.merge(given) { old, new in
      var both = old
      both.join(new)
      return both
    }
    given = [:]
  }

  /// Forgets wearables that are gone, and as many of the quietest as there are too many.
  ///
  /// - Returns: their enrolments.
  mutating func prune(_ now: Instant) -> Set<UInt32> {
    var gone = Set(wearables.filter { !$0.value.isNew && now - $0.value.gave >= Self.forgotten }.keys)
    if acknowledged.count + given.count > Self.limit {
      let rings = Dictionary(grouping: acknowledged.keys, by: \.enrolment).mapValues(\.count)
      var left = acknowledged.count + given.count - rings.filter { gone.contains($0.key) }.values.reduce(0, +)
      // A quarter at a time: sorting them costs.
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

  /// What the uplink before this one knew: said soon, and joined with what comes.
  mutating func remember(_ heads: [RingHead], store: UInt64, _ now: Instant) {
    if self.store != nil { return }
    self.store = store
    for head in heads.prefix(Self.limit) {
      acknowledged[RingName(head)] = head
      wearables[head.enrolment] = Wearable(gave: now, said: now, isNew: true)
    }
  }

  /// The broker that is connected now may have lost what it kept.
  mutating func doubt() { for number in wearables.keys { wearables[number]?.isDoubtful = true } }

  /// Whether something has to be said before long.
  var hasNews: Bool { wearables.values.contains(where: \.isNew) }
  func isDue(_ now: Instant) -> Bool { wearables.values.contains { $0.isDue(now) } }

  /// Heads of the wearables of which they are due, or of all that have news; nil where there are none.
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
