import Bluetooth
import Control
import Export
import Foundation
import Health
import Hub
import HubProtocol
import Lights
import Reasons
import StoreDocuments
import Testing
import Wearable

@testable import EventLoop
@testable import RingStore
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

private func ago(_ seconds: Int) -> WallTime { now + .seconds(-seconds) }

private func address(_ last: UInt64) -> BluetoothAddress {
  BluetoothAddress(value: 0xF0F1_F2F3_F400 + last, kind: .leRandom)
}

private func wearable(
  _ name: String, _ state: WearableState, last: UInt64 = 0, _ change: (inout WearableSnapshot) -> Void = { _ in }
) -> DeviceDocument {
  var snapshot = WearableSnapshot(
    name: name, address: address(last), kind: "HR strap", state: state, isEnrolled: state != .candidate)
  change(&snapshot)
  return DeviceDocument(snapshot)
}

private func storeDocument(_ change: (inout StoreStatus) -> Void = { _ in }) -> StoreDocument {
  var status = StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000)
  fill(&status)
  change(&status)
  return StoreDocument(status, wearables: 31, daemon: true)
}

private func fill(_ status: inout StoreStatus) {
  status.usedBytes = 412_300_000
  status.samples = 1_204_992
  status.oldest = ago(27 * 86_400)
  status.newest = ago(1)
  status.wear = WearStatus(
    bytesToday: 38_000_000, budgetPerDay: 150_000_000, odometer: 1_200_000_000, forecastPerYear: 14_000_000_000)
  status.fileBytes = 432_000_000
  status.freeBytes = 19_700_000
  status.readerSlotsUsed = 1
  status.readerSlots = 126
  status.journalBytes = 1_200_000
  status.journalOldest = ago(180)
  status.unexported = 12_000
  status.lastCommit = ago(4)
  status.commits = 5760
  status.pendingSamples = 62
  status.pendingBytes = 310
}

private func status(
  _ change: (inout HubSnapshot) -> Void = { _ in },
  enrolment: EnrolmentSnapshot = EnrolmentSnapshot(mode: .window, nearRSSI: -55)
) -> StatusDocument {
  let facts = RadioFacts(adapter: "hci0", bus: "onboard", links: 5, slots: 7, isScanning: true)
  var hub = HubSnapshot(
    name: "gym-north", phase: .serving, startedAt: ago(532_800), uptime: .seconds(6 * 86_400 + 4 * 3600 + 59),
    radioState: .ready, radio: facts)
  hub.enrolled = 31
  hub.present = 22
  hub.live = 5
  hub.clockIsSynchronised = true
  change(&hub)
  return StatusDocument(hub, enrolment: enrolment, store: storeDocument(), now: now, zone: .utc)
}

private func widest(_ text: String) -> Int { text.split(separator: "\n").map { columns(String($0)) }.max() ?? 0 }

private func wholeStore() -> StoreDocument {
  func ring(
    _ wearable: UInt32, _ series: Series, _ bytes: Int, _ quota: Int, days: Int, perDay: Int,
    _ retention: (Duration?, WhenFull), full: Bool = false
  ) -> RingStatus {
    RingStatus(
      id: RingID(wearable: WearableID(number: wearable), seriesNumber: series.id, way: .fetched), items: 600_000,
      chunks: 10, bytes: bytes,
      retention: Retention(quota: quota, keep: retention.0, whenFull: retention.1), oldest: ago(days * 86_400),
      newest: ago(1), unexported: 6000, evicted: 0,
      evictedUnexported: 0, evictedFrom: nil, evictedTo: nil, purged: 0, bytesPerDay: perDay, refuses: full)
  }
  let month: Duration = .seconds(30 * 86_400)
  let rings = [
    ring(1, .heartRate, 30_000_000, 150_000_000, days: 27, perDay: 2_200_000, (month, .evict)),
    ring(2, .heartRate, 31_000_000, 150_000_000, days: 26, perDay: 2_200_000, (month, .evict)),
    ring(2, .acc, 980_000_000, 1_000_000_000, days: 9, perDay: 24_000_000, (nil, .refuse), full: true),
  ]
  let readers = [
    ExportReader(name: "old", createdAt: ago(90_000), confirmedAt: ago(80_000)),
    ExportReader(name: "ward", createdAt: ago(9000), confirmedAt: ago(7200), items: 1_192_992, by: "pi@10.0.0.5"),
  ]
  let records = (1...2).map {
    WearableRecord(
      id: WearableID(number: $0), addressValue: UInt64($0), addressKind: 2, name: "strap-0\($0)", driver: "heart-rate",
      kind: "HR strap", enrolledAt: now)
  }
  var status = StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000)
  fill(&status)
  return StoreDocument(
    status, rings: rings, readers: readers, names: SampleExport(.ndjson, wearables: records), wearables: 31,
    daemon: true)
}

