import Bluetooth
import Control
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing

@testable import EventLoop
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("Alerts for people")
struct CLIAlertTests {
  private static func document(_ raised: [RaisedAlert], _ limits: [AlertKind: Int64], _ name: String = "strap-01")
    -> AlertsDocument
  {
    var orders = AlertOrders()
    orders.limits = limits
    return AlertsDocument(
      AlertsSnapshot(
        wearable: name, orders: orders, isExercise: false, alerts: raised.map { AlertSnapshot($0, of: name) }))
  }

  private static func raised() -> RaisedAlert {
    var alert = RaisedAlert(.restAbove, .hub, limit: 120, value: 131, at: now + .seconds(-600))
    (alert.count, alert.last, alert.ended) = (2, now + .seconds(-120), now)
    return alert
  }

  @Test("the page of one says its limits, what is measured now counts as, what was beyond, and that it is no alarm")
  func page() {
    let text = render(Self.document([Self.raised()], [.restAbove: 120, .temperatureAbove: 38_500]), hubTime, .plain)
    #expect(text.hasPrefix("strap-01   rest-above 120 bpm, temperature-above 38.5 degC\n"))
    #expect(text.contains("counts as rest now, as its wearer's wearables report\n"))
    #expect(text.contains("! H2401 strap-01: heart rate above 120 bpm for 15 min outside exercise   131 bpm at "))
    #expect(text.contains(", 2 times since ") && text.contains(", over since "))
    #expect(text.contains("next: hearth alerts strap-01 acknowledge\n"))
    #expect(text.hasSuffix("this is no medical alarm\n"))
    let quiet = render(Self.document([], [:]), hubTime, .plain)
    #expect(quiet.contains("no limits") && quiet.contains("no unacknowledged alert"))
  }

  @Test("a muted alert is listed apart with the end of its mute, and scripts do not get it")
  func muted() {
    let alert = AlertSnapshot(Self.raised(), of: "strap-01", mutedUntil: now + .seconds(3600))
    let document = AlertsDocument(
      AlertsSnapshot(wearable: "strap-01", orders: AlertOrders(), isExercise: false, alerts: [], muted: [alert]))
    for text in [render(document, hubTime, .plain), renderList([document], hubTime, .plain)] {
      #expect(text.contains("- H2401 strap-01: heart rate above 120 bpm") && !text.contains("! "), "\(text)")
      #expect(text.contains("   muted until 2026-11-21 11:00:00\n") && !text.contains("next: "))
    }
    #expect(!hasAlerts(document) && hasAlerts(Self.document([Self.raised()], [:])))
  }

  @Test("the list has the wearers that are watched; an empty one says how to begin")
  func list() {
    let all = [Self.document([], [:], "a"), Self.document([], [.oxygenBelow: 90], "b")]
    let text = renderList(all, hubTime, .plain)
    #expect(text.contains("b") && text.contains("spo2-below 90 %") && !text.contains("no limits"))
    #expect(renderList([all[0]], hubTime, .plain).contains("hearth alerts NAME set rest-above 120"))
  }

  @Test("a wearable with an alert has its code in the table and on its page, and needs a person's attention")
  func device() {
    var snapshot = WearableSnapshot(
      name: "strap-01", address: BluetoothAddress(value: 1, kind: .leRandom), kind: "HR strap", state: .live,
      isEnrolled: true)
    #expect(!hasAlerts(DeviceDocument(snapshot)))
    snapshot.alerts = [AlertSnapshot(Self.raised(), of: "strap-01")]
    let device = DeviceDocument(snapshot)
    #expect(hasAlerts(device) && !needsPerson(device))
    #expect(renderTable([device], hubTime, .plain).contains("live H2401\n"))
    #expect(render(device, hubTime, .plain).contains("H2401 alert: strap-01: heart rate above 120 bpm"))
  }

  @Test(
    "limits, exercise and what is seen to are words of the command",
    arguments: [
      ["alerts"], ["alerts", "a"], ["alerts", "a", "set", "rest-above", "120"],
      ["alerts", "a", "set", "temperature-above", "38.5"], ["alerts", "a", "set", "spo2-below", "none"],
      ["alerts", "a", "set", "exercise", "auto"], ["alerts", "a", "acknowledge"],
    ])
  func words(_ arguments: [String]) throws {
    let command = try HearthCommand.parseAsRoot(arguments)
    switch arguments.dropFirst(2).first {
    case nil: #expect(command is AlertsCommand.Show)
    case "set": #expect(command is AlertsCommand.Limiting)
    default: #expect(command is AlertsCommand.Acknowledge)
    }
  }

  @Test("the command line knows each limit that a hub knows")
  func known() throws {
    for kind in AlertKind.allCases {
      #expect(throws: Never.self) { try HearthCommand.parseAsRoot(["alerts", "a", "set", kind.name, "50"]) }
    }
  }
}
