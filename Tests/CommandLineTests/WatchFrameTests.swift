import Bluetooth
import Control
import Export
import Health
import Hub
import HubProtocol
import Lights
import Reasons
import StoreDocuments
import Testing

@testable import EventLoop
@testable import RingStore
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

private func ago(_ seconds: Int) -> WallTime { now + .seconds(-seconds) }

private func wearable(
  _ name: String, _ state: WearableState, last: UInt64, _ change: (inout WearableSnapshot) -> Void = { _ in }
) -> DeviceDocument {
  let address = BluetoothAddress(value: 0xF0F1_F2F3_F400 + last, kind: .leRandom)
  var snapshot = WearableSnapshot(
    name: name, address: address, kind: "HR strap", state: state, isEnrolled: state != .candidate)
  change(&snapshot)
  return DeviceDocument(snapshot)
}

private func visit() -> VisitSnapshot {
  var visit = VisitSnapshot(number: 8841, wearable: "band-12", trigger: .schedule, began: ago(28))
  (visit.stage, visit.itemsListed, visit.itemsDone) = (.fetch, 5, 2)
  (visit.item, visit.itemFetched, visit.itemSize) = ("20261120/R/0612/ACC.REC", 610, 1000)
  return visit
}

private func someWearables() -> [DeviceDocument] {
  [
    wearable("band-07", .due, last: 1) {
      $0.battery = 81
      $0.queued = QueueSnapshot(
        wearable: "band-07", why: "not visited for 40 min", notBefore: now + .seconds(20), trigger: .schedule)
    },
    wearable("band-12", .visiting, last: 2) {
      $0.battery = 64
      $0.visit = visit()
    },
    wearable("band-19", .attention, last: 3) {
      $0.battery = 55
      $0.trouble = HearthError(.keyMissing, "band-19 no longer knows our key")
    },
    wearable("band-31", .missing, last: 4) {
      $0.lastSeen = ago(3 * 86_400)
      $0.trouble = HearthError(.wearableMissing, "band-31: not heard for 3 d")
    },
    wearable("strap-03", .live, last: 5) { $0.heartRate = (72, now) },
    wearable("strap-04", .absent, last: 6) { $0.trouble = HearthError(.linkLost, "strap-04 fell silent") },
  ]
}

private func view(
  _ devices: [DeviceDocument] = someWearables(), events: Int = 2, _ change: (inout HubSnapshot) -> Void = { _ in },
  enrolment: EnrolmentSnapshot = EnrolmentSnapshot(mode: .window, nearRSSI: -55)
) -> ViewDocument {
  var hub = HubSnapshot(
    name: "gym-north", phase: .serving, startedAt: ago(532_800), uptime: .seconds(6 * 86_400 + 4 * 3600 + 59),
    radioState: .ready, radio: RadioFacts(adapter: "hci0", bus: "onboard", links: 5, slots: 7, isScanning: true))
  (hub.enrolled, hub.present, hub.live, hub.missing, hub.visit) = (31, 22, 5, 1, visit())
  hub.queue = ["band-07", "insole-R", "band-31", "strap-08", "strap-09"].map {
    QueueSnapshot(wearable: $0, why: "not visited for 40 min", notBefore: now + .seconds(20), trigger: .schedule)
  }
  hub.attention = [
    Attention(wearable: "band-19", trouble: HearthError(.keyMissing, "band-19 no longer knows our key")),
    Attention(wearable: "band-31", trouble: HearthError(.wearableMissing, "band-31: not heard for 3 d")),
  ]
  change(&hub)
  var store = StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000)
  (store.usedBytes, store.oldest) = (412_300_000, ago(27 * 86_400))
  store.wear = WearStatus(bytesToday: 38_000_000, budgetPerDay: 150_000_000, odometer: 1, forecastPerYear: nil)
  let status = StatusDocument(
    hub, enrolment: enrolment, store: StoreDocument(store, wearables: 31, daemon: true), now: now, zone: .utc)
  var lamps = LightState()
  (lamps.phase, lamps.links, lamps.attention) = (.serving, 5, .keyMissing)
  return ViewDocument(
    status: status, radio: RadioDocument(hub, wall: now, now: Instant(nanoseconds: 0)),
    lights: LightsDocument(arbitrate(lamps, .gym)), devices: devices, order: devices.map(\.address), visits: [],
    events: (0..<events).map { index in
      EventDocument(
        number: UInt64(100 - index), time: ago(30 + 60 * index).rfc3339, code: "H4101", area: "store",
        device: "band-0\(index)", text: "12 items deleted for room")
    })
}

private func model(_ view: ViewDocument = view()) -> WatchModel {
  var model = WatchModel()
  model.apply(view)
  return model
}