@Suite("What the command line prints")
struct CLIRenderingTests {
  @Test("a wearable that is about to move to another driver says so, and one without such a move is silent")
  func movingDriver() {
    let moving = render(
      wearable("strap-07", .live) { ($0.driver, $0.nextDriver) = ("heart-rate", "polar-strap") }, hubTime, .plain)
    #expect(moving.contains("driver         heart-rate; with its next link polar-strap\n"))
    #expect(!render(wearable("strap-08", .candidate), hubTime, .plain).contains("driver"))
  }

  @Test("what can be had of a wearable is a row for each thing, what cannot is named once")
  func capabilities() {
    var all = WearableCapabilities([.live, .recorded, .streamed, .denser], [.acc])
    all.insert([.live, .history, .monitoring, .restAlert], [.heartRate])
    all.insert([.history, .monitoring, .monitoringWindow, .monitoringInterval], [.spo2])
    all.insert(.live, [.battery])
    all.insert(.onDemand, [.stress])
    all.insert(.live, [.rrInterval])
    let page = render(
      wearable("band-01", .live) { ($0.capabilities, $0.cameLive) = (all, [.heartRate, .battery]) }, hubTime, .plain)
    #expect(
      page.hasSuffix(
        """
        sends          heart_rate, battery
        none came of   rr_interval
        when ordered   acc
        measures       stress
        records        acc
        keeps          heart_rate, spo2
        by itself      heart_rate, spo2 (when and how often can be ordered)
        denser mode    acc
        warns at rest  heart_rate
        has no         values at rest, warnings in sport

        """), "\(page)")
    let nothing = render(
      wearable("band-01", .live) { $0.capabilities = WearableCapabilities() }, hubTime, .plain)
    #expect(nothing.hasSuffix("can            no feature that this hub uses\n"))
  }

  @Test("before its first link its state is said to be unknown; a wearable that is not enrolled has no such line")
  func capabilitiesUnknown() {
    let page = render(wearable("band-01", .due), hubTime, .plain)
    #expect(page.hasSuffix("can            not known yet: it says so over a link\n"), "\(page)")
    #expect(!render(wearable("band-01", .candidate), hubTime, .plain).contains("not known yet"))
  }

  @Test("a hub that is fine fits on one screen")
  func fine() {
    let document = status()
    #expect(!needsAttention(document))
    #expect(
      render(document, hubTime, .plain) == """
        hub gym-north   serving 6 d 4 h                       Hearth \(hearthVersion)
        radio  hci0 onboard   5 of 7 connections   listening
        wearables 31 enrolled   22 present   5 live
        visits none now, no wearable waits
        store  412 MB of 1.5 GB, oldest 27 d   38 MB written today (budget 150 MB)
        clock  2026-11-21 10:00:00 UTC   trusted (time server)

        """)
  }

  @Test("sizes as large as there are numbers for are shown, not added up to a crash")
  func largestSizes() throws {
    var store = wholeStore()
    store.usedBytes = .max
    store.limitBytes = .max
    for index in try #require(store.rings).indices {
      store.rings?[index].quotaBytes = .max
      store.rings?[index].bytes = .max
      store.rings?[index].bytesPerDay = .max
    }
    let text = render(store, hubTime, .plain)
    #expect(text.contains("(100 %)"))
    #expect(text.contains(" 9223372037 GB / 9223372037 GB"), "\(text)")
  }

  @Test("trouble is named with its code and the next step")
  func trouble() {
    let window = EnrolmentSnapshot(mode: .window, openUntil: now + .seconds(87), secondsLeft: 87, nearRSSI: -55)
    let document = status(
      { hub in
        hub.radioState = .down(.adapterBlocked)
        hub.laneHolder = "strap-12"
        hub.laneQueue = ["strap-07", "strap-31"]
        hub.clockIsSynchronised = false
        hub.clockIsPlausible = false
        hub.attention = [
          Attention(wearable: "strap-19", trouble: HearthError(.keyMissing, "strap-19 no longer knows our key")),
          Attention(wearable: nil, trouble: HearthError(.adapterBlocked, "hci0 is blocked by rfkill")),
        ]
      }, enrolment: window)
    #expect(needsAttention(document))
    let text = render(document, hubTime, .plain)
    let lines = text.split(separator: "\n")
    #expect(lines[1].hasPrefix("radio  hci0   H3103 "))
    #expect(lines[2] == "wearables 31 enrolled   22 present   5 live   1 needs attention")
    #expect(lines[3] == "visits connecting strap-12   next: strap-07   2 wait")
    #expect(lines[4] == "enrol  window open, 87 s left   no new wearable heard")
    #expect(lines[6] == "clock  2026-11-21 10:00:00 UTC   not trusted; samples are kept, their times marked unsure")
    #expect(lines[7].hasPrefix("! strap-19  H2207 "))
    #expect(lines[7].hasSuffix(" -> hearth explain H2207"))
    #expect(lines[8].hasPrefix("! hub  H3103 "))
    #expect(widest(folded(text, 80)) <= 80)
  }

  @Test("the table of wearables has a row for every state")
  func table() {
    let devices = [
      wearable("strap-01", .live) {
        $0.rssi = -58
        $0.battery = 81
        $0.lastSeen = ago(1)
        $0.heartRate = (72, now)
      },
      wearable("strap-02", .due, last: 1) {
        $0.rssi = -101
        $0.battery = 100
        $0.lastSeen = ago(59)
      },
      wearable("strap-03", .waiting, last: 2) {
        $0.lastSeen = ago(4 * 60)
        $0.trouble = HearthError(.failedToEstablish, "x")
        $0.nextTry = now + .seconds(12)
      },
      wearable("strap-04", .absent, last: 3) { $0.lastSeen = ago(27 * 86_400) },
      wearable("strap-05", .connecting, last: 4),
      wearable("Somebody's watch 9000", .candidate, last: 5) {
        $0.rssi = -71
        $0.lastSeen = now
      },
      wearable("strap-06", .linked, last: 6) {
        $0.lastSeen = ago(100)
        $0.lastValue = ago(100)
      },
      wearable("strap-07", .linked, last: 7),
    ]
    #expect(
      renderTable(devices, hubTime, .plain) == """
        NAME                   KIND        SEEN  RSSI   BATT  STATE
        strap-01               HR strap     1 s   -58   81 %  live, 72 bpm
        strap-02               HR strap    59 s  -101  100 %  visit due
        strap-03               HR strap   4 min     -      -  H2106 next try in 12 s
        strap-04               HR strap    27 d     -      -  away
        strap-05               HR strap       -     -      -  connecting
        Somebody's watch 9000  HR strap     0 s   -71      -  not enrolled
        strap-06               HR strap   1 min     -      -  connected, silent 1 min
        strap-07               HR strap       -     -      -  connected

        """)
    #expect(renderTable([], hubTime, .plain).contains("hearth enroll open"))
  }

  @Test("the table of a gym leaves out the signal at 80 columns, so that no row is broken")
  func narrowTable() {
    let devices = [("strap-02", "HR strap"), ("insole-01", "insole"), ("tracker-01", "optical sensor")].map { one in
      var snapshot = WearableSnapshot(
        name: one.0, address: address(0), kind: one.1, state: .live, isEnrolled: true)
      snapshot.heartRate = (102, now)
      (snapshot.rssi, snapshot.memoryFree) = (-50, 15_000_000)
      return DeviceDocument(snapshot)
    }
    let narrow = renderTable(devices, hubTime, Style(isColoured: false, width: 80))
    #expect(folded(narrow, 80) == narrow && !narrow.contains("RSSI") && !narrow.contains("-50"))
    let rows = narrow.split(separator: "\n").dropFirst()
    #expect(rows.allSatisfy { $0.hasSuffix("   live, 102 bpm") } && Set(rows.map(\.count)).count == 1, "\(narrow)")
    #expect(renderTable(devices, hubTime, Style(isColoured: false, width: 120)).contains("RSSI"))
  }

  @Test("data that a wearable holds and no driver can read is shown whatever it does, also while it is away")
  func locked() {
    let trouble = HearthError(.itemLocked, "10 files of sense-01 are encrypted, and the hub has no key")
    for (state, shown) in [(WearableState.due, "visit due H2130"), (.absent, "away H2130"), (.live, "live H2130")] {
      let device = wearable("sense-01", state) { $0.trouble = trouble }
      #expect(renderTable([device], hubTime, .plain).split(separator: "\n").last?.hasSuffix("  \(shown)") == true)
      let page = render(device, hubTime, .plain)
      #expect(
        page.contains("H2130 visit: 10 files of sense-01 are encrypted")
          || page.contains("10 files of sense-01 are encrypted"))
      #expect(page.contains("next: give the hub its key: hearth settings NAME set secret"))
    }
    let torn = wearable("sense-02", .absent) {
      $0.trouble = HearthError(.itemDefective, "a file of sense-02 cannot be read; it is kept as it is")
    }
    #expect(renderTable([torn], hubTime, .plain).split(separator: "\n").last?.hasSuffix("  away H2124") == true)
    #expect(render(torn, hubTime, .plain).contains("a file of sense-02 cannot be read"))
    // A lost link is no evidence about a wearable that went home.
    let gone = wearable("strap-01", .absent) { $0.trouble = HearthError(.linkLost, "x") }
    #expect(renderTable([gone], hubTime, .plain).split(separator: "\n").last?.hasSuffix("  away") == true)
  }

  @Test("names from the air cannot drive a terminal, break a table or leave the screen")
  func hostileNames() {
    let names = [
      "\u{1B}[2J\u{1B}]0;owned\u{7}", "a\nb\rc\td", "\u{202E}gnp.exe", String(repeating: "W", count: 512),
      "\u{9B}31mred", "漢字漢字漢字漢字漢字漢字", "é\u{301}\u{301}\u{301}", "\0",
    ]
    for name in names {
      let device = wearable(name, .attention) { snapshot in
        snapshot.manufacturer = name
        snapshot.trouble = HearthError(.keyMissing, name)
      }
      var enrolment = EnrolmentSnapshot(mode: .window, openUntil: now, secondsLeft: 5, nearRSSI: -55)
      enrolment.candidates = [
        .init(letter: "A", name: name, address: address(1), kind: name, rssi: -41, isNear: true, proposedName: name)
      ]
      let document = status { hub in
        hub.name = name
        hub.laneHolder = name
        hub.attention = [Attention(wearable: name, trouble: HearthError(.keyMissing, name))]
      }
      let sample: JSON = [
        "device": .string(name), "series": .string(name), "time": .string(name), "value": .string(name),
        "unit": .string(name),
      ]
      let texts = [
        renderTable([device], hubTime, .plain, verbose: true), render(device, hubTime, .plain, verbose: true),
        render(EnrolmentDocument(enrolment), .plain),
        render(document, hubTime, .plain, verbose: true), LiveLines.scalar(sample, hubTime),
      ]
      for text in texts {
        #expect(
          text.unicodeScalars.allSatisfy {
            $0 == "\n" || !($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
          }, "\(text.debugDescription)")
      }
      #expect(renderTable([device], hubTime, .plain).split(separator: "\n").count == 2)
      // A word that is longer than the screen is not cut.
      for text in texts where name.count < 400 { #expect(widest(folded(text, 80)) <= 80, "\(text)") }
      #expect(
        JSON(encoding: device).pretty.unicodeScalars.allSatisfy {
          $0 == "\n" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
        })
    }
  }

  @Test("one wearable shows what is known and leaves out what is not")
  func device() {
    let document = wearable("strap-01", .live) {
      $0.rssi = -58
      $0.lastSeen = now
      $0.absentAfter = .seconds(25 * 3600)
      $0.battery = 80
      $0.batteryRead = ago(3 * 3600)
      $0.heartRate = (72, ago(1))
      $0.linkedSince = ago(3 * 3600 + 12 * 60)
      $0.manufacturer = "Polar"
      $0.oddities = [OddValues(what: "scale: a weight that had not settled, left out", count: 3, last: ago(5))]
      $0.counters = [("samples", 60), ("malformed", 0)]
    }
    #expect(
      render(document, hubTime, .plain, verbose: true) == """
        strap-01   HR strap   live, 72 bpm
        address        F0:F1:F2:F3:F4:00 (random)
        enrolled       yes
        seen           0 s ago
        may be away    for 1 d 1 h; then it is missing
        signal         -58 dBm
        battery        80 %, read 3 h ago
        heart rate     72 bpm, 1 s ago
        linked         for 3 h 12 min
        maker          Polar
        odd values     3 × scale: a weight that had not settled, left out, 5 s ago
        can            not known yet: it says so over a link
        count  samples                                  60

        """)
  }

  @Test("a link without values shows no rate, but when the last value came")
  func silent() {
    let document = wearable("strap-01", .linked) {
      $0.lastSeen = ago(400)
      $0.lastValue = ago(400)
      $0.linkedSince = ago(3 * 3600 + 12 * 60)
    }
    #expect(document.heartRate == nil && document.lastValueAt == ago(400).rfc3339)
    #expect(
      render(document, hubTime, .plain) == """
        strap-01   HR strap   connected, silent 6 min
        address        F0:F1:F2:F3:F4:00 (random)
        enrolled       yes
        seen           6 min ago
        may be away    for ever
        last value     6 min ago
        linked         for 3 h 12 min
        can            not known yet: it says so over a link

        """)
  }

  @Test("one that needs a person says so while its link is up, and one that is missing says for how long")
  func tellsPeople() {
    var lost = wearable("strap-01", .attention) {
      $0.heartRate = (72, ago(1))
      $0.trouble = HearthError(.pairingRefused, "strap-01 refused")
    }
    #expect(stateText(lost, now).hasPrefix("H2208 ") && stateText(lost, now).hasSuffix(", live, 72 bpm"))
    lost.measuring = true
    #expect(stateText(lost, now).hasSuffix(", live, 72 bpm, measuring"))
    let away = wearable("strap-02", .missing) {
      $0.lastSeen = ago(3 * 86_400)
      $0.absentAfter = .seconds(3600)
      $0.absenceChoice = .seconds(3600)
      $0.trouble = HearthError(.wearableMissing, "strap-02: not heard for 3 d")
    }
    let row = renderTable([away], hubTime, .plain).split(separator: "\n").last ?? ""
    #expect(row.contains("3 d") && row.hasSuffix("missing H2140"), "\(row)")
    let page = render(away, hubTime, .plain)
    #expect(page.contains("may be away    for 1 h; then it is missing (an operator's choice)"))
    #expect(page.contains("H2140") && page.contains("hearth device NAME absent-after never"))
    #expect(!isPresent(away) && [lost, away].allSatisfy { needsPerson($0) })
  }

  @Test("an open window says which wearables may be accepted and which are too far")
  func enrolment() {
    var snapshot = EnrolmentSnapshot(mode: .window, openUntil: now, secondsLeft: 120, nearRSSI: -55)
    #expect(
      render(EnrolmentDocument(snapshot), .plain) == """
        window open 120 s; hold one wearable close to the hub
        no new wearable is heard yet; look again with: hearth enroll list

        """)
    snapshot.candidates = [
      .init(
        letter: "A", name: "Polar H10 1F2C", address: address(1), kind: "HR strap", rssi: -63, isNear: false,
        proposedName: "strap-03"),
      .init(
        letter: "B", name: "HRM 03A7", address: address(2), kind: "HR strap", rssi: -41, isNear: true,
        proposedName: "strap-03"),
    ]
    #expect(
      render(EnrolmentDocument(snapshot), .plain) == """
        window open 120 s; hold one wearable close to the hub
         A  Polar H10 1F2C      HR strap         -63 dBm  too far (needs -55 dBm)
         B  HRM 03A7            HR strap         -41 dBm  near -> strap-03
        accept with: hearth enroll accept B [--name NAME]

        """)
    #expect(
      render(EnrolmentDocument(EnrolmentSnapshot(mode: .closed, nearRSSI: -55)), .plain)
        == "closed by the configuration (enroll.mode)\n")
  }

  @Test("the store says how full and how old it is, and what it lost")
  func store() {
    #expect(
      render(wholeStore(), hubTime, .plain) == """
        store  412 MB of 1.5 GB (27 %)   1 204 992 samples   31 wearables
        range  2026-10-25 10:00:00 to 2026-11-21 09:59:59 UTC   oldest 27 d
        commit last 4 s ago   5 760 commits, 0 failed
        memory 62 samples (310 B) wait for the next commit
        file   432 MB, of it 20 MB free   1 of 126 read slots in use

        SERIES            DEVICES       SIZE / QUOTA  OLDEST  RATE/DAY  EVICTS
        (new, live)             -         1.2 MB / -   3 min         -  to their series
        acc                     1    980 MB / 1.0 GB     9 d     24 MB  refuse, full
        heart_rate              2     61 MB / 300 MB    27 d    4.4 MB  oldest, > 30 d
        shared                  -        -630 MB / -       -         -  shared pages
        in all                  -    412 MB / 1.5 GB    27 d         -
        card   38 MB written today (budget 150 MB)   forecast 14 GB a year   1.2 GB ever
        export 12 000 samples that no export has confirmed   last 2 h ago by pi@10.0.0.5
        H4102  acc of strap-02 is left on the wearable: its share of the store is full
        path   /var/lib/hearth

        """)
    #expect(widest(folded(render(wholeStore(), hubTime, .plain, verbose: true), 80)) <= 80)
    var onCard = wholeStore()
    (onCard.wear.cardBytes, onCard.wear.cardBears) = (31_914_983_424, 3_191_498_342_400)
    let share = "       0.44 % a year of what a card of 32 GB bears\n"
    #expect(render(onCard, hubTime, .plain).contains("1.2 GB ever\n" + share))
    onCard.wear.forecastPerYear = 1_500_000_000_000
    #expect(render(onCard, hubTime, .plain).contains("\n       47 % a year of what"))
    onCard.wear.forecastPerYear = 1
    #expect(render(onCard, hubTime, .plain).contains("\n       0.01 % a year of what"))
    let damaged = storeDocument {
      $0.evictedSamples = 1200
      $0.evictedUnexported = 30
      $0.evictedFrom = ago(86_400)
      $0.evictedTo = ago(3600)
      $0.corruptChunks = 1
      $0.droppedSamples = 7
      $0.stagedBytes = 1_300_000
      $0.stagedGivenUp = 64_000
      $0.custodyGivenWay = 1
    }
    let text = render(damaged, hubTime, .plain)
    #expect(needsAttention(damaged) && !needsAttention(storeDocument()))
    #expect(
      text.contains(
        """
        evicted 1 200 samples, 30 of them never exported\n       of 2026-11-20 10:00:00 to \
        2026-11-21 09:00:00\n
        """
      ))
    let over = storeDocument { $0.wear.bytesToday = 150_000_001 }
    #expect(
      needsAttention(over)
        && render(over, hubTime, .plain).contains("H4110  more was written to the card today than its budget\n"))
    #expect(needsAttention(wholeStore()))
    #expect(text.contains("staged 1.3 MB of items that are not whole yet   64 KB given up, fetched again\n"))
    #expect(text.contains("lost   7 samples that the disk did not take\n"))
    #expect(text.contains("damage 1 chunk with a wrong checksum, not served\n"))
  }

  @Test(
    "the lights are explained line by line, with the night if LEDs cannot be dimmed, and the legend has all of them"
  )
  func lights() {
    var state = LightState()
    state.phase = .serving
    state.links = 5
    state.evictingUnexported = true
    let reason = Reason.storeEvicting.text
    #expect(
      render(LightsDocument(arbitrate(state, .gym)), .plain) == """
        HUB    heartbeat          serving
        LINK   steady             5 links; a dip is a finished visit
        STORE  code 2             evicting samples that were never exported        H4101

        """ + wrapped(reason.sentence, indent: "       ") + wrapped("next: " + reason.next, indent: "       "))
    var late = LightsDocument(arbitrate(state, .gym))
    for place in late.lights.indices where late.lights[place].code != nil { late.lights[place].over = true }
    let said = render(late, .plain)
    #expect(said.contains("H4101, over by now: an LED shows it for ten seconds\n") && !said.contains("next:"))
    let atNight = render(LightsDocument(arbitrate(state, .gym), night: .cannotDim), .plain)
    #expect(atNight.hasSuffix("night  the LEDs shine as by day: the board has no dimmer (lights.night)\n"))
    #expect(widest(atNight) <= 80)
    for language in LightLanguage.allCases {
      let text = renderLegend(language)
      #expect(widest(folded(text, 80)) <= 80)
      #expect(
        legend(language).allSatisfy {
          text.contains($0.pattern.name) && $0.codes.split(separator: ", ").allSatisfy { text.contains($0) }
        })
    }
  }

  @Test("every reason can be explained in 80 columns but for its next step")
  func reasons() {
    for reason in Reason.allCases {
      let text = render(reason)
      #expect(text.hasPrefix("\(reason.code) \(reason.text.area): "))
      #expect(
        text.split(separator: "\n").filter { !$0.hasPrefix("next") && !$0.hasPrefix("samples") && !$0.hasPrefix("H") }
          .allSatisfy { columns(String($0)) <= 80 })
    }
  }

  @Test("colour is used only if the style allows it")
  func colour() {
    let document = status { $0.attention = [Attention(wearable: "a", trouble: HearthError(.keyMissing, "x"))] }
    #expect(render(document, hubTime, Style(isColoured: true)).contains("\u{1B}[33m! a  H2207"))
    #expect(!render(document, hubTime, .plain).contains("\u{1B}"))
  }

  @Test(
    "spans and sizes are short and have units",
    arguments: [
      (-5, "0 s", "0 s"), (59, "59 s", "59 s"), (60, "1 min", "1 min"), (3599, "59 min", "59 min"),
      (3600, "1 h", "1 h"), (11_520, "3 h 12 min", "3 h"),
      (86_400, "1 d", "1 d"), (6 * 86_400 + 4 * 3600, "6 d 4 h", "6 d"), (27 * 86_400, "27 d", "27 d"),
    ])
  func spans(seconds: Int, long: String, short: String) {
    #expect(span(seconds) == long)
    #expect(shortSpan(seconds) == short)
  }

  @Test(
    "sizes are in powers of 1000",
    arguments: [
      (0, "0 B"), (310, "310 B"), (999, "999 B"), (1000, "1.0 KB"), (4096, "4.1 KB"), (38_000_000, "38 MB"),
      (999_600_000, "1.0 GB"), (1_500_000_000, "1.5 GB"),
      (2_000_000_000_000, "2000 GB"),
    ])
  func sizes(bytes: Int, text: String) { #expect(size(bytes) == text) }

  @Test("an export line of the socket is the line of the store, and a row of a table on request")
  func exportLines() throws {
    let ndjson =
      #"{"device":"strap-01","address":"F0:F1:F2:F3:F4:00","series":"rr_interval","time":"2026-11-21T10:00:00.123Z","value":923.828125,"unit":"ms","origin":"live"}"#
    let sample = try JSON.parse(Array(ndjson.utf8))
    func line(_ sample: JSON, _ format: SampleExport.Format) throws -> String {
      var bytes: [UInt8] = []
      let row = try #require(ExportRow(sample))
      if format == .csv { row.appendCSV(to: &bytes) } else { row.appendLine(to: &bytes) }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(try line(sample, .ndjson) == ndjson + "\n")
    #expect(
      try line(sample, .csv)
        == "strap-01,F0:F1:F2:F3:F4:00,rr_interval,2026-11-21T10:00:00.123Z,923.828125,ms,live,,,,,,,,,,,\n")
    let odd: JSON = [
      "device": "a,\"b\"", "address": .null, "series": "new", "time": "2026-11-21T10:00:00.123Z",
      "value": .array([.array([1, -2]), .array([3, .decimal("0.5")])]), "manual": true, "period_ns": 20_000_000,
      "newer": .array([1, "a"]),
    ]
    #expect(
      try line(odd, .csv)
        == "\"a,\"\"b\"\"\",,new,2026-11-21T10:00:00.123Z,1;-2;3;0.5,,,,true,,,,20000000,,,,,\n")
    #expect(
      try line(odd, .ndjson)
        == #"{"device":"a,\"b\"","series":"new","time":"2026-11-21T10:00:00.123Z","value":[[1,-2],[3,0.5]],"#
        + #""origin":"","manual":true,"period_ns":20000000,"newer":[1,"a"]}"# + "\n")
    #expect(ExportRow(["device": "strap-01", "series": "heart_rate", "time": "then"]) == nil)
  }

  @Test(
    "exit codes are those of the manual",
    arguments: [
      (Reason.daemonDown, 3), (.controlNotAllowed, 4), (.noSuchWearable, 5), (.enrolNotHeard, 5),
      (.controlTooManyClients, 6), (.storeInUse, 6),
      (.controlBadParameter, 2), (.enrolTooFar, 1), (.purgeCountDiffers, 7), (.storeRefusing, 1),
    ])
  func exits(reason: Reason, code: Int) { #expect(reason.exitStatus == Int32(code)) }
}
