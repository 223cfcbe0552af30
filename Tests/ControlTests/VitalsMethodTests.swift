import EventLoop
import Foundation
import Health
import Hub
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore
@testable import Vitals

/// A measurement of a strap as a hub tells it.
enum VitalsScript {
  static let session = VitalsSession(id: 12, wearable: "strap-01", person: "Ada", sensor: .electrical, seconds: 60)

  /// Of calm beats, as the methods themselves report them.
  static func report(_ seconds: Double, _ phase: MeasurementPhase) -> VitalReport {
    var (time, beats) = (0.0, [Double]())
    while time < seconds {
      beats.append((900 + 40 * sin(2 * .pi * 0.25 * time)).rounded())
      time += (beats.last ?? 0) / 1000
    }
    var signs = VitalSigns()
    return signs.report(
      VitalRequest(sensor: .electrical, phase: phase), of: BeatWindow(BeatSeries([beats]), seconds: seconds))
  }

  static func moment(_ seconds: Int64, share: Double? = 0.02, hidden: Bool = false, _ report: VitalReport? = nil)
    -> VitalsNews
  {
    .values(
      VitalsMoment(
        elapsed: seconds * 1_000_000, requested: 60_000_000, pulseRate: hidden ? nil : 66.5, artefactShare: share,
        isHidden: hidden, report: report))
  }

  static var record: MeasurementRecord {
    var record = MeasurementRecord(basis: .rr, endReason: .duration)
    (record.session, record.number, record.person, record.device) = (12, 1, "Ada", "strap-01")
    record.start = FakeHub.now.microseconds
    record.end = FakeHub.now.microseconds + 60_000_000
    (record.requested, record.actual, record.artefactShare, record.coverage) = (60_000_000, 60_000_000, 0.01, 0.99)
    record.append(
      VitalResult(
        name: "rmssd", value: 41.5, unit: "ms", confidence: .high, windowSeconds: 60, method: "TD-1",
        flags: [.corrected]))
    record.append(
      VitalResult(
        name: "stress_level", value: 0, text: "normal", unit: "", confidence: .medium, windowSeconds: 60,
        method: "BI-1"))
    record.append(NotReported(name: "energy", reason: "rate_too_low"))
    return record
  }

  static let whole: [VitalsNews] = [
    .opened(session), .state(.initializing, at: FakeHub.now), .state(.ready, at: FakeHub.now),
    .state(.starting, at: FakeHub.now), .state(.processing, at: FakeHub.now), moment(1, share: nil),
    moment(40, report(40, .runtime)), .notice(.signalDoubtful, isOn: true), moment(41, share: 0.3, hidden: true),
    .notice(.signalDoubtful, isOn: false), .state(.stopping, at: FakeHub.now), .results(record),
    .state(.ready, at: FakeHub.now), .state(.terminating, at: FakeHub.now), .state(.terminated, at: FakeHub.now),
  ]
}

private func refusal(_ body: () throws -> Void) -> HearthError? {
  do { try body() } catch { return error as? HearthError }
  return nil
}

private let call = #"{"method":"io.hearth.Hub.MeasureVitals","parameters":{"name":"strap-01"},"more":true}"#

/// The parameters of a reply with what its event does not have.
private func reply(_ event: String, _ member: String, _ document: String) -> String {
  let members = ["session", "state", "values", "notice", "record", "end"].map { name in
    "\"\(name)\":\(name == member ? document : "null")"
  }
  return #"{"parameters":{"event":"\#(event)",\#(members.joined(separator: ","))}"#
}

