// What a look at the hub saw, and since which revision it is so; what counts as a change of it.

import CivilTime
internal import EventLoop
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

/// A value with the revision at which it became another.
private struct Revised<Value> {
  private(set) var value: Value?
  /// The value without what is no change of it.
  private var key: AnyHashable?
  private(set) var revision: UInt64 = 0

  /// Returns whether it changed.
  mutating func set(_ new: Value, key newKey: some Hashable, _ next: UInt64) -> Bool {
    let wrapped = AnyHashable(newKey)
    if key == wrapped { return false }
    (value, key, revision) = (new, wrapped, next)
    return true
  }

  func since(_ old: UInt64) -> Value? { revision > old ? value : nil }
}

/// Data that views show.
@LoopActor
struct WatchSeen {
  /// Grows with each look that saw a change.
  private(set) var revision: UInt64 = 0
  private(set) var isVisiting = false
  private(set) var isLive = false

  private var status = Revised<StatusDocument>()
  private var radio = Revised<RadioDocument>()
  private var lights = Revised<LightsDocument>()
  private var devices: [String: Revised<DeviceDocument>] = [:]
  private var order = Revised<[String]>()
  private var visits = Revised<[VisitDocument]>()
  private var events = Revised<[EventDocument]>()
  private var zone: (minute: Int64, rules: TimeZoneRules)?

  nonisolated init() {}

  /// Returns everything that is newer than a revision; 0: everything.
  func view(since old: UInt64) -> ViewDocument {
    let names = order.value ?? []
    return ViewDocument(
      status: status.since(old), radio: radio.since(old), lights: lights.since(old),
      devices: names.compactMap { devices[$0]?.since(old) }, order: order.since(old), visits: visits.since(old),
      events: events.since(old))
  }

  mutating func look(at server: ControlServer) {
    let (service, stored) = (server.service, server.stored)
    let (wall, next) = (server.loop.wall, revision + 1)
    let hub = service.snapshot()
    let minute = wall.microseconds / 60_000_000
    // The zone is a file: read once a minute.
    let zone = self.zone.flatMap { $0.minute == minute ? $0.rules : nil } ?? stored.timeZone()
    self.zone = (minute, zone)
    let enrolled = stored.wearableRecords().count { $0.retiredAt == nil }
    let store = StoreDocument(stored.storeStatus(), wearables: enrolled, daemon: true)
    let document = StatusDocument(hub, enrolment: service.enrolmentSnapshot(), store: store, now: wall, zone: zone)
    var changed = status.set(document, key: document.watched, next)
    let radioDocument = RadioDocument(hub, wall: wall, now: server.loop.now)
    changed = radio.set(radioDocument, key: radioDocument.watched, next) || changed
    let lightsDocument = LightsDocument(stored.lightMeanings(), night: stored.lightNight())
    changed = lights.set(lightsDocument, key: lightsDocument, next) || changed
    let wearables = service.wearables()
    changed = lookAtDevices(wearables, next) || changed
    changed = lookAtVisits(wearables, hub, service, next) || changed
    let found = (try? stored.recentEvents(WatchFeed.listed, before: nil)) ?? []
    if events.value == nil || events.value?.first?.number != found.first?.number {
      let names = stored.sampleExport()
      changed = events.set(found.map { EventDocument($0, names: names) }, key: found, next) || changed
    }
    if changed { revision = next }
    isVisiting = hub.visit != nil || hub.laneHolder != nil
    isLive = wearables.contains { $0.heartRate != nil || $0.advertisedHeartRate != nil }
  }

  private mutating func lookAtDevices(_ wearables: [WearableSnapshot], _ next: UInt64) -> Bool {
    var changed = false
    var addresses: [String] = []
    for wearable in wearables {
      var device = DeviceDocument(wearable)
      // No view shows them, and they would go out with each heartbeat.
      (device.capabilities, device.oddities) = (nil, nil)
      let address = device.address
      addresses.append(address)
      // A signal fluctuates by some dB without movement.
      if let told = devices[address]?.value?.rssi, let rssi = device.rssi, abs(told - rssi) < 6 { device.rssi = told }
      changed = devices[address, default: Revised()].set(device, key: device.watched, next) || changed
    }
    if order.set(addresses, key: addresses, next) {
      changed = true
      let known = Set(addresses)
      devices = devices.filter { known.contains($0.key) }
    }
    return changed
  }

