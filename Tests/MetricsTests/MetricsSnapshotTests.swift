import Bluetooth
import Reasons
import Testing

@testable import EventLoop
@testable import Hub
@testable import Metrics
@testable import RingStore

private let wall = VirtualLoop.morning
private let now = Instant(nanoseconds: 900_000_000_000)
private func ago(_ seconds: Int64) -> WallTime { wall + .seconds(-seconds) }

private func device(_ name: String, _ state: WearableState, _ change: (inout WearableSnapshot) -> Void = { _ in })
  -> WearableSnapshot
{
  let address = BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .leRandom)
  var device = WearableSnapshot(name: name, address: address, kind: "HR strap", state: state, isEnrolled: true)
  change(&device)
  return device
}

private func moment(
  _ devices: [WearableSnapshot], hub change: (inout HubSnapshot) -> Void = { _ in },
  store fill: (inout StoreStatus) -> Void = { _ in }
) -> MetricsSnapshot {
  var facts = RadioFacts(
    adapter: "hci0", bus: "UART", links: 2, slots: 5, isScanning: true,
    counters: [("connect.attempts", 9), ("adapter.silent", 1), ("scan.restarts", 4)])
  facts.care.rungs = [("power off and on", 1)]
  facts.care.lastHeard = now - .milliseconds(250)
  var hub = HubSnapshot(
    name: "gym", phase: .serving, startedAt: ago(800), uptime: .seconds(800), radioState: .ready, radio: facts)
  hub.enrolled = devices.count
  change(&hub)
  var store = StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_000_000)
  fill(&store)
  return MetricsSnapshot(
    hub: hub, wearables: devices, store: store,
    process: ProcessFigures(processorTime: .milliseconds(4250), residentBytes: 13_000_000), wall: wall, now: now)
}

