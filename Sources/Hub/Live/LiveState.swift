// A wearable's state that live values change, and its counters.

import EventLoop

/// Lives as long as the wearable is enrolled; its links and its advertisements write it.
@LoopActor
final class LiveState {
  var counters = WearableCounters()
  /// Limits of rate and volume over all its links, so that a new link does not reset them.
  var budget = SampleBudget()
  var heartRate: LatestValue?
  /// Percent, and when it was read; nil if unknown.
  var battery: Int?
  var batteryRead: WallTime?
  /// The charge derived from this and earlier readings; nil: no reading since the hub started.
  private(set) var charge: BatteryCharge?
  /// The clock of all its links: a stream continues after what came over the link before.
  var clock = LiveClock()
  /// The clock of readings with their own time, while no visit has read it.
  var unread = UnreadClock()
  /// Limits that people set, with the time counted towards them.
  var alerts = AlertWatch()
  /// Whether people say that the wearer exercises; nil: as derived by `motion`.
  var isExercise: Bool?
  /// Shared by all wearables of one wearer.
  var motion = BodyMotion()
  /// Odd values and values that were left out, with the reasons.
  var oddities = Oddities()

  /// The last report of the sensor's contact with the skin.
  private var contact: (isOnSkin: Bool, at: Instant)?

  func noteContact(_ isOnSkin: Bool, at time: Instant) { contact = (isOnSkin, time) }

  /// Whether it is worn, by its contact, else by a heart rate of now. nil: unknown.
  func isOnBody(_ now: Instant) -> Bool? {
    if let contact, now - contact.at <= Liveness.valueAge { return contact.isOnSkin }
    return currentHeartRate(now).map { $0.value > 0 }
  }

  /// Whether a value of this time counts as measured in exercise.
  func isExercising(at time: Instant) -> Bool { isExercise ?? motion.isExercise(time) }
  /// Analysers of live values; at most one of each kind.
  private(set) var taps: [any LiveTap] = []
  /// ATT counters of the links that have ended.
  private var pastWire: [(name: String, value: UInt64)] = []
  /// Time of the last value over ended links.
  private var pastValue: Instant?

  func noteBattery(_ percent: Int, _ charge: BatteryCharge, _ time: WallTime) {
    (battery, batteryRead, self.charge) = (percent, time, charge)
  }

  func add(_ tap: any LiveTap) { if !taps.contains(where: { $0 === tap }) { taps.append(tap) } }
  func remove(_ tap: any LiveTap) { taps.removeAll { $0 === tap } }

  /// The heart rate of now; nil if unknown, whatever was measured before.
  func currentHeartRate(_ now: Instant) -> LatestValue? { heartRate.flatMap { $0.isCurrent(now) ? $0 : nil } }

  /// ATT counters over all links since the hub started.
  func wire(with link: LiveLink?) -> [(name: String, value: UInt64)] {
    guard let now = link?.client.counters.list else { return pastWire }
    if pastWire.isEmpty { return now }
    return zip(pastWire, now).map { ($0.name, $0.value + $1.value) }
  }

  /// Time of the last value over this link or an earlier one.
  func lastValue(over link: LiveLink?) -> Instant? { [link?.lastValue, pastValue].compactMap { $0 }.max() }

  /// Stores the counters of a link that ends now.
  func keep(_ link: LiveLink?) {
    pastWire = wire(with: link)
    pastValue = link?.lastValue ?? pastValue
  }
}

/// Counters of one wearable since the hub started.
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
  /// Values above the rate that the driver permits, and samples above the rate of their series: dropped.
  var tooMany: UInt64 = 0
  /// Samples outside the bounds of their series (`Series.bounds`), live or fetched: dropped.
  var impossible: UInt64 = 0
  /// Samples beyond the share of the store that one wearable has in a day: dropped.
  var overShare: UInt64 = 0
  /// Readings that were in the store already.
  var offeredAgain: UInt64 = 0

  /// Counts a link that broke.
  mutating func lost() {
    losses += 1
    guard losses <= links, links <= attempts else { fatalError("more links were lost than made, or made than tried") }
  }

  /// Notified values with readable content.
  var readable: UInt64 { notifications &- min(notifications, malformed &+ tooMany) }

  var named: [(name: String, value: UInt64)] {
    [
      ("attempts", attempts), ("links", links), ("losses", losses), ("notifications", notifications),
      ("samples", samples), ("malformed_values", malformed), ("anomalies", anomalies), ("advertised", advertised),
      ("too_many", tooMany), ("offered_again", offeredAgain), ("impossible", impossible), ("over_share", overShare),
    ]
  }
}