@Suite("Measuring vital signs over the control socket")
struct VitalsMethodTests {
  @Test("every event is reported once, in order, with its document; the last reply is how it ended")
  func stream() throws {
    let (replies, orders) = try serve { hub, _ in
      hub.vitals = VitalsScript.whole
      hub.vitalsEnd = VitalsResult(session: VitalsScript.session, record: VitalsScript.record)
    } client: { path in
      var replies: [JSON] = []
      let parameters: JSON = ["name": "strap-01", "seconds": 60, "person": "Ada"]
      try ControlClient(path: path).stream("MeasureVitals", parameters) { reply in
        replies.append(reply)
        return true
      }
      return replies
    } after: { hub, _, replies in
      (replies, hub.vitalsOrders)
    }
    #expect(orders == [VitalsOrder(seconds: 60, person: "Ada")])
    #expect(
      replies.map { $0["event"]?.text } == [
        "opened", "state", "state", "state", "state", "values", "values", "warning", "values", "warning", "state",
        "results", "state", "state", "state", "end",
      ])
    let session = try ControlClient.document(replies[0], "session", "") as VitalsSessionDocument
    #expect(session.id == 12 && session.person == "Ada" && session.sensor == "electrical" && session.basis == "rr")
    #expect(session.signs.count == VitalSign.allCases.count)
    let spo2 = session.signs.first { $0.name == "spo2" }
    #expect(spo2?.enabled == false && spo2?.reason == "needs_oximeter" && spo2?.unit == "%")
    #expect(session.signs.first { $0.name == "rmssd" }?.enabled == true)
    let states = try replies.filter { $0["event"]?.text == "state" }.map {
      try ControlClient.document($0, "state", "") as VitalsStateDocument
    }
    #expect(
      states.map(\.state) == [
        "initializing", "ready", "starting", "processing", "stopping", "ready", "terminating", "terminated",
      ])
    let moments = try [5, 6, 8].map { try ControlClient.document(replies[$0], "values", "") as VitalsMomentDocument }
    #expect(moments.map(\.elapsedS) == [1, 40, 41] && moments.allSatisfy { $0.requestedS == 60 })
    #expect(moments.map(\.quality) == [nil, "high", "withheld"] && moments.map(\.hidden) == [false, false, true])
    #expect(moments.map(\.pulseRate) == [66.5, 66.5, nil] && moments.map(\.results.isEmpty) == [true, false, true])
    #expect(moments[1].results.contains { $0.name == "rmssd" && $0.unit == "ms" && $0.method == "TD-1" })
    #expect(!moments[1].results.contains { $0.name == "rr_list" }, "the intervals are in the record")
    let end = try ControlClient.document(replies[15], "end", "") as VitalsEndDocument
    #expect(end == VitalsEndDocument(end: "duration"))
  }

  @Test("the bytes of each event")
  func bytes() throws {
    let lines = try serve { hub, _ in
      hub.vitals = [
        .opened(VitalsSession(id: 3, wearable: "strap-01", person: nil, sensor: .thermometer, seconds: 20)),
        .state(.processing, at: FakeHub.now), VitalsScript.moment(5), .notice(.dataGap, isOn: true),
        .notice(.sensorDisconnected, isOn: true),
      ]
      hub.vitalsEnd = VitalsResult(
        session: VitalsScript.session, trouble: HearthError(.linkLost, "strap-01: the sensor was disconnected (8007)"),
        code: .sensorDisconnected)
    } client: { path in
      let client = try RawClient(path)
      client.send(call)
      return try (0..<6).map { _ in try client.receive() ?? "" }
    }
    let signs = VitalSign.table(for: .thermometer).map { entry in
      let reason = entry.notEnabled.map { "\"\($0.rawValue)\"" } ?? "null"
      return
        #"{"name":"\#(entry.sign.rawValue)","unit":"\#(entry.sign.unit)","enabled":\#(entry.isEnabled),"reason":\#(reason)}"#
    }
    let session =
      #"{"schema":"io.hearth.vitals/1","id":3,"device":"strap-01","person":null,"sensor":"thermometer","basis":null,"seconds":20,"signs":[\#(signs.joined(separator: ","))]}"#
    let continues = #","continues":true}"#
    #expect(lines[0] == reply("opened", "session", session) + continues)
    #expect(
      lines[1] == reply("state", "state", #"{"state":"processing","time":"2026-11-21T10:00:00.000Z"}"#) + continues)
    let values =
      #"{"elapsed_s":5,"requested_s":60,"pulse_rate":66.5,"artefact_share":0.02,"quality":"high","hidden":false,"results":[]}"#
    #expect(lines[2] == reply("values", "values", values) + continues)
    func notice(_ code: SessionCode, _ reason: String) -> String {
      #"{"code":\#(code.rawValue),"sentence":"\#(code.sentence)","next":"\#(code.advice)","on":true,"reason":\#(reason)}"#
    }
    #expect(lines[3] == reply("warning", "notice", notice(.dataGap, "null")) + continues)
    #expect(lines[4] == reply("error", "notice", notice(.sensorDisconnected, #""H2104""#)) + continues)
    let reason = Reason.linkLost.text
    let trouble =
      #"{"code":"H2104","area":"link","sentence":"\#(reason.sentence)","detail":"strap-01: the sensor was disconnected (8007)","effect":"\#(reason.effect)","next":"\#(SessionCode.sensorDisconnected.advice)"}"#
    #expect(lines[5] == reply("end", "end", #"{"end":"error","code":8007,"reason":\#(trouble)}"#) + "}")
  }

  @Test("a stop and a client that hangs up both end it; without a measurement a stop is refused")
  func ends() throws {
    let (end, refused, orders) = try serve { hub, _ in
      hub.vitals = [.opened(VitalsScript.session)]
    } client: { path in
      let client = try ControlClient(path: path)
      var end: VitalsEndDocument?
      try client.stream("MeasureVitals", ["name": "strap-01"]) { reply throws(HearthError) in
        if reply["event"]?.text == "end" { end = try ControlClient.document(reply, "end", "MeasureVitals") }
        if end == nil { _ = try ControlClient(path: path).call("MeasureVitalsStop", ["name": "strap-01"]) }
        return true
      }
      try ControlClient(path: path).stream("MeasureVitals", ["name": "strap-01", "seconds": 180]) { _ in false }
      var refused: HearthError?
      // The hub sees within a moment that the second one went away.
      for _ in 0..<1000 where refused == nil {
        refused = refusal { _ = try client.call("MeasureVitalsStop", ["name": "strap-01"]) }
      }
      return (end, refused)
    } after: { hub, _, found in
      (found.0, found.1, hub.vitalsOrders)
    }
    #expect(end?.end == "terminated" && end?.code == nil && end?.reason?.code == "H2137")
    #expect(refused?.reason == .requestUntimely && orders.map(\.seconds) == [60, 180])
  }

  @Test("a session that stays takes another measurement by a call, and ends by one")
  func stays() throws {
    let (end, started, orders) = try serve { hub, _ in
      hub.vitals = [.opened(VitalsScript.session)]
    } client: { path in
      let client = try ControlClient(path: path)
      var end: VitalsEndDocument?
      try client.stream("MeasureVitals", ["name": "strap-01", "stays": true]) { reply throws(HearthError) in
        if reply["event"]?.text == "end" { end = try ControlClient.document(reply, "end", "MeasureVitals") }
        guard end == nil else { return true }
        let other = try ControlClient(path: path)
        _ = try other.call("MeasureVitalsStart", ["name": "strap-01", "seconds": 30])
        _ = try other.call("MeasureVitalsStart", ["name": "strap-01"])
        _ = try other.call("MeasureVitalsTerminate", ["name": "strap-01"])
        return true
      }
      let refused = refusal { _ = try client.call("MeasureVitalsStart", ["name": "strap-01", "seconds": 19]) }
      #expect(refused?.reason == .controlBadParameter)
      // The session is gone by now, which is no fault.
      _ = try client.call("MeasureVitalsTerminate", ["name": "strap-01"])
      return end
    } after: { hub, _, end in
      (end, hub.vitalsStarted, hub.vitalsOrders)
    }
    #expect(end?.end == "terminated" && started == [30, 60])
    #expect(orders == [VitalsOrder(seconds: 60, stays: true)])
  }

  @Test("a client that never reads is disconnected, and the measurement ends with it")
  func slowClient() throws {
    let log = LogLines()
    let (slow, isMeasuring, unwanted) = try serve(
      prepare: { hub, _ in
        hub.vitals = VitalsScript.whole
        hub.repeatsVitals = true
      },
      client: { path in
        let slow = try RawClient(path)
        slow.send(call)
        // Others are served meanwhile.
        let other = try ControlClient(path: path)
        for _ in 0..<10_000 where !log.all.contains(where: { $0.contains("H6007") }) {
          _ = try other.call("EnrollClose")
        }
        return slow
      }, log: log
    ) { hub, server, client in
      for _ in 0..<100 where hub.isMeasuringVitals { await Task.yield() }
      _ = client
      return (server.statistics.slowClients, hub.isMeasuringVitals, hub.vitalsUnwanted)
    }
    #expect(slow == 1 && !isMeasuring && unwanted == 1)
    #expect(log.all.contains { $0.contains("H6007") && $0.contains("uid \(getuid())") })
  }

  @Test("a wearable without beats says what can be done instead; a measured one is busy; an unknown person is refused")
  func refusals() throws {
    let log = LogLines()
    let found = try serve(
      prepare: { hub, _ in hub.vitals = [.opened(VitalsScript.session)] },
      client: { path in
        func asked(_ parameters: JSON) throws -> HearthError? {
          let client = try ControlClient(path: path)
          return refusal { try client.stream("MeasureVitals", parameters) { _ in true } }
        }
        let client = try ControlClient(path: path)
        var busy: HearthError?
        try client.stream("MeasureVitals", ["name": "strap-01"]) { _ in
          busy = try? asked(["name": "strap-01"])
          return false
        }
        return [
          busy, try asked(["name": "strap-02"]), try asked(["name": "strap-01", "person": "Bob"]),
          try asked(["name": "strap-77"]), try asked(["name": "strap-01", "seconds": 19]),
          try asked(["name": "strap-01", "seconds": 181]), try asked(["name": "strap-01", "series": "heart_rate"]),
          refusal { _ = try ControlClient(path: path).call("MeasureVitals", ["name": "strap-01"]) },
        ]
      }, log: log
    ) { _, _, found in found }
    #expect(
      found.map { $0?.reason } == [
        .requestUntimely, .requestUnsupported, .noSuchWearer, .noSuchWearable, .controlBadParameter,
        .controlBadParameter, .controlBadParameter, found[7]?.reason,
      ])
    #expect(found[7] != nil && found[1]?.detail.contains("hearth measure strap-02 heart_rate") == true)
    #expect(!log.all.contains { $0.contains("Bob") }, "no line of the log names a person")
  }

  @Test("readers of values and results are noted, with the person if the order names one")
  func notes() throws {
    func notes(_ person: JSON) throws -> [AccessNote] {
      try serve { hub, _ in
        hub.vitals = VitalsScript.whole
        hub.vitalsEnd = VitalsResult(session: VitalsScript.session, record: VitalsScript.record)
      } client: { path in
        try ControlClient(path: path).stream("MeasureVitals", ["name": "strap-01", "person": person]) { _ in true }
      } after: { hub, _, _ in
        hub.accessNotes.filter { $0.method == "MeasureVitals" }
      }
    }
    let found = try notes("Ada")
    #expect(found.allSatisfy { $0.wearable == WearableID(number: 1) && $0.user == geteuid() })
    let series = found.reduce(into: Set<UInt16>()) { $0.formUnion($1.series) }
    #expect(series.isSuperset(of: [Series.heartRate.id, Series.measurement.id]))
    #expect(found.reduce(0) { $0 + $1.calls } == 1 && found.allSatisfy { $0.wearers == [WearerID(number: 1)] })
    #expect(try notes(.null).allSatisfy { $0.wearers.isEmpty }, "else the assignments say it")
  }

  @Test("each number of a session has words and a next step, and each kind of sensor a name")
  func words() {
    for code in SessionCode.allCases {
      #expect(!code.advice.isEmpty && code.advice.count < 110 && !code.advice.hasSuffix("."), "\(code)")
    }
    let names = SensorClass.allCases.map(\.word)
    #expect(Set(names).count == names.count && names.allSatisfy { $0.rawValue.wholeMatch(of: /[a-z_]+/) != nil })
  }
}