/// The lines with values.
private func valueLines(_ moment: MetricsSnapshot) -> [String] {
  String(decoding: moment.text(.prometheus), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    .map { String($0) }
}

@Suite("What a hub offers a collector")
struct MetricsSnapshotTests {
  @Test("everything that it says of the radio, the lane, visits and links is what the snapshot has")
  func hub() {
    let lines = valueLines(
      moment([]) { hub in
        hub.present = 3
        hub.laneHolder = "insole-01"
        hub.laneQueue = ["band-01", "band-02"]
        hub.longestWait = .milliseconds(2500)
        hub.attention = [
          Attention(wearable: "a", trouble: HearthError(.keyMissing, "a")),
          Attention(wearable: "b", trouble: HearthError(.keyMissing, "b")),
          Attention(wearable: nil, trouble: HearthError(.storeFull, "full")),
        ]
        hub.tally.linkAttempts = 12
        hub.tally.linksMade = 7
        hub.tally.linksLost = 2
        hub.tally.visits = [.done: 5, .noRoom: 1]
        hub.loop = LoopStatistics(wakeUps: 77, longestTurn: .microseconds(12_500), stalls: 0)
      })
    for line in [
      #"hearth_hub_info{name="gym",version="\#(hearthVersion)"} 1"#, "hearth_hub_serving 1",
      "hearth_hub_uptime_seconds 800",
      #"hearth_hub_attention{code="H2207",area="bond"} 2"#, #"hearth_hub_attention{code="H4007",area="store"} 1"#,
      "hearth_present_devices 3", #"hearth_radio_info{adapter="hci0",address="",bus="UART"} 1"#,
      #"hearth_radio_state{state="ready"} 1"#, #"hearth_radio_state{state="down"} 0"#, "hearth_radio_links 2",
      "hearth_radio_slots 5", "hearth_radio_scanning 1", "hearth_radio_heard_age_seconds 0.25",
      #"hearth_radio_recoveries_total{step="power off and on"} 1"#, "hearth_radio_hangs_total 1",
      "hearth_radio_scan_restarts_total 4", #"hearth_radio_happenings_total{what="connect.attempts"} 9"#,
      "hearth_link_attempts_total 12", "hearth_links_made_total 7", "hearth_links_lost_total 2",
      "hearth_lane_queue_length 2", "hearth_lane_held 1", #"hearth_lane_holder{device="insole-01"} 1"#,
      "hearth_lane_wait_longest_seconds 2.5", #"hearth_visits_total{outcome="done"} 5"#,
      #"hearth_visits_total{outcome="no_room"} 1"#, #"hearth_visits_total{outcome="silent"} 0"#,
      "hearth_loop_wakeups_total 77", "hearth_loop_turn_longest_seconds 0.0125",
      "hearth_process_cpu_seconds_total 4.25", "hearth_process_resident_memory_bytes 13000000",
    ] { #expect(lines.contains(line), "\(line)") }
    #expect(!valueLines(moment([])).contains { $0.contains("lane_holder") || $0.contains("hearth_loop") })
    let down = valueLines(moment([]) { $0.radioState = .down(.adapterMissing) })
    #expect(down.contains(#"hearth_radio_state{state="down"} 1"#))
    #expect(down.contains(#"hearth_radio_state{state="ready"} 0"#))
  }

  @Test("everything that it says of the store and the card is what its status has")
  func store() {
    let lines = valueLines(
      moment([]) { _ in
      } store: { store in
        (store.fileBytes, store.usedBytes, store.freeBytes, store.pageBytes) = (655_360, 409_600, 245_760, 4096)
        (store.storedLive, store.storedFetched) = (1200, 34)
        store.events = [4101: 2, 2104: 9, 65_000: 1]
        (store.evictedSinceStart, store.evictedUnexportedSinceStart, store.droppedSamples) = (50, 20, 3)
        store.journalOldest = ago(90)
        store.oldest = ago(86_400)
        store.wear = WearStatus(bytesToday: 5, budgetPerDay: 150_000_000, odometer: 7_000_000, forecastPerYear: nil)
        store.trouble = HearthError(.storeFull, "full")
      })
    for line in [
      "hearth_store_limit_bytes 1000000", "hearth_store_file_bytes 655360", "hearth_store_used_bytes 409600",
      "hearth_store_page_size_bytes 4096", #"hearth_store_pages{state="used"} 100"#,
      #"hearth_store_pages{state="free"} 60"#, "hearth_store_fullness_ratio 0.4096", "hearth_store_healthy 0",
      "hearth_store_journal_oldest_age_seconds 90", "hearth_store_oldest_sample_age_seconds 86400",
      #"hearth_samples_stored_total{origin="live"} 1200"#, #"hearth_samples_stored_total{origin="fetched"} 34"#,
      #"hearth_samples_lost_total{code="H4101",area="store"} 20"#,
      #"hearth_samples_lost_total{code="H4199",area="store"} 3"#, "hearth_store_evicted_samples_total 50",
      #"hearth_events_total{code="H2104",area="link"} 9"#, #"hearth_events_total{code="H4101",area="store"} 2"#,
      "hearth_card_written_bytes_total 7000000", "hearth_card_written_today_bytes 5",
      "hearth_card_budget_bytes 150000000", #"hearth_store_commits_total{cause="time"} 0"#,
    ] { #expect(lines.contains(line), "\(line)") }
    #expect(!lines.contains { $0.contains("65000") })
  }

  @Test("of a wearable it says how it is, exactly this, and neither what it measures nor its wearer")
  func devices() {
    let lines = valueLines(
      moment([
        device("strap-07", .attention) { device in
          device.battery = 38
          device.batteryRead = ago(60)
          device.lastSeen = ago(1)
          device.lastValue = ago(2)
          device.rssi = -62
          device.heartRate = (142, ago(2))
          device.wearer = "Ada"
          (device.model, device.firmware) = ("H10", "3.3.1")
          device.counters = [
            ("attempts", 3), ("links", 2), ("losses", 1), ("samples", 99), ("malformed_values", 1), ("impossible", 2),
            ("too_many", 4), ("over_share", 8), ("anomalies", 16),
          ]
          var visit = VisitSnapshot(number: 4, wearable: "strap-07", trigger: .schedule, began: ago(120))
          visit.ended = ago(100)
          device.lastVisit = visit
        }
      ])
    ).filter { $0.hasPrefix("hearth_device") }
    #expect(
      lines == [
        #"hearth_device_info{device="strap-07",kind="HR strap",model="H10",firmware="3.3.1"} 1"#,
        #"hearth_device_state{device="strap-07",state="attention"} 1"#,
        #"hearth_device_attention{device="strap-07"} 1"#,
        #"hearth_device_seen_age_seconds{device="strap-07"} 1"#,
        #"hearth_device_value_age_seconds{device="strap-07"} 2"#,
        #"hearth_device_visit_age_seconds{device="strap-07"} 100"#,
        #"hearth_device_battery_ratio{device="strap-07"} 0.38"#,
        #"hearth_device_battery_age_seconds{device="strap-07"} 60"#,
        #"hearth_device_rssi_dbm{device="strap-07"} -62"#,
        #"hearth_device_link_attempts_total{device="strap-07"} 3"#,
        #"hearth_device_links_made_total{device="strap-07"} 2"#,
        #"hearth_device_links_lost_total{device="strap-07"} 1"#,
        #"hearth_device_samples_total{device="strap-07"} 99"#,
        #"hearth_device_values_dropped_total{device="strap-07"} 15"#,
      ])
  }

  @Test("what a clock that was set back makes come from the future is of now")
  func clock() {
    let lines = valueLines(moment([device("a", .live) { $0.lastSeen = ago(-3600) }]))
    #expect(lines.contains(#"hearth_device_seen_age_seconds{device="a"} 0"#))
  }

  @Test("every family is named as OpenMetrics wants it, and no two clash")
  func names() {
    var reserved: Set<String> = []
    let moment = moment([device("a", .live)])
    for family in MetricsSnapshot.parts.flatMap({ $0(moment) }) {
      #expect(family.name.wholeMatch(of: /hearth(_[a-z0-9]+)+/) != nil, "\(family.name)")
      for suffix in ["_total", "_created", "_info_info", "_bucket", "_count", "_sum"] {
        #expect(!family.name.hasSuffix(suffix), "\(family.name)")
      }
      if let unit = family.unit { #expect(family.name.hasSuffix("_\(unit.rawValue)"), "\(family.name)") }
      for unit in ["seconds", "bytes", "ratio"] where family.name.hasSuffix("_\(unit)") {
        #expect(family.unit?.rawValue == unit, "\(family.name)")
      }
      #expect(family.help.hasSuffix(".") && family.help.count <= 120, "\(family.help)")
      // Names that values of a counter may have belong to it alone.
      for name in family.kind == .counter ? ["", "_total", "_created"] : [""] {
        #expect(reserved.insert(family.name + name).inserted, "\(family.name)\(name)")
      }
    }
    #expect(reserved.count > 60)
  }

  @Test("512 wearables of the longest names are a megabyte and a half at most; more, and candidates, are not listed")
  func bounded() {
    let long = String(repeating: "\"", count: 28)
    let devices = (0..<600).map { number in
      device("\(number)\(long)", .live) { device in
        device.kind = String(repeating: "k", count: 64)
        (device.model, device.firmware) = (String(repeating: "\"", count: 128), String(repeating: "\"", count: 128))
        (device.battery, device.batteryRead, device.lastSeen, device.lastValue) = (99, ago(9), ago(9_999_999), ago(9))
        (device.rssi, device.memoryFree) = (-120, .max)
        device.counters = [
          ("attempts", .max), ("links", .max), ("losses", .max), ("samples", .max), ("too_many", .max),
        ]
        if number < 3 { device.isEnrolled = false }
      }
    }
    let text = moment(devices).text(.prometheus)
    #expect(text.count < 1_500_000, "\(text.count) bytes")
    let info = valueLines(moment(devices)).filter { $0.hasPrefix("hearth_device_info") }
    #expect(info.count == 512)
    #expect(info.first?.hasPrefix(#"hearth_device_info{device="3\""#) == true)
  }
}
