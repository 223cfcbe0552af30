// An enrolled wearable: what is stored about it, and what it is doing.

import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// One enrolled wearable at run time. The record is what outlives the process.
@LoopActor
final class Tenant {
  var record: WearableRecord
  let address: BluetoothAddress
  /// Nil when the registry names a driver this build does not have; the wearable is then kept but not visited.
  private(set) var driver: (any WearableDriver)?
  /// As its driver says of its family, until a link shows that there is nothing; asked at every advertisement.
  var holdsData: Bool
  /// What it measures without a link is lost.
  var needsLink: Bool { !holdsData || driver?.needsLink == true }

  var link: LiveLink?
  var trouble: HearthError?
  var retry = Reconnection()
  var rhythm: AdvertisingRhythm
  var standing = Standing()
  /// Since when it waits for the lane; nil while it does not.
  var dueSince: Instant?
  var lastHeard: WallTime?
  /// What live values change; the link holds it too.
  let live = LiveState()
  let visits: VisitMemory
  /// When it was accepted, in this life of the hub.
  var joinedAt: Instant?
  /// What it says in its advertisements; nil where its driver knows of nothing. Set once the hub has taken it in.
  var advertised: AdvertisedValues?
  /// An operator's choice whether that is kept; nil: as configured.
  var listening: Bool?
  /// What people want of it.
  var orders: WearableOrders
  /// Who wears it; nil for nobody known.
  var wearer: WearerID?
  /// What people asked of it while it could not be asked at once.
  var requests: [LinkRequest] = []
  /// What is remembered of removals on it.
  var erasing: ErasingNotes
  /// Set once the hub has taken it in.
  var profile: ProfileKeeper?
  /// ATT counters of the links that have ended.
  private var pastWire: [(name: String, value: UInt64)] = []

  init(_ record: WearableRecord, address: BluetoothAddress, driver: (any WearableDriver)?, store: Store) {
    self.record = record
    self.address = address
    self.driver = driver
    holdsData = driver?.holdsData ?? false
    visits = VisitMemory(record.id, store)
    erasing = ErasingNotes(record.notes)
    listening = record.notes[Self.listeningKey].flatMap { ["on": true, "off": false][$0] }
    orders = WearableOrders(record)
    rhythm = AdvertisingRhythm(remembered: record.notes[AdvertisingRhythm.noteKey])
    standing.keepsLink = needsLink || hadLink
    live.battery = record.battery
  }

  /// ATT counters over all links since the hub started.
  var wire: [(name: String, value: UInt64)] {
    guard let now = link?.client.counters.list else { return pastWire }
    if pastWire.isEmpty { return now }
    return zip(pastWire, now).map { ($0.name, $0.value + $1.value) }
  }

  /// What the names of a driver's own notes begin with.
  static let driverNote = "driver."

  /// Under which the name that it advertised last is kept: many say it in answers to a scan alone, which nobody asks for outside of an enrolment.
  static let nameKey = "advertised_name"

  /// - Returns: it is another one than is kept.
  func noteName(_ advertised: String?) -> Bool {
    guard let advertised, !advertised.isEmpty, record.notes[Self.nameKey] != advertised else { return false }
    record.notes[Self.nameKey] = advertised
    return true
  }

  /// What a session is told of it.
  func known(_ advertisedName: String?) -> KnownWearable {
    var known = KnownWearable()
    known.advertisedName = advertisedName ?? record.notes[Self.nameKey]
    known.model = record.facts["model"]
    known.firmware = record.facts["firmware"]
    return known
  }

  /// Another driver than so far, which is nothing to a link that is open.
  func adopt(_ driver: any WearableDriver) {
    self.driver = driver
    holdsData = driver.holdsData
    standing.keepsLink = needsLink || hadLink
  }

  /// Under which it is kept in the notes of a wearable that its link stayed: a hub that starts makes it anew first. Written when that is first so and, where
  /// it is not any more, when the hub is stopped: bands that take turns on a full adapter would cost the card a page for each.
  static let linkKey = "link.kept"
  var hadLink: Bool { record.notes[Self.linkKey] != nil }

  /// Notes whether its link is to be made anew first when a hub starts.
  ///
  /// - Returns: that is another answer than was noted.
  func noteLink() -> Bool {
    let wanted = standing.keepsLink && !needsLink
    if wanted == hadLink { return false }
    record.notes[Self.linkKey] = wanted ? "yes" : nil
    return true
  }

  /// Under which the choice is kept in the notes of its wearable.
  static let listeningKey = "listen"

  /// When a live value came last, over a link or in an advertisement.
  var lastValue: Instant? { [link?.lastValue, pastValue, advertised?.lastValue].compactMap { $0 }.max() }
  /// Over the links that have ended.
  private var pastValue: Instant?

  /// Takes the link away, keeping its counters.
  func takeLink() -> LiveLink? {
    pastWire = wire
    pastValue = link?.lastValue ?? pastValue
    defer { link = nil }
    return link
  }
}

/// What happened with one wearable since the hub started.
struct TenantCounters {
  var attempts: UInt64 = 0
  var links: UInt64 = 0
  var losses: UInt64 = 0
  var notifications: UInt64 = 0
  var samples: UInt64 = 0
  var malformed: UInt64 = 0
  var anomalies: UInt64 = 0
  /// Values out of advertisements.
  var advertised: UInt64 = 0
  /// Values above what the driver says makes sense: dropped.
  var tooMany: UInt64 = 0

  var named: [(name: String, value: UInt64)] {
    [
      ("attempts", attempts), ("links", links), ("losses", losses), ("notifications", notifications), ("samples", samples),
      ("malformed_values", malformed), ("anomalies", anomalies), ("advertised", advertised),
      ("too_many", tooMany),
    ]
  }
}
