import EventLoop
import Health
import Hub
import Reasons
import Testing
import Wearable

@testable import Control
@testable import HubProtocol

private func refusal(_ body: () throws -> Void) -> HearthError? {
  do { try body() } catch { return error as? HearthError }
  return nil
}

@Suite("Measuring by order over the control socket")
struct MeasuringMethodTests {
  @Test("a measurement begins, reports each value with its sample, and reports how it ended")
  func stream() throws {
    let (replies, orders) = try serve { hub, _ in
      hub.measured = [72, 73]
      hub.measurementEnds = MeasurementResult(wearable: "strap-01", series: .heartRate, end: .byWearable, values: 2)
    } client: { path in
      var replies: [JSON] = []
      let parameters: JSON = ["name": "strap-01", "series": "heart_rate", "interval_s": 5, "limit_s": 30]
      try ControlClient(path: path).stream("Measure", parameters) { reply in
        replies.append(reply)
        return true
      }
      return replies
    } after: { hub, _, replies in
      (replies, hub.measurementOrders)
    }
    #expect(replies.map { $0["event"]?.text } == ["begun", "value", "value", "end"])
    #expect(replies[1]["sample"]?["value"] == .integer(72) && replies[1]["sample"]?["manual"] == .bool(true))
    #expect(replies[0]["sample"] == .null && replies[3]["sample"] == .null)
    let documents = try replies.map { try ControlClient.document($0, "measurement", "") as MeasurementDocument }
    #expect(documents.map(\.values) == [0, 1, 2, 2] && documents.map(\.end) == [nil, nil, nil, "by_wearable"])
    #expect(orders == [MeasurementOrder(.heartRate, interval: 5, limit: 30)])
  }

  @Test("one that failed after it had begun ends with its code; one that never began is refused")
  func failures() throws {
    let (last, refused) = try serve { hub, _ in
      hub.measurementEnds = MeasurementResult(
        wearable: "strap-01", series: .heartRate, trouble: HearthError(.linkLost, "strap-01 went out of range"),
        values: 3)
    } client: { path in
      var last: MeasurementDocument?
      let client = try ControlClient(path: path)
      try client.stream("Measure", ["name": "strap-01", "series": "heart_rate"]) { reply throws(HearthError) in
        last = try ControlClient.document(reply, "measurement", "Measure")
        return true
      }
      return (last, refusal { try client.stream("Measure", ["name": "strap-01", "series": "stress"]) { _ in true } })
    }
    #expect(last?.end == "failed" && last?.reason?.code == "H2104" && last?.values == 3)
    #expect(refused?.reason == .requestUnsupported)
  }

  @Test("a stop and a client that hangs up both end it; a stop without a measurement succeeds")
  func ends() throws {
    let (stopped, refused, orders) = try serve { _, _ in
    } client: { path in
      let client = try ControlClient(path: path)
      var last: MeasurementDocument?
      let parameters: JSON = ["name": "strap-01", "series": "spo2", "until_stopped": true]
      try client.stream("Measure", parameters) { reply throws(HearthError) in
        last = try ControlClient.document(reply, "measurement", "Measure")
        if last?.end == nil { _ = try ControlClient(path: path).call("MeasureStop", ["name": "strap-01"]) }
        return true
      }
      try ControlClient(path: path).stream("Measure", parameters) { _ in false }
      // The hub sees within a moment that the second one went away; before and after that a stop succeeds.
      var refused: HearthError?
      for _ in 0..<3 where refused == nil {
        refused = refusal { _ = try client.call("MeasureStop", ["name": "strap-01"]) }
      }
      return (last, refused)
    } after: { hub, _, found in
      (found.0, found.1, hub.measurementOrders)
    }
    #expect(stopped?.end == "stopped" && refused == nil)
    #expect(orders.map(\.limit) == [nil, nil])
  }

  @Test("numbers out of range, an unknown series, a limit without end, and a call without more are refused")
  func parameters() throws {
    let refusals = try serve { _, _ in
    } client: { path in
      let client = try ControlClient(path: path)
      func asked(_ change: JSON) -> Reason? {
        refusal { try client.stream("Measure", change) { _ in true } }?.reason
      }
      return [
        asked(["name": "strap-01", "series": "nonsense"]),
        asked(["name": "strap-01", "series": "heart_rate", "interval_s": 0]),
        asked(["name": "strap-01", "series": "heart_rate", "limit_s": 14]),
        asked(["name": "strap-01", "series": "heart_rate", "limit_s": 20, "until_stopped": true]),
        refusal { _ = try client.call("Measure", ["name": "strap-01", "series": "heart_rate"]) }?.reason,
      ]
    }
    #expect(refusals.allSatisfy { $0 != nil } && refusals.prefix(4).allSatisfy { $0 == .controlBadParameter })
  }

  @Test("what forgetting could not bring about is a warning of its answer")
  func forgetting() throws {
    let answers = try serve { hub, _ in
      hub.forgettingLeaves = HearthError(.bindingLeft, "strap-01 was not unbound")
    } client: { path in
      try ControlClient(path: path).call("Forget", ["name": "strap-01"])
    }
    #expect(answers["warning"]?["code"]?.text == "H2245")
    #expect(answers["warning"]?["detail"]?.text == "strap-01 was not unbound")
  }

  @Test("a visit's document says how far its link is, unless its wearable serves any central")
  func connection() {
    var visit = FakeHub.visit(9)
    #expect(VisitDocument(visit).connection == nil)
    for stage in LinkStage.allCases {
      visit.connection = stage
      #expect(VisitDocument(visit).connection == .init(stage.rawValue))
    }
  }
}
