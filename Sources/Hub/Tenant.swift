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

  var link: LiveLink?
  var trouble: HearthError?
  var retry = RetryPolicy()
  /// Since when it could have been visited; nil while it could not. The longest waiting goes first.
  var dueSince: Instant?
  var lastHeard: WallTime?
  /// What live values change; the link holds it too.
  let live = LiveState()
  /// ATT counters of the links that have ended.
  private var pastWire: [(name: String, value: UInt64)] = []

  init(_ record: WearableRecord, address: BluetoothAddress, driver: (any WearableDriver)?) {
    self.record = record
    self.address = address
    self.driver = driver
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

/// When a wearable whose visit failed may be tried again.
///
/// A failure waits min(300 s, 1 s × 2^n) with up to a fifth of jitter: the first retries catch a missed connection event, the last ones
/// keep a wearable that always refuses from costing the lane more than a visit in five minutes. A link that lasted a minute starts anew.
struct RetryPolicy {
  private(set) var failures = 0
  private(set) var notBefore: Instant?

  static let ceiling: Duration = .seconds(300)
  static let proven: Duration = .seconds(60)

  mutating func failed(at now: Instant, random: inout any RandomNumberGenerator) {
    let doublings = min(failures, 9)
    failures += 1
    let base = min(Duration.seconds(1 << doublings), Self.ceiling)
    let jitter = Double.random(in: 0..<0.2, using: &random)
    notBefore = now + base + base * jitter
  }

  /// Waits a fixed time without counting as a failure of the wearable.
  mutating func postpone(until instant: Instant) { notBefore = instant }

  mutating func succeeded() {
    failures = 0
    notBefore = nil
  }

  func allows(_ now: Instant) -> Bool { notBefore.map { now >= $0 } ?? true }
}
