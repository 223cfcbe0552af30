import EventLoop
import Health
import Reasons
import Testing
import Wearable

@testable import Control
@testable import HubProtocol
@testable import RingStore

private func refusal(_ body: () throws -> Void) -> HearthError? {
  do { try body() } catch { return error as? HearthError }
  return nil
}

@Suite("Orders and wearers on the control socket")
struct OrderMethodTests {
  private let secret = "00112233445566778899aabbCCDDEEFF"

  @Test("phases and times of visits are ordered, taken back and shown; what is no time is refused")
  func collection() throws {
    let (orders, refused) = try serve { path in
      let client = try ControlClient(path: path)
      func set(_ what: String, _ words: [String]) throws(HearthError) -> OrdersDocument.Collection? {
        let orders: OrdersDocument = try client.fetch(
          "orders", of: "OrdersSet", ["name": "strap-01", what: .array(words.map { .string($0) })])
        return orders.collection
      }
      let orders = try [
        set("phases", ["sleep"]), set("phases", ["all"]), set("phases", ["none"]), set("visit_at", ["07:00", "19:30"]),
        set("visit_at", ["never"]), set("visit_at", ["none"]),
      ].compactMap { $0 }
      let wrong = [["24:00"], ["7:00"], [], ["never", "07:00"]].map { words in
        refusal { _ = try set("visit_at", words) }?.reason
      }
      return (orders, wrong + [refusal { _ = try set("phases", []) }?.reason])
    }
    #expect(orders.map(\.leftOut) == [["steps"], [], [], [], [], []])
    #expect(orders.map(\.ordered) == [["sleep"], ["all"], nil, nil, nil, nil])
    #expect(orders.suffix(3).map(\.visitAt) == [["07:00", "19:30"], [], ["12:00"]])
    #expect(orders.suffix(3).map(\.ownTimes) == [true, true, false])
    #expect(refused.allSatisfy { $0 == .controlBadParameter })
  }

