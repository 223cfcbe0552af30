import Bluetooth
import Control
import Foundation
import Health
import Hub
import Lights
import Reasons

@testable import EventLoop
@testable import RingStore

/// A hub made of a few values.
@LoopActor
final class FakeHub: HubService {
  static let now = VirtualLoop.morning
  var listeners: [Int: @LoopActor (LiveValue) -> Void] = [:]
  var locating = false
  var openFor: Duration??
  var forgotten: [String] = []
  var pagesRead = 0
  var samples: [StoredSample] = []
  let records: [WearableRecord] = [
    WearableRecord(id: WearableID(number: 1), addressValue: 0xF0F1_F2F3_F400, addressKind: 2, name: "strap-01", driver: "heart-rate", kind: "HR strap", enrolledAt: now),
    WearableRecord(id: WearableID(number: 2), addressValue: 0xF0F1_F2F3_F401, addressKind: 2, name: "strap-02", driver: "heart-rate", kind: "HR strap", enrolledAt: now),
  ]

  static func address(_ last: UInt64) -> BluetoothAddress { BluetoothAddress(value: 0xF0F1_F2F3_F400 + last, kind: .leRandom) }

  func snapshot() -> HubSnapshot {
    let facts = RadioFacts(adapter: "hci0", bus: "USB", links: 1, slots: 7, isScanning: true, counters: [("adverts", 12)])
    var snapshot = HubSnapshot(name: "gym-north", phase: .serving, startedAt: Self.now, uptime: .seconds(90), radioState: .ready, radio: facts)
    snapshot.enrolled = 2
    snapshot.present = 1
    snapshot.live = 1
    snapshot.laneQueue = ["strap-02"]
    snapshot.attention = [Attention(wearable: "strap-02", trouble: HearthError(.keyMissing, "strap-02 no longer knows our key"))]
    snapshot.loop = LoopStatistics()
    return snapshot
  }

  func wearables() -> [WearableSnapshot] {
    var one = WearableSnapshot(name: "strap-01", address: Self.address(0), kind: "HR strap", state: .live, isEnrolled: true)
    one.rssi = -58
    one.battery = 81
    one.heartRate = (72, Self.now)
    one.lastSeen = Self.now
    one.counters = [("samples", 60)]
    var two = WearableSnapshot(name: "strap-02", address: Self.address(1), kind: "HR strap", state: .attention, isEnrolled: true)
    two.trouble = HearthError(.keyMissing, "strap-02 no longer knows our key")
    return [one, two]
  }

  func wearable(named which: String) throws(HearthError) -> WearableSnapshot {
    guard let found = wearables().first(where: { $0.name == which }) else { throw HearthError(.noSuchWearable, "no wearable is called '\(which)'") }
    return found
  }

  func enrolmentSnapshot() -> EnrolmentSnapshot {
    let candidate = EnrolmentSnapshot.Candidate(
      letter: "A", name: "Strap 9", address: Self.address(9), kind: "HR strap", rssi: -41, isNear: true, proposedName: "strap-03")
    return EnrolmentSnapshot(mode: .window, openUntil: Self.now, secondsLeft: 5, nearRSSI: -55, candidates: [candidate])
  }

  func openEnrolment(for duration: Duration?) throws(HearthError) -> EnrolmentSnapshot {
    openFor = duration
    return enrolmentSnapshot()
  }

  func closeEnrolment() { openFor = nil }

  func accept(_ which: String, name: String?) async throws(HearthError) -> WearableSnapshot {
    await Task.yield()
    if which != "A" { throw HearthError(.enrolNotHeard, "no candidate '\(which)' is heard") }
    return WearableSnapshot(name: name ?? "strap-03", address: Self.address(9), kind: "HR strap", state: .due, isEnrolled: true)
  }

  func rename(_ which: String, to name: String) async throws(HearthError) -> WearableSnapshot {
    var found = try wearable(named: which)
    found.name = name
    return found
  }

  func forget(_ which: String) async throws(HearthError) {
    _ = try wearable(named: which)
    forgotten.append(which)
  }

  func subscribeLive(_ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void) throws(HearthError) -> Int {
    if let which { _ = try wearable(named: which) }
    listeners[listeners.count + 1] = handler
    return listeners.count
  }

  func unsubscribeLive(_ token: Int) { listeners[token] = nil }

  func say(_ bpm: Int64) {
    let value = LiveValue(wearable: "strap-01", address: Self.address(0), series: Series.heartRate.id, value: bpm, time: Self.now)
    for listener in listeners.values { listener(value) }
  }

  func storeStatus() -> StoreStatus { StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000) }
  func wearableRecords() -> [WearableRecord] { records }

  func fill(_ count: Int) {
    samples = (0..<count).map { (index: Int) -> StoredSample in
      let series: Series = index % 3 == 0 ? .rrInterval : .heartRate
      return StoredSample(
        wearable: WearableID(number: UInt32(1 + index % 2)), series: series, value: Int64(60 + index % 100),
        time: Self.now + .milliseconds(Int64(index)), monotonic: Instant(nanoseconds: Int64(index)), bootID: BootID(high: 0, low: 1),
        clockTrusted: true, origin: .live, sequence: UInt64(index + 1))
    }
  }

  func readSamples(_ query: SampleQuery, after cursor: JournalCursor?, limit: Int) async throws(HearthError) -> SamplePage {
    pagesRead += 1
    let after = cursor?.sequence ?? 0
    let fitting = samples.filter { (sample: StoredSample) -> Bool in
      if sample.sequence <= after { return false }
      if let wearables = query.wearables, !wearables.contains(sample.wearable) { return false }
      if let series = query.series, !series.contains(sample.series) { return false }
      if let since = query.since, sample.time < since { return false }
      if let until = query.until, sample.time >= until { return false }
      return true
    }
    var page = SamplePage()
    page.samples = Array(fitting.prefix(limit))
    if fitting.count > limit, let last = page.samples.last { page.next = JournalCursor(after: last.sequence) }
    return page
  }

  func lightMeanings() -> [LightMeaning] {
    var state = LightState()
    state.phase = .serving
    state.links = 1
    return arbitrate(state, .gym)
  }

  func locate(_ on: Bool) { locating = on }
  func settings() -> [SettingDocument] { [SettingDocument(key: "hub.name", value: "gym-north", origin: "default")] }
}