  /// Visits are read from the store, so only when one began or ended.
  private mutating func lookAtVisits(
    _ wearables: [WearableSnapshot], _ hub: HubSnapshot, _ service: any HubService, _ next: UInt64
  ) -> Bool {
    let key = [hub.visit?.number ?? 0, wearables.compactMap { $0.lastVisit?.number }.max() ?? 0]
    if visits.value != nil, visits.isKeyed(key) { return false }
    let found = (try? service.visits(WatchFeed.listed, of: nil)) ?? []
    return visits.set(found.map { VisitDocument($0) }, key: key, next)
  }
}

extension Revised {
  fileprivate func isKeyed(_ other: some Hashable) -> Bool { key == AnyHashable(other) }
}

// MARK: What counts as a change

/// A figure that grows all the time: seven bits of it, so steps of about a hundredth.
private func rough<T: BinaryInteger>(_ figure: T) -> T {
  var (rest, shift) = (figure.magnitude, 0)
  while rest >= 128 { (rest, shift) = (rest >> 1, shift + 1) }
  return (figure >> T(shift)) << T(shift)
}

extension VisitDocument {
  fileprivate var watched: VisitDocument {
    var key = self
    key.bytesFetched = 0
    // Percentages show the progress if the size is known.
    key.itemFetched = percent == nil ? itemFetched.map { rough($0) } : nil
    (key.rate, key.expectedEnd, key.sliceUsedMs) = (nil, nil, nil)
    return key
  }
}

extension DeviceDocument {
  fileprivate var watched: DeviceDocument {
    var key = self
    key.counters = Counters()
    // Of one that is here it moves with every advertisement; of one that is linked and silent it says since when.
    if state != .absent && state != .missing { key.lastSeen = nil }
    if state != .linked { key.lastValueAt = nil }
    (key.heartRateAt, key.batteryAt) = (nil, nil)
    key.memoryFree = memoryFree.map { rough($0) }
    key.visit = visit?.watched
    return key
  }
}

extension StatusDocument {
  fileprivate var watched: StatusDocument {
    var key = self
    key.uptimeSeconds = 0
    // To the minute, which a view shows.
    key.clock.time = String(clock.time.prefix(16))
    key.loop = nil
    key.counters = Counters()
    key.radio.counters = Counters()
    // The end of the window is in it.
    key.enrolment.secondsLeft = nil
    for index in key.enrolment.candidates.indices {
      key.enrolment.candidates[index].rssi = enrolment.candidates[index].rssi.map { $0 / 6 }
    }
    key.lane.visit = lane.visit?.watched
    key.store = store.watched
    return key
  }
}

extension StoreDocument {
  fileprivate var watched: StoreDocument {
    var key = self
    (key.fileBytes, key.usedBytes, key.freeBytes) = (rough(fileBytes), rough(usedBytes), rough(freeBytes))
    (key.samples, key.chunks) = (rough(samples), 0)
    key.unexported = rough(unexported)
    (key.newest, key.lastCommit, key.commits, key.pendingSamples, key.pendingBytes) = (nil, nil, 0, 0, 0)
    (key.journal.samples, key.journal.chunks) = (0, 0)
    (key.journal.bytes, key.journal.oldest) = (rough(journal.bytes), nil)
    (key.stagedBytes, key.readerSlotsUsed) = (rough(stagedBytes), 0)
    key.bytesWrittenToday = nil
    key.wear.bytesToday = rough(wear.bytesToday)
    key.wear.odometer = rough(wear.odometer)
    key.wear.forecastPerYear = wear.forecastPerYear.map { rough($0) }
    (key.evictedSamples, key.evictedUnexported) = (rough(evictedSamples), rough(evictedUnexported))
    (key.evictedFrom, key.evictedTo) = (nil, nil)
    return key
  }
}

extension RadioDocument {
  fileprivate var watched: RadioDocument {
    var key = self
    key.counters = Counters()
    // To the minute: of a radio that hears it moves all the time.
    key.lastHeard = lastHeard.map { String($0.prefix(16)) }
    return key
  }
}
