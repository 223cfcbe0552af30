import EventLoop
import Hub
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

@Suite("Alerts on the control socket")
struct AlertMethodTests {
  private static func refusal(_ body: () throws -> Void) -> Reason? {
    do { try body() } catch { return (error as? HearthError)?.reason }
    return nil
  }

  @Test("limits are set by their names, in the units that people use, and removed with the value none; others stay")
  func limits() throws {
    let (found, orders) = try serve { path in
      let client = try ControlClient(path: path)
      var found: [AlertsDocument] = []
      for limits in [["rest-above": "120", "temperature-above": "38.5"], ["rest-above": "none"]] as [JSON] {
        found.append(try client.fetch("alerts", of: "AlertsSet", ["name": "strap-01", "limits": limits]))
      }
      found.append(try client.fetch("alerts", of: "AlertsSet", ["name": "strap-01", "exercise": "off"]))
      let all: [AlertsDocument] = try client.fetch("alerts", of: "Alerts")
      let one: [AlertsDocument] = try client.fetch("alerts", of: "Alerts", ["name": "strap-01"])
      return found + all + one
    } after: { hub, _, found in
      (found, hub.alertOrders)
    }
    func set(_ document: AlertsDocument) -> [String] {
      document.limits.compactMap { limit in limit.limit.map { "\(limit.kind) \($0) \(limit.unit)" } }
    }
    #expect(set(found[0]) == ["rest-above 120.0 bpm", "temperature-above 38.5 degC"])
    #expect(found[1...].allSatisfy { set($0) == ["temperature-above 38.5 degC"] } && found.count == 5)
    #expect(found.map(\.exerciseChoice) == ["auto", "auto", "off", "off", "off"])
    #expect(orders.limits == [.temperatureAbove: 38_500] && orders.exercise == .off)
    // Each can be had by what it says.
    #expect(found[0].limits.map(\.kind) == AlertKind.allCases.map(\.name))
    #expect(found[0].limits[5].lowest == 30 && found[0].limits[5].highest == 45)
  }

  @Test("a limit out of range is refused with the range in its unit, also as the limit of a wearable's own measuring")
  func range() throws {
    let errors = try serve { path in
      let client = try ControlClient(path: path)
      let calls: [(method: String, parameters: JSON)] = [
        ("AlertsSet", ["name": "strap-01", "limits": ["rest-above": "1200"]]),
        ("AlertsSet", ["name": "strap-01", "limits": ["temperature-above": "50"]]),
        ("MonitoringSet", ["name": "strap-01", "series": "heart_rate", "limits": ["rest-above": "5"]]),
      ]
      return calls.map { call in
        do { _ = try client.call(call.method, call.parameters) } catch { return (error as? HearthError)?.detail }
        return nil
      }
    } after: { _, _, errors in
      errors
    }
    #expect(
      errors == [
        "rest-above takes 20 to 250 bpm, or none; not '1200'",
        "temperature-above takes 30 to 45 degC, or none; not '50'",
        "rest-above takes 20 to 250 bpm, or none; not '5'",
      ])
  }

  @Test("an invalid limit, an invalid number or too many are refused, without any change")
  func wrong() throws {
    let (errors, orders) = try serve { path in
      let client = try ControlClient(path: path)
      let wrong: [JSON] = [
        ["limits": ["pulse": "120"]], ["limits": ["rest-above": "many"]], ["limits": ["rest-above": "300"]],
        ["limits": ["rest-above": 120]], ["limits": [:]], ["exercise": "maybe"], [:],
        ["limits": .object((0...AlertKind.allCases.count).map { JSON.Member("limit-\($0)", "1") })],
      ]
      return wrong.map { parameters in
        guard case .object(let members) = parameters else { return Reason?.none }
        let call: JSON = .object([JSON.Member("name", "strap-01")] + members)
        return Self.refusal { _ = try client.call("AlertsSet", call) }
      }
    } after: { hub, _, errors in
      (errors, hub.alertOrders)
    }
    #expect(errors.allSatisfy { $0 == .controlBadParameter }, "\(errors)")
    #expect(orders == AlertOrders())
  }

  @Test("a muted alert is apart in its document, with the end of its mute, and is noted as read, too")
  func muted() throws {
    let (found, accesses) = try serve { hub, _ in
      let alert = RaisedAlert(.restAbove, .hub, limit: 120, value: 131, at: FakeHub.now)
      hub.mutedAlerts = [AlertSnapshot(alert, of: "strap-01", mutedUntil: FakeHub.now)]
      hub.change = { $0[0].muted = hub.mutedAlerts.map(\.attention) }
    } client: { path in
      let client = try ControlClient(path: path)
      let alerts: [AlertsDocument] = try client.fetch("alerts", of: "Alerts")
      let device: DeviceDocument = try client.fetch("device", of: "Device", ["name": "strap-01"])
      return (alerts[0], device.muted ?? [])
    } after: { hub, _, found in
      (found, hub.accessNotes.filter { $0.method == "Alerts" }.count)
    }
    #expect(found.0.alerts.isEmpty && accesses == 1)
    #expect(found.0.muted?.map(\.reason.code) == ["H2401"] && found.0.muted?[0].mutedUntil == FakeHub.now.rfc3339)
    #expect(found.1.map(\.code) == ["H2401"] && found.1[0].mutedUntil == FakeHub.now.rfc3339)
  }

  @Test("an alert is in its document and in that of its wearable, is noted as read, and goes when it is acknowledged")
  func raised() throws {
    let (found, accesses) = try serve { hub, _ in
      let alert = RaisedAlert(.restAbove, .hub, limit: 120, value: 131, at: FakeHub.now)
      hub.raised = [alert]
      hub.change = { $0[0].alerts = [AlertSnapshot(alert, of: "strap-01")] }
    } client: { path in
      let client = try ControlClient(path: path)
      let before: [AlertsDocument] = try client.fetch("alerts", of: "Alerts")
      let device: DeviceDocument = try client.fetch("device", of: "Device", ["name": "strap-01"])
      let after: AlertsDocument = try client.fetch("alerts", of: "AlertsAcknowledge", ["name": "strap-01"])
      return (before[0].alerts, device.alerts ?? [], after.alerts)
    } after: { hub, _, found in
      (found, hub.accessNotes.filter { $0.method == "Alerts" }.count)
    }
    let alert = try #require(found.0.first)
    #expect(found.0 == found.1 && found.2.isEmpty && accesses == 1)
    #expect(alert.kind == "rest-above" && alert.source == "hub" && alert.limit == 120 && alert.value == 131)
    #expect(alert.reason.code == "H2401" && alert.reason.area == "alert" && alert.count == 1 && alert.ended == nil)
    #expect(alert.reason.detail == "strap-01: heart rate above 120 bpm for 15 min outside exercise")
  }
}