  @Test("orders are changed one by one, what is not named stays, and no answer has the secret")
  func orders() throws {
    let (orders, texts, kept, refused) = try serve { path in
      let client = try ControlClient(path: path)
      var orders: [OrdersDocument] = []
      orders.append(
        try client.fetch("orders", of: "OrdersSet", ["name": "strap-01", "streams": .array(["ecg", "acc"])]))
      orders.append(
        try client.fetch("orders", of: "OrdersSet", ["name": "strap-01", "switched_off": .array(["lamp"])]))
      let reply = try client.call("SecretSet", ["name": "strap-01", "secret": .string(secret)])
      orders.append(try client.fetch("orders", of: "Orders", ["name": "strap-01"]))
      orders.append(
        try client.fetch(
          "orders", of: "OrdersSet", ["name": "strap-01", "streams": .array([]), "switched_off": .array([])]))
      let texts = [
        String(decoding: reply.compact, as: UTF8.self),
        String(decoding: try client.call("Devices").compact, as: UTF8.self),
      ]
      return (
        orders, texts,
        refusal { _ = try client.call("OrdersSet", ["name": "strap-01", "switched_off": .array(["bell"])]) }
      )
    } after: { hub, server, answer in
      (answer.0, answer.1, hub.ordered.secret, answer.2)
    }
    #expect(orders.map(\.streams) == [["ecg", "acc"], ["ecg", "acc"], ["ecg", "acc"], []])
    #expect(
      orders.map { $0.switches.map(\.off) } == [[false], [true], [true], [false]]
        && orders.map(\.secret) == [false, false, true, true])
    #expect(kept?.first == 0 && kept?.last == 0xFF && kept?.count == 16)
    #expect(texts.allSatisfy { !$0.lowercased().contains("aabbcc") && !$0.contains("17,34") })
    #expect(refused?.reason == .requestUnsupported)
  }

  @Test(
    "when the hub measures by itself is ordered in words, shown with its next time, and removed with the value none")
  func schedule() throws {
    let (orders, error) = try serve { path in
      let client = try ControlClient(path: path)
      let orders: [OrdersDocument] = try ["between=07:00-22:00 every=4h", "none"].map {
        try client.fetch("orders", of: "OrdersSet", ["name": "strap-01", "measure": .string($0)])
      }
      return (orders, refusal { _ = try client.call("OrdersSet", ["name": "strap-01", "measure": "every=1m"]) })
    }
    let measure = orders.first?.measure
    #expect(measure?.text == "every=4h seconds=60 between=07:00-22:00")
    #expect(measure?.everyS == 14_400 && measure?.seconds == 60 && measure?.why == "it was away")
    #expect(measure?.next == (FakeHub.now + .seconds(3600)).rfc3339 && measure?.skipped == FakeHub.now.rfc3339)
    #expect(orders.last?.measure == nil && error?.reason == .controlBadParameter)
  }

  @Test("rates are whole numbers of known series; all that are wanted are named at once")
  func rates() throws {
    let (orders, errors) = try serve { path in
      let client = try ControlClient(path: path)
      var orders: [OrdersDocument] = []
      for rates in [["ecg": 130, "acc": 50], ["acc": 200]] as [JSON] {
        orders.append(try client.fetch("orders", of: "OrdersSet", ["name": "strap-01", "rates": rates]))
      }
      orders.append(try client.fetch("orders", of: "OrdersSet", ["name": "strap-01", "streams": .array(["ecg"])]))
      orders.append(try client.fetch("orders", of: "OrdersSet", ["name": "strap-01", "rates": [:]]))
      let wrong: [JSON] = [
        ["acc": 0], ["acc": -1], ["acc": 100_001], ["acc": "50"], ["smell": 50], .array([50]), 50,
        .object((0...Series.all.count).map { JSON.Member("series-\($0)", 1) }),
      ]
      return (
        orders,
        wrong.map { rates in refusal { _ = try client.call("OrdersSet", ["name": "strap-01", "rates": rates]) }?.reason
        }
      )
    }
    #expect(
      orders.map { $0.rates.entries.map { "\($0.name)=\($0.value)" } } == [
        ["ecg=130", "acc=50"], ["acc=200"], ["acc=200"], [],
      ])
    #expect(
      orders[0].rateChoices.map(\.rates) == [[130], [50, 200]]
        && orders[0].rateChoices.map(\.withoutHeartRate) == [[], [200]])
    #expect(errors.allSatisfy { $0 == .controlBadParameter }, "\(errors)")
  }

  @Test("settings are changed by name, the others stay, and the value none removes an order")
  func settings() throws {
    let (orders, errors) = try serve { path in
      let client = try ControlClient(path: path)
      var orders: [OrdersDocument] = []
      for settings in [["worn": "chest"], ["patience": "30"], ["worn": "none"], [:]] as [JSON] {
        orders.append(try client.fetch("orders", of: "OrdersSet", ["name": "strap-01", "settings": settings]))
      }
      let wrong: [JSON] = [
        ["worn": 5], ["worn": .null], .array(["worn"]), "worn",
        .object((0...WearableAction.argumentLimit).map { JSON.Member("setting-\($0)", "on") }), ["worn": "moon"],
        ["patience": "+5"], ["lamp": "on"],
      ]
      return (
        orders,
        wrong.map { settings in
          refusal { _ = try client.call("OrdersSet", ["name": "strap-01", "settings": settings]) }?.reason
        }
      )
    }
    #expect(
      orders.map { $0.settings.map(\.ordered) } == [["chest", nil], ["chest", "30"], [nil, "30"], [nil, "30"]])
    #expect(
      orders[0].settings.map(\.values) == [["chest", "left-wrist"], []] && orders[0].settings[1].highest == 90
        && orders[0].settings[1].unit == "s")
    #expect(
      errors == [Reason](repeating: .controlBadParameter, count: 5)
        + [Reason](repeating: .requestUnsupported, count: 3), "\(errors)")
  }

  @Test("a secret is made by the hub, another each time, or forgotten")
  func generated() throws {
    let secrets = try serve { path in
      let client = try ControlClient(path: path)
      _ = try client.call("SecretSet", ["name": "strap-01", "generate": true])
      return 0
    } after: { hub, _, _ in
      let first = hub.ordered.secret
      return [
        first, HubInterface.bytes(hexadecimal: ""), HubInterface.bytes(hexadecimal: "0g"),
        HubInterface.bytes(hexadecimal: "012"),
      ]
    }
    #expect(secrets[0]?.count == 16 && secrets[0] != [UInt8](repeating: 0, count: 16))
    #expect(secrets[1] == [] && secrets[2] == nil && secrets[3] == nil)
  }

  @Test("a report is given with its rows in their order; an unknown topic is refused")
  func report() throws {
    let (report, error) = try serve { path in
      let client = try ControlClient(path: path)
      let report: ReportDocument = try client.fetch("report", of: "Report", ["name": "strap-01", "topic": "settings"])
      return (report, refusal { _ = try client.call("Report", ["name": "strap-01", "topic": "weather"]) })
    }
    #expect(report.device == "strap-01" && report.rows.map(\.name) == ["clock"])
    #expect(
      report.rows[0].fields.entries.map(\.name) == ["off_by_s", "zone_minutes"]
        && report.rows[0].fields["off_by_s"] == "0.1")
    #expect(error?.reason == .requestUnsupported)
  }

  @Test("of a body only what is given changes; an assignment has its time, or now")
  func wearers() throws {
    let (wearer, list, assignments, bodies, assigned, error) = try serve { path in
      let client = try ControlClient(path: path)
      _ = try client.call("WearerBody", ["wearer": "Ada", "born": "1980-05-17", "sex": "female", "height_cm": 171])
      let wearer: WearerDocument = try client.fetch(
        "wearer", of: "WearerBody", ["wearer": "Ada", "weight_kg": 62, "maximum_heart_rate": 186])
      let rest: JSON = [
        "wearer": "Ada", "vo2_max": 45, "training_background": "semi-pro", "typical_day": "moving",
        "sleep_goal_minutes": 480, "take_off": true,
      ]
      let all: WearerDocument = try client.fetch("wearer", of: "WearerBody", rest)
      #expect(
        all.vo2Max == 45 && all.trainingBackground == "semi-pro" && all.typicalDay == "moving"
          && all.sleepGoalMinutes == 480 && all.takeOff && !wearer.takeOff)
      for (key, value) in [
        ("vo2_max", JSON.integer(9)), ("training_background", "much"), ("typical_day", ""), ("sleep_goal_minutes", 661),
      ] {
        #expect(throws: (any Error).self) {
          _ = try client.call("WearerBody", .object([JSON.Member("wearer", "Ada"), JSON.Member(key, value)]))
        }
      }
      let change: JSON = [
        "wearer": "Ada", "resting_heart_rate": 51, "forget": .array(["height_cm", "maximum_heart_rate"]),
      ]
      let less: WearerDocument = try client.fetch("wearer", of: "WearerBody", change)
      #expect(
        less.heightCm == nil && less.maximumHeartRate == nil && less.restingHeartRate == 51 && less.weightKg == 62)
      let back: JSON = ["wearer": "Ada", "height_cm": 171, "forget": .array(["resting_heart_rate"])]
      _ = try client.call("WearerBody", back)
      let list: [WearerDocument] = try client.fetch("wearers", of: "Wearers")
      _ = try client.call("Assign", ["name": "strap-02", "wearer": "Ada"])
      let found: AssignmentsDocument = try client.fetch(
        "assignments", of: "Assign", ["name": "strap-02", "from": "2026-12-01T00:00:00Z"])
      return (wearer, list, found, refusal { _ = try client.call("Assign", ["name": "strap-02", "wearer": "Eve"]) })
    } after: { hub, _, answer in
      (answer.0, answer.1, answer.2, hub.bodies, hub.assigned, answer.3)
    }
    #expect(
      bodies.last?.vo2Max == 45 && bodies.last?.trainingBackground == .semiPro && bodies.last?.typicalDay == .moving
        && bodies.last?.sleepGoal == 480)
    #expect(
      bodies.last?.height == 171 && bodies.last?.weight == 62 && bodies.last?.sex == .female
        && bodies.last?.restingHeartRate == nil)
    #expect(
      wearer.born == "1980-05-17" && wearer.weightKg == 62 && wearer.wears == ["strap-02"]
        && list.map(\.name) == ["Ada"])
    #expect(
      assigned.map(\.wearer) == ["Ada", nil] && assigned[0].from == nil
        && assigned[1].from?.rfc3339 == "2026-12-01T00:00:00.000Z")
    #expect(assignments.assignments.map(\.wearer) == ["Ada", nil] && error?.reason == .noSuchWearer)
  }
}