private func shown(_ model: WatchModel, _ columns: Int, _ rows: Int, _ reader: WatchReader = WatchReader()) -> String {
  let made = frame(model, reader, WatchSize(columns: columns, rows: rows), hubTime)
  #expect(made.lines.count == rows)
  #expect(made.lines.allSatisfy { $0.width <= columns && hearth.columns($0.text) == $0.width })
  return made.lines.map { line in
    String(line.text.reversed().drop { $0 == " " }.reversed()) + "\n"
  }.joined()
}

@Suite("A full-screen view as text")
struct WatchFrameTests {
  @Test(
    "at 80 x 24 it shows the hub's state, the visited and next wearable, activities with reasons, and the last event")
  func usual() {
    #expect(
      shown(model(), 80, 24) == """
        hub gym-north   serving 6 d 4 h                                        10:00 UTC
        radio  hci0 onboard   5 of 7 connections   listening
        visit  band-12   fetching   item 3 of 5   [############--------] 61 %
        next   band-07 in 20 s: not visited for 40 min   then insole-R, band-31, 2 more
        store  412 MB of 1.5 GB, oldest 27 d   38 MB written today (budget 150 MB)
        lights HUB heartbeat   LINK code 3 H2207   STORE off
        -- wearables: 31 enrolled, 22 present, 5 live, 1 missing, 1 needs attention ----
          NAME      STATE           BATTERY  WHY
        > band-19   needs a person     55 %  H2207 band-19 no longer knows our key
          band-31   missing 3 d           -  H2140 band-31: not heard for 3 d
          band-07   visit in 20 s      81 %  not visited for 40 min
          band-12   fetching 61 %      64 %  item 3 of 5
          strap-03  live, 72 bpm          -
          strap-04  away                  -






        -- last events -----------------------------------------------------------------
        09:59:30  H4101  band-00: 12 items deleted for room
        09:58:30  H4101  band-01: 12 items deleted for room
        d:devices v:visits s:store r:radio l:lights e:enrol x:why /:find ?:help q:quit

        """)
  }

  @Test("an event that was recorded after later ones stands at its own time, as in hearth events")
  func lateEvent() {
    var document = view()
    document.events?[0].time = ago(120).rfc3339
    let events = shown(model(document), 80, 24).split(separator: "\n").filter { $0.contains("H4101") }
    #expect(
      events == [
        "09:58:30  H4101  band-01: 12 items deleted for room", "09:58:00  H4101  band-00: 12 items deleted for room",
      ])
  }

  @Test(
    "at every size the lines are as many as the screen has, within its width, the keys last and the selected row shown",
    arguments: [(40, 10), (60, 15), (80, 24), (160, 50), (200, 12), (40, 100)], [0, 1, 60])
  func sizes(size: (Int, Int), count: Int) {
    let devices = (0..<count).map { index in
      wearable("strap-\(index)", index % 9 == 4 ? .attention : .live, last: UInt64(index)) { snapshot in
        if snapshot.state == .attention { snapshot.trouble = HearthError(.keyMissing, "x") }
      }
    }
    let model = model(view(devices, events: 20))
    var reader = WatchReader()
    for page in [WatchPage.overview, .devices, .visits, .store, .radio, .lights, .enrolment, .help, .explain("H2207")] {
      reader.page = page
      let text = shown(model, size.0, size.1, reader)
      #expect(text.contains("q:quit\n") && text.contains("?:help"), "\(text)")
    }
    reader.page = .overview
    for _ in 0..<count {
      let rows = shown(model, size.0, size.1, reader)
      #expect(rows.contains("\n> strap-"), "\(rows)")
      reader.top = frame(model, reader, WatchSize(columns: size.0, rows: size.1), hubTime).top
      _ = reader.take(.down, model)
    }
    if count == 0 { #expect(shown(model, size.0, size.1).contains("no wearable is enrolled")) }
  }

  @Test("a screen that is too small says how large it has to be")
  func small() {
    #expect(shown(model(), 39, 9).hasPrefix("this screen is 39 x 9; hearth watch\n       needs 40 x 10\n"))
  }

  @Test("wearables that need a person are first, then those here with a trouble, those here, those away, and strangers")
  func order() {
    let devices = [
      wearable("a", .candidate, last: 1), wearable("b", .absent, last: 2), wearable("c", .due, last: 3),
      wearable("d", .due, last: 4) { $0.trouble = HearthError(.linkLost, "x") }, wearable("e", .missing, last: 5),
      wearable("f", .attention, last: 6),
    ]
    #expect(model(view(devices)).shown("").map(\.name) == ["e", "f", "d", "c", "b", "a"])
    #expect(model(view(devices)).shown("ATT").map(\.name) == ["f"])
  }

  @Test("a name is never cut: one that leaves no room goes on a line of its own", arguments: [80, 60])
  func longNames(width: Int) {
    let names = [String(repeating: "n", count: 64), String(repeating: "漢", count: 32), "e\u{301}\u{301}-band"]
    let devices = names.enumerated().map { index, name in
      wearable(name, .attention, last: UInt64(index)) { $0.trouble = HearthError(.keyMissing, "no longer knows") }
    }
    for page in [WatchPage.overview, .devices] {
      var reader = WatchReader()
      reader.page = page
      let text = shown(model(view(devices)), max(width, 70), 24, reader)
      for name in names { #expect(text.contains(name), "\(text)") }
      #expect(text.components(separatedBy: "H2207 ").count > names.count)
    }
  }

  @Test("no text from the air can drive the terminal, whatever page it is on, and whatever the daemon says")
  func hostile() {
    let name = "\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}\n\r\u{0}x"
    let trouble = HearthError(.keyMissing, name)
    var enrolment = EnrolmentSnapshot(mode: .window, openUntil: now + .seconds(20), secondsLeft: 20, nearRSSI: -55)
    enrolment.candidates = [
      .init(
        letter: name, name: name, address: BluetoothAddress(value: 1, kind: .leRandom), kind: name, rssi: -40,
        isNear: true, proposedName: name)
    ]
    let device = wearable(name, .attention, last: 1) { ($0.trouble, $0.visit) = (trouble, visit()) }
    var document = view(
      [device],
      {
        $0.name = name
        $0.laneHolder = name
        $0.queue = [QueueSnapshot(wearable: name, why: name, trigger: .seen)]
        $0.attention = [Attention(wearable: nil, trouble: trouble)]
        $0.radio.adapter = name
        $0.radio.care.rungs = [(name, 1)]
      }, enrolment: enrolment)
    document.status?.phase = .init(name)
    document.status?.radio.state = .init(name)
    document.status?.lane.visit?.device = name
    document.status?.lane.visit?.stage = .init(name)
    document.status?.attention[0].reason.code = name
    document.devices[0].state = .init(name)
    document.lights?.lights[0].pattern = name
    document.events = [EventDocument(number: 1, time: name, code: name, area: name, device: name, text: name)]
    let model = model(document)
    var screen = WatchScreen(isColoured: true)
    for page in [WatchPage.overview, .devices, .visits, .store, .radio, .lights, .enrolment, .explain(name)] {
      var reader = WatchReader()
      reader.page = page
      let made = frame(model, reader, WatchSize(columns: 80, rows: 24), hubTime)
      #expect(
        made.lines.allSatisfy { line in
          line.text.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) }
        })
      // Of sequences only those that place, paint and erase.
      for part in screen.repaint(made.lines, width: 80).split(separator: "\u{1B}").dropFirst() {
        let end = part.firstIndex { !"[0123456789;".contains($0) }
        #expect(part.hasPrefix("[") && end.map { "HmJK".contains(part[$0]) } == true, "\(part)")
      }
    }
    #expect(!onceText(document, WatchReader(), 80, hubTime).unicodeScalars.contains { $0.value == 0x1B })
  }

  @Test("trouble of the hub, a radio that is down and an open window stand above the wearables")
  func trouble() {
    let window = EnrolmentSnapshot(mode: .window, openUntil: now + .seconds(87), secondsLeft: 99, nearRSSI: -55)
    let ill = view(
      someWearables(),
      {
        $0.radioState = .down(.adapterBlocked)
        $0.clockIsPlausible = false
        $0.attention = [
          Attention(wearable: nil, trouble: HearthError(.adapterBlocked, "hci0 is blocked by rfkill")),
          Attention(wearable: nil, trouble: HearthError(.clockUntrusted, "it cannot be right")),
        ]
        ($0.visit, $0.queue) = (nil, [])
      }, enrolment: window)
    let text = shown(model(ill), 80, 24)
    #expect(text.contains("clock not trusted H5001"))
    #expect(text.contains("\nradio  hci0   H3103 "))
    #expect(text.contains("\nvisit  no wearable is visited now\n"))
    #expect(text.contains("\nenrol  window open, 87 s left   no new wearable heard\n"))
    #expect(text.contains("\n! hub  H3103 hci0 is blocked by rfkill\n! hub  H5001 it cannot be right\n"))
    #expect(shown(model(ill), 80, 16).contains("hci0 is blocked by rfkill   (and 1 more)\n"))
    let made = frame(model(ill), WatchReader(), WatchSize(columns: 80, rows: 24), hubTime)
    #expect(made.countsDown)
  }

  @Test("without a daemon the last answer stays, and the screen says since when; without any answer it waits")
  func daemonGone() {
    var gone = model()
    gone.downSince = ago(180).rfc3339
    let text = shown(gone, 80, 24)
    #expect(
      text.contains("\n! daemon not running since 09:57; its last answer is shown; it is tried again\n"), "\(text)")
    #expect(text.contains("> band-19"))
    #expect(shown(WatchModel(), 80, 24).hasPrefix("hearth watch\n"))
  }

  @Test("a reply changes what it names, and a wearable that left the order is gone")
  func deltas() {
    var model = model()
    var changed = model.devices[0]
    changed.battery = 3
    let left = Array(model.devices.map(\.address).dropLast())
    model.apply(ViewDocument(devices: [changed]))
    #expect(model.devices.count == 6 && model.devices[0].battery == 3 && model.status != nil && model.events.count == 2)
    model.apply(ViewDocument(devices: [], order: left))
    #expect(model.devices.map(\.address) == left)
  }

  @Test("only what differs is sent: no byte for the same frame, some for a number, a whole line if it is not ASCII")
  func repaint() {
    var screen = WatchScreen(isColoured: false)
    let size = WatchSize(columns: 80, rows: 24)
    let first = frame(model(), WatchReader(), size, hubTime)
    let whole = screen.repaint(first.lines, width: 80)
    #expect(whole.hasPrefix("\u{1B}[0m\u{1B}[2J") && whole.utf8.count < 80 * 24)
    #expect(screen.repaint(first.lines, width: 80).isEmpty)
    var devices = someWearables()
    devices[4].heartRate = 79
    let second = frame(model(view(devices)), WatchReader(), size, hubTime)
    #expect(screen.repaint(second.lines, width: 80) == "\u{1B}[13;20H9")
    let wide = [WatchLine("漢字 a"), WatchLine("b")]
    _ = screen.repaint(wide, width: 80)
    #expect(screen.repaint([WatchLine("漢字 c"), WatchLine("b")], width: 80) == "\u{1B}[1;1H漢字 c\u{1B}[K")
    #expect(screen.repaint([WatchLine("漢字 c"), WatchLine("")], width: 80) == "\u{1B}[2;1H ")
  }

  @Test("keys are read one by one, also in pieces; unknown ones are passed over")
  func keys() {
    func take(_ text: String, all: Bool = false) -> ([WatchKey], Int) {
      var bytes = Array(text.utf8)
      return (WatchKey.take(from: &bytes, all: all), bytes.count)
    }
    #expect(take("jk\u{1B}[A\u{1B}OB\u{1B}[6~") == ([.character("j"), .character("k"), .up, .down, .pageDown], 0))
    #expect(take("x\u{1B}[") == ([.character("x")], 2))
    #expect(take("\u{1B}") == ([], 1) && take("\u{1B}", all: true) == ([.escape], 0))
    #expect(take("\u{1B}q") == ([.escape, .character("q")], 0))
    #expect(take("\u{1B}[1;5Zé\u{7F}\r\u{1}") == ([.character("é"), .backspace, .enter], 0))
    #expect(take("\u{1B}[" + String(repeating: "1", count: 40)).1 == 0)
  }

  @Test("the selected wearable's code is explained with what happened; without a selection, the hub's first trouble")
  func explain() {
    let model = model()
    var reader = WatchReader()
    let code = model.devices[2].reason?.code ?? ""
    #expect(reader.take(.character("x"), model) && reader.page == .explain(code))
    let text = shown(model, 80, 24, reader)
    #expect(text.contains("-- what H2207 means ") && text.contains("\nnow: band-19 no longer knows our key\n"))
    #expect(reader.take(.escape, model) && reader.page == .overview)
    for _ in 0..<5 { _ = reader.take(.down, model) }
    #expect(reader.selection(model)?.name == "strap-04")
    _ = reader.take(.character("d"), model)
    #expect(reader.page == .devices && !reader.take(.character("q"), model))
  }

  @Test("a ticket has every wearable, no keys and no blank end, at the width it was asked for")
  func once() {
    let devices = (0..<60).map { wearable("strap-\(10 + $0)", .live, last: UInt64($0)) }
    let text = onceText(view(devices), WatchReader(), 72, hubTime)
    #expect(
      devices.allSatisfy { text.contains("\n  \($0.name) ") } && !text.contains("> strap") && !text.contains("q:quit"))
    #expect(text.hasSuffix("12 items deleted for room\n") && !text.contains("\n\n\n"))
    #expect(text.split(separator: "\n").allSatisfy { columns(String($0)) <= 72 })
  }
}
