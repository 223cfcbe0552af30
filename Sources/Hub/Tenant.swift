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
  let driver: (any WearableDriver)?
  /// As its driver says; asked at every advertisement.
  let holdsData: Bool

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
    rhythm = AdvertisingRhythm(remembered: record.notes[AdvertisingRhythm.noteKey])
    standing.keepsLink = driver?.holdsData == false
    live.battery = record.battery
  }

  /// ATT counters over all links since the hub started.
  var wire: [(name: String, value: UInt64)] {
    guard let now = link?.client.counters.list else { return pastWire }
    if pastWire.isEmpty { return now }
    return zip(pastWire, now).map { ($0.name, $0.value + $1.value) }
  }

  /// Takes the link away, keeping its counters.
  func takeLink() -> LiveLink? {
    pastWire = wire
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
  /// Values above what the driver says makes sense: dropped.
  var tooMany: UInt64 = 0

  var named: [(name: String, value: UInt64)] {
    [
      ("attempts", attempts), ("links", links), ("losses", losses), ("notifications", notifications), ("samples", samples),
      ("malformed_values", malformed), ("anomalies", anomalies), ("too_many", tooMany),
    ]
  }
}
