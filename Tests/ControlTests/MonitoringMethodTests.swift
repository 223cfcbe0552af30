import EventLoop
import Hub
import Reasons
import Testing
import Wearable

@testable import Control
@testable import HubProtocol

@Suite("Monitoring on the control socket")
struct MonitoringMethodTests {
  private static func refusal(_ body: () throws -> Void) -> Reason? {
    do { try body() } catch { return (error as? HearthError)?.reason }
    return nil
  }

  private static func set(_ client: ControlClient, _ members: [JSON.Member]) throws -> JSON {
    let names: [JSON.Member] = [JSON.Member("name", "strap-01"), JSON.Member("series", "heart_rate")]
    return try client.call("MonitoringSet", .object(names + members))["monitoring"] ?? .null
  }

  @Test(
    "what is named changes and the rest stays; asked, got and said are shown; the log has no numbers of a body"
  )
  func set() throws {
    let (found, order, notes) = try serve { path in
      let client = try ControlClient(path: path)
      let changes: [[JSON.Member]] = [
        [
          JSON.Member("on", true), JSON.Member("interval_s", 600), JSON.Member("begin", "08:00"),
          JSON.Member("end", "24:00"), JSON.Member("maximum_heart_rate", 190),
          JSON.Member("limits", ["rest-above": "120", "exercise-below": "60"]),
        ],
        [
          JSON.Member("interval_s", 300), JSON.Member("limits", ["rest-above": "none"]),
          JSON.Member("forget", .array(["window"])),
        ],
      ]
      return try changes.map { try Self.set(client, $0) }
    } after: { hub, _, found in
      (found, hub.monitoringOrder, hub.orderTexts.map { $0.1 })
    }
    let first = try #require(Self.entry(found[0]))
    #expect(found[0]["schema"] == "io.hearth.monitoring/1" && found[0]["device"] == "strap-01")
    #expect(found[0]["reason"] == .null && first["progress"] == "taken" && first["lowest_s"] == 300)
    let asked: JSON = [
      "on": true, "begin": "08:00", "end": "24:00", "interval_s": 600,
      "limits": ["rest-above": "120", "exercise-below": "60"], "maximum_heart_rate": 190,
    ]
    #expect(first["asked"] == asked && first["got"] == asked && first["says"] == asked)
    var wanted = MonitoringOrder()
    (wanted.isOn, wanted.interval, wanted.maximumHeartRate) = (true, 300, 190)
    wanted.limits = [.exerciseBelow: 60]
    #expect(order == wanted && Self.entry(found[1])?["asked"]?["begin"] == .null)
    #expect(
      notes.last?.contains("measure heart_rate by itself: every 300 s, window none, rest-above none") == true
        && notes.allSatisfy { !$0.contains("190") }, "\(notes)")
  }

  private static func entry(_ found: JSON) -> JSON? {
    if case .array(let all)? = found["series"] { return all.first }
    return nil
  }

  @Test("deviations have their reason; now reads them from the wearable, and otherwise no wearable is asked")
  func shown() throws {
    let (found, reads) = try serve { hub, _ in
      hub.monitoringOrder.interval = 600
      hub.monitoringInterval = 900
    } client: { path in
      let client = try ControlClient(path: path)
      return try [false, true].map { now in
        try client.call("Monitoring", ["name": "strap-01", "now": .bool(now)])["monitoring"] ?? .null
      }
    } after: { hub, _, found in
      (found, hub.monitoringReads)
    }
    #expect(found[0] == found[1] && reads == 1)
    #expect(found[0]["reason"]?["code"] == "H2145" && Self.entry(found[0])?["progress"] == "refused")
    #expect(Self.entry(found[0])?["asked"]?["interval_s"] == 600 && Self.entry(found[0])?["got"]?["interval_s"] == 900)
  }

  @Test("an invalid order is refused without any change; a refusal by the hub has its code")
  func wrong() throws {
    let (errors, order, unsupported) = try serve { path in
      let client = try ControlClient(path: path)
      let wrong: [[JSON.Member]] = [
        [], [JSON.Member("on", "yes")], [JSON.Member("begin", "08:00")], [JSON.Member("end", "08:00")],
        [JSON.Member("begin", "20:00"), JSON.Member("end", "08:00")],
        [JSON.Member("begin", "8"), JSON.Member("end", "09:00")], [JSON.Member("interval_s", 0)],
        [JSON.Member("interval_s", 86_401)], [JSON.Member("maximum_heart_rate", 99)],
        [JSON.Member("limits", ["spo2-below": "90"])], [JSON.Member("limits", ["rest-above": "many"])],
        [JSON.Member("forget", .array(["pulse"]))], [JSON.Member("on", true), JSON.Member("forget", .array(["on"]))],
        [JSON.Member("pulse", 1)],
      ]
      let errors = wrong.map { members in Self.refusal { _ = try Self.set(client, members) } }
      let unsupported = Self.refusal {
        _ = try client.call("MonitoringSet", ["name": "strap-01", "series": "spo2", "on": true])
      }
      return (errors, unsupported)
    } after: { hub, _, found in
      (found.0, hub.monitoringOrder, found.1)
    }
    #expect(errors.allSatisfy { $0 == .controlBadParameter }, "\(errors)")
    #expect(order == MonitoringOrder() && unsupported == .requestUnsupported)
  }
}
