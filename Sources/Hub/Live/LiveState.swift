// What live values change about a wearable, and what is counted of it.

import EventLoop

/// Lives as long as the wearable is enrolled; its links and its advertisements write it.
@LoopActor
final class LiveState {
  var counters = WearableCounters()
  /// What it may bring: over all its links, so that a new link is no new beginning.
  var budget = SampleBudget()
  var heartRate: LatestValue?
  /// Percent, and when it was read; nil where that is not known.
  var battery: Int?
  var batteryRead: WallTime?
  /// What that means, with what the readings before it meant; nil: none came since the hub started.
  private(set) var charge: BatteryCharge?
  /// Of all its links: a stream goes on behind what came over the link before.
  var clock = LiveClock()
  /// Of its readings with a time of their own, while nobody has read its clock.
  var unread = UnreadClock()
  /// Limits that people set, and what was counted towards them.
  var alerts = AlertWatch()
  /// Whether exercise is what people say; nil: as `motion` tells.
  var isExercise: Bool?
  /// Shared by all wearables of one wearer.
  var motion = BodyMotion()
  /// What of it was left out, or odd, and why.
  var oddities = Oddities()

  /// What its sensor said last of its contact with the skin.
  private var contact: (isOnSkin: Bool, at: Instant)?

  func noteContact(_ isOnSkin: Bool, at time: Instant) { contact = (isOnSkin, time) }

  /// Whether it is worn, as far as it tells: by its contact, else by a heart rate of now. nil: not known.
  func isOnBody(_ now: Instant) -> Bool? {
    if let contact, now - contact.at <= Liveness.valueAge { return contact.isOnSkin }
    return currentHeartRate(now).map { $0.value > 0 }
  }

  /// What is measured at a moment counts as exercise.
  func isExercising(at time: Instant) -> Bool { isExercise ?? motion.isExercise(time) }
  /// Who analyses its values as they come; at most one of each kind.
  private(set) var taps: [any LiveTap] = []
  /// ATT counters of the links that have ended.
  private var pastWire: [(name: String, value: UInt64)] = []
  /// When the last value came over them.
  private var pastValue: Instant?

  func noteBattery(_ percent: Int, _ charge: BatteryCharge, _ time: WallTime) {
    (battery, batteryRead, self.charge) = (percent, time, charge)
  }

  func add(_ tap: any LiveTap) { if !taps.contains(where: { $0 === tap }) { taps.append(tap) } }
  func remove(_ tap: any LiveTap) { taps.removeAll { $0 === tap } }

  /// What it measures now; nil where that is not known, whatever was measured before.
  func currentHeartRate(_ now: Instant) -> LatestValue? { heartRate.flatMap { $0.isCurrent(now) ? $0 : nil } }

  /// ATT counters over all links since the hub started.
  func wire(with link: LiveLink?) -> [(name: String, value: UInt64)] {
    guard let now = link?.client.counters.list else { return pastWire }
    if pastWire.isEmpty { return now }
    return zip(pastWire, now).map { ($0.name, $0.value + $1.value) }
  }

  /// When a value came last over this link or one before.
  func lastValue(over link: LiveLink?) -> Instant? { [link?.lastValue, pastValue].compactMap { $0 }.max() }

  /// Keeps what a link counted that ends now.
  func keep(_ link: LiveLink?) {
    pastWire = wire(with: link)
    pastValue = link?.lastValue ?? pastValue
  }
}

/// What happened with one wearable since the hub started.
struct WearableCounters {
  var attempts: UInt64 = 0
  var links: UInt64 = 0
  var losses: UInt64 = 0
  var notifications: UInt64 = 0
  var samples: UInt64 = 0
  var malformed: UInt64 = 0
  var anomalies: UInt64 = 0
  /// Values out of advertisements.
  var advertised: UInt64 = 0
  /// Values above what the driver says makes sense, and samples above the pace of their series: dropped.
  var tooMany: UInt64 = 0
  /// Samples outside the bounds of their series (`Series.bounds`), live or fetched: dropped.
  var impossible: UInt64 = 0
  /// Samples beyond the share of the store that one wearable has in a day: dropped.
  var overShare: UInt64 = 0
  /// Readings that are in the store already.
  var offeredAgain: UInt64 = 0

  /// A link ended by itself.
  mutating func lost() {
    losses += 1
    guard losses <= links, links <= attempts else { fatalError("more links were lost than made, or made than tried") }
  }

  /// Notified values that said something.
  var readable: UInt64 { notifications &- min(notifications, malformed &+ tooMany) }

  var named: [(name: String, value: UInt64)] {
    [
      ("attempts", attempts), ("links", links), ("losses", losses), ("notifications", notifications),
      ("samples", samples), ("malformed_values", malformed), ("anomalies", anomalies), ("advertised", advertised),
      ("too_many", tooMany), ("offered_again", offeredAgain), ("impossible", impossible), ("over_share", overShare),
    ]
  }
}
