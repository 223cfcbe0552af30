import Control
import EventLoop
import Health
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing
import Wearable

@testable import RingStore
@testable import hearth

@Suite("Orders, wearers and recordings for people")
struct CLIOrderTests {
  private let now = VirtualLoop.morning
  private let hubTime = HubTime(zone: .utc, now: VirtualLoop.morning)

  private func row(_ name: String, _ fields: [(String, String)]) -> ReportRow {
    ReportRow(name, fields.map { ReportRow.Field($0.0, $0.1) })
  }

  @Test("recordings are a table with what is missing, then triggers and memory")
  func recordings() {
    let report = ReportDocument(
      device: "band-07", topic: "recordings",
      rows: [
        row(
          "acc",
          [
            ("recording", "yes"), ("kept_going", "yes"), ("since", "2026-11-21T09:00:00.000"), ("rate_hz", "52"),
            ("range", "8"), ("trigger", "no"),
          ]),
        row("ppi", [("recording", "no"), ("kept_going", "yes"), ("trigger", "no")]),
        row("triggers", [("mode", "off")]), row("memory", [("free_bytes", "11200000"), ("total_bytes", "15000000")]),
      ])
    #expect(
      renderRecordings(report, .plain) == """
        TYPE              RECORDING  KEPT  SINCE                   HZ  RANGE  TRIGGER
        acc               yes        yes   2026-11-21T09:00:00     52      8  no
        ppi               no         yes   -                        -      -  no
        triggers      mode off
        memory        free 11 MB, total 15 MB

        """)
    #expect(
      renderRecordings(ReportDocument(device: "a", topic: "recordings", rows: [ReportDocument.Row]()), .plain)
        == "a   makes no recordings by order\n")
  }

  @Test("properties have their units, and what does not fit on a line goes on under it")
  func properties() {
    let report = ReportDocument(
      device: "band-07", topic: "settings",
      rows: [
        row("clock", [("local_time", "2026-11-21T10:00:00.000"), ("zone_minutes", "60"), ("off_by_s", "0.4")]),
        row(
          "wearer",
          [
            ("state", "kept"), ("born", "1980-05-17"), ("sex", "female"), ("height_cm", "171"), ("weight_kg", "62"),
            ("maximum_heart_rate_bpm", "186"),
            ("resting_heart_rate_bpm", "60"),
          ]), row("usb", [("on", "no"), ("ordered", "off")]),
      ])
    #expect(
      renderReport(report, .plain) == """
        band-07   settings as it says itself
        clock          local time 2026-11-21T10:00:00.000, zone 60 min, off by 0.4 s
        wearer         kept, born 1980-05-17, sex female, height 171 cm, weight 62 kg,
                       maximum heart rate 186 bpm, resting heart rate 60 bpm
        usb            off, ordered off

        """)
    func clock(_ seconds: String) -> String? {
      let text = renderReport(
        ReportDocument(device: "a", topic: "streams", rows: [row("clock", [("off_by_s", seconds)])]), .plain)
      return text.split(separator: "\n").last.map { String($0.dropFirst(15)) }
    }
    #expect(
      ["-22774173.0", "90", "nan", "-inf", "1e300", "59.9"].map(clock) == [
        "263 d behind", "1 min ahead", "off by nan s", "off by -inf s", "off by 1e300 s", "off by 59.9 s",
      ])
  }

  @Test("orders say what is wanted, what could be switched off, and never the secret")
  func orders() {
    let snapshot = OrdersSnapshot(
      wearable: "band-07", streams: [.ecg, .acc], rates: [(.acc, 50), (.gyro, 52)],
      rateChoices: [
        (.ecg, []), (.acc, [WearableRate(25), WearableRate(50), WearableRate(104, silencesHeartRate: true)]),
      ], hasSecret: true,
      switches: [
        (WearableSwitch("telemetry", "Traces for the vendor."), true),
        (WearableSwitch("usb", "Data over a cable, which nobody in a ward ever needs."), false),
      ],
      settings: [
        SettingOrder(
          WearableSetting(
            "worn", .words(["chest", "left-wrist", "right-wrist", "left-upper-arm"]), "Where it is worn."),
          value: "chest"),
        SettingOrder(
          WearableSetting("training-minimum", .number(0...86_400, unit: "s"), "The shortest training that it keeps."),
          value: "600"),
        SettingOrder(WearableSetting("ant-plus", .words(["on", "off"]), "Seen by treadmills."), value: nil),
      ], wearer: "Ada")
    #expect(
      render(OrdersDocument(snapshot), .plain) == """
        band-07   as it is ordered
        streams        ecg, acc
        rates          acc 50 Hz; gyro 52 Hz, once it streams
                       ecg                  any offered rate
                       acc                  25, 50, 104* Hz
                       * while it streams so, it sends no heart rate
        secret         set: recordings are encrypted
        features off   telemetry
                       telemetry            Traces for the vendor.
                       usb                  Data over a cable, which nobody in a ward
                                            ever needs.
        settings       worn chest, training-minimum 600 s
                       worn                 chest, left-wrist, right-wrist,
                                            left-upper-arm: Where it is worn.
                       training-minimum     0 to 86400 s: The shortest training that
                                            it keeps.
                       ant-plus             on, off: Seen by treadmills.
        wearer         Ada

        """)
  }

  @Test("what was left out of an order is said with why and the code")
  func skipped() {
    var snapshot = OrdersSnapshot(
      wearable: "band-07", streams: [.acc], hasSecret: false, switches: [], wearer: nil)
    snapshot.skipped = [
      SkippedOrder(.gyro, HearthError(.requestUnsupported, "band-07: its kind sends no gyro live"))
    ]
    #expect(
      render(OrdersDocument(snapshot), .plain) == """
        band-07   as it is ordered
        streams        acc
        secret         not set: recordings are in clear
        wearer         no person
        left out       gyro: band-07: its kind sends no gyro live (H2131)

        """)
  }

  @Test("phases and times of visits say what is taken, what is not, and by whose choice")
  func collection() {
    var orders = OrdersDocument(
      OrdersSnapshot(wearable: "band-07", streams: [], hasSecret: false, switches: [], wearer: nil))
    orders.collection = OrdersDocument.Collection(
      phases: ["sleep", "steps"], leftOut: [], ordered: nil, visitAt: [], ownTimes: false)
    #expect(includes(render(orders, .plain), "phases         sleep, steps (as configured)\nwearer"))
    orders.collection = OrdersDocument.Collection(
      phases: ["sleep", "steps"], leftOut: ["steps"], ordered: ["sleep"], visitAt: ["07:00", "19:00"], ownTimes: true)
    let text = render(orders, .plain)
    #expect(
      includes(
        text,
        """
        phases         sleep (an operator's choice)
                       not taken: steps
        visited at     07:00, 19:00 (an operator's choice)

        """), "\(text)")
    let many = (1...20).map { "phase-number-\($0)" }
    for leftOut in [[], many] {
      orders.collection = OrdersDocument.Collection(
        phases: many, leftOut: leftOut, ordered: many, visitAt: [], ownTimes: false)
      let rows = render(orders, .plain).split(separator: "\n")
      #expect(rows.allSatisfy { $0.count <= 80 }, "\(rows)")
    }
  }

  @Test("when the hub measures by itself is shown with the next time, and why the last one was left out")
  func schedule() {
    var orders = OrdersDocument(
      OrdersSnapshot(wearable: "strap-07", streams: [], hasSecret: false, switches: [], wearer: nil))
    let (next, left) = ((now + .seconds(3600)).rfc3339, now.rfc3339)
    orders.measure = OrdersDocument.Measure(
      text: "every=4h seconds=60", everyS: 14_400, seconds: 60, next: next, skipped: left, why: "it was away")
    let text = render(orders, .plain, in: HubTime(zone: .utc, now: now))
    #expect(
      includes(
        text,
        """
        measured       every=4h seconds=60, next 2026-11-21 11:00:00
                       left out 2026-11-21 10:00:00: it was away

        """), "\(text)")
  }

  @Test("wearers are a table, and one of them a page; assignments say which one holds")
  func wearers() {
    var ada = Wearer(id: WearerID(number: 1), name: "Ada", createdAt: now)
    ada.body.height = 171
    let bo = Wearer(id: WearerID(number: 2), name: "bed 3", createdAt: now, retiredAt: now)
    let documents = [
      WearerDocument(WearerSnapshot(wearer: ada, wears: ["band-07", "strap-01"])),
      WearerDocument(WearerSnapshot(wearer: bo, wears: [])),
    ]
    #expect(
      renderTable(documents, .plain) == """
          NO  NAME    BODY          WEARS
           1  Ada     incomplete    band-07, strap-01
           2  bed 3   -             retired

        """)
    #expect(renderTable([], .plain) == "no person is entered; enter one with: hearth wearer add NAME\n")
    #expect(render(documents[0], .plain).contains("height         171 cm\n"))
    (ada.body.vo2Max, ada.body.trainingBackground, ada.body.typicalDay, ada.body.sleepGoal) = (
      45, .semiPro, .standing, 480
    )
    ada.body.isTakenOff = true
    let page = render(WearerDocument(WearerSnapshot(wearer: ada, wears: [])), .plain)
    #expect(
      page.hasSuffix(
        """
        VO2max         45 ml/kg/min
        trains         semi-pro
        typical day    standing
        sleep goal     480 min
        take off       yes: a wearable without a wearer forgets the body

        """))
    let entries = [
      AssignmentSnapshot(from: now + .seconds(-60), wearer: "Ada", enteredAt: now),
      AssignmentSnapshot(from: now + .seconds(-30), wearer: nil, enteredAt: now),
      AssignmentSnapshot(from: now + .seconds(60), wearer: "bed 3", enteredAt: now),
    ]
    #expect(
      render(AssignmentsDocument(device: "band-07", entries), hubTime, .plain) == """
        FROM                 WEARER
        2026-11-21 09:59:00  Ada
        2026-11-21 09:59:30  no person   now
        2026-11-21 10:01:00  bed 3   to come
        times in UTC

        """)
    #expect(
      render(AssignmentsDocument(device: "band-07", []), hubTime, .plain)
        == "band-07   was never assigned\n")
  }

  @Test("a report is a line for each thing, whatever a wearable says, within the screen")
  func report() {
    for name in ["clock", "\u{1B}[2J", String(repeating: "W", count: 200)] {
      let text =
        renderReport(
          ReportDocument(device: name, topic: name, rows: [row(name, [(name, name), ("b", "\u{7}")])]), .plain)
        + renderRecordings(
          ReportDocument(
            device: name, topic: name, rows: [row(name, [("kept_going", name)]), row(name, [("x_bytes", name)])]),
          .plain)
      #expect(folded(text, 80).split(separator: "\n").allSatisfy { columns(String($0)) <= 80 || $0.contains(name) })
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }
  }

  @Test(
    "a key without its value is refused with a line that can be typed",
    arguments: [
      ["phases"], ["phases", ""], ["phases", " , "], ["visit-at"], ["visit-at", ""], ["visit-at", "7:00"],
      ["visit-at", "never,07:00"],
    ])
  func nextStep(_ words: [String]) throws {
    var message = ""
    do { _ = try HearthCommand.parseAsRoot(["settings", "band-01", "set"] + words) } catch {
      #expect(HearthCommand.exitCode(for: error).rawValue == 2 || HearthCommand.exitCode(for: error).rawValue == 64)
      message = HearthCommand.message(for: error)
    }
    let step = try #require(message.split(separator: "for example: hearth ").last?.split(separator: "\n").first)
    #expect(step.hasPrefix("settings band-01 set \(words[0]) "), "\(message)")
    let taken = try HearthCommand.parseAsRoot(step.split(separator: " ").map(String.init))
    #expect(taken is SettingsCommand.Order.Phases || taken is SettingsCommand.Order.VisitAt)
  }
}
