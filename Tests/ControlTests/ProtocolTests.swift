import EventLoop
import Foundation
import Health
import Hub
import Reasons
import Testing

@testable import Control
@testable import HubProtocol
@testable import RingStore

private let info = #"{"method":"org.varlink.service.GetInfo"}"#
private let list = #"{"method":"io.hearth.Hub.EnrollClose"}"#

private func refusal(_ code: String, _ detail: String) throws -> String {
  let error = HearthError(try #require(Reason(code: code)), detail)
  return String(decoding: VarlinkError.refused(error).message, as: UTF8.self)
}

@Suite("The control protocol")
struct ProtocolTests {
  @Test("a call that comes byte by byte is answered")
  func split() throws {
    let answer = try serve { path in
      let client = try RawClient(path)
      for byte in Array(list.utf8) + [0] {
        client.send([byte])
        usleep(200)
      }
      return try client.receive()
    }
    #expect(answer == #"{"parameters":{}}"#)
  }

  @Test("calls that come in one piece are answered one by one, in order")
  func merged() throws {
    let answers = try serve { path in
      let client = try RawClient(path)
      client.send(Array((list + "\0" + info + "\0" + #"{"method":"io.hearth.Hub.Nothing"}"# + "\0" + list + "\0").utf8))
      return [try client.receive(), try client.receive(), try client.receive(), try client.receive()]
    }
    #expect(answers[0] == #"{"parameters":{}}"#)
    #expect(answers[1]?.contains(#""vendor":"Hearth","product":"hearthd""#) == true)
    #expect(
      answers[2] == #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"io.hearth.Hub.Nothing"}}"#)
    #expect(answers[3] == #"{"parameters":{}}"#)
  }

  @Test(
    "what is no call gets its reason, then the connection ends",
    arguments: [
      ("", "a call that is not JSON: a value is missing at byte 0"),
      ("hello", "a call that is not JSON: not a value at byte 0"),
      ("[]", "a call that is not an object"), ("{}", "a call without a method"),
      (#"{"method":7}"#, "a call without a method"),
      (#"{"method":"a.B","parameters":[]}"#, "parameters that are not an object"),
      (#"{"method":"a.B","more":1}"#, "'more' has a value it cannot have"),
      (#"{"method":"a.B","upgrade":true}"#, "'upgrade' has a value it cannot have"),
      (
        #"{"method":"io.hearth.Hub.Items","parameters":{"name":"a","name":"b"}}"#,
        "a call that is not JSON: a key is given twice at byte 63"
      ),
      (
        #"{"method":"a.B","parameters":"# + String(repeating: "[", count: 100_000),
        "a call that is not JSON: nested deeper than 16 at byte 44"
      ),
    ])
  func malformed(call: String, detail: String) throws {
    let (answer, end) = try serve { path in
      let client = try RawClient(path)
      client.send(call)
      return (try client.receive(), try client.receive())
    }
    #expect(try answer == refusal("H6003", detail))
    #expect(end == nil)
  }

  private static let spans: [(method: String, parameters: [JSON.Member])] = [
    ("Items", [JSON.Member("name", "strap-01"), JSON.Member("series", "heart_rate")]),
    ("Days", [JSON.Member("name", "strap-01")]), ("Coverage", [JSON.Member("name", "strap-01")]),
    ("SyncNow", [JSON.Member("name", "strap-01")]), ("Events", []), ("Export", []), ("Accesses", []),
  ]

  @Test("H6005: an end that is not later than its begin is refused by each method that takes both")
  func backwards() throws {
    let (codes, sound) = try serve { path -> ([String: [String?]], Reason?) in
      var codes: [String: [String?]] = [:]
      for (method, parameters) in Self.spans {
        for (since, until) in [
          ("2026-11-21T10:00:00Z", "2026-11-21T09:00:00Z"), ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"),
        ] {
          let client = try RawClient(path)
          let times = [JSON.Member("since", .string(since)), JSON.Member("until", .string(until))]
          let call: JSON = [
            "method": .string("io.hearth.Hub.\(method)"), "parameters": .object(parameters + times),
            "more": .bool(method == "Export"),
          ]
          client.send(call.compact + [0])
          let reply = try client.receive().map { try JSON.parse(Array($0.utf8)) }
          codes[method, default: []].append(reply?["parameters"]?["code"]?.text)
        }
      }
      // A date is whole.
      do throws(HearthError) {
        _ = try ControlClient(path: path).call(
          "Days", ["name": "strap-01", "since": "2026-11-21", "until": "2026-11-21"])
      } catch { return (codes, error.reason) }
      return (codes, nil)
    }
    #expect(codes.count == Self.spans.count)
    for (method, found) in codes { #expect(found == ["H6005", "H6005"], "\(method)") }
    #expect(sound == nil)
  }

  @Test("a call longer than 256 KiB is refused before it has ended")
  func oversize() throws {
    let (answer, end) = try serve { path in
      let client = try RawClient(path)
      client.send(Array(repeating: UInt8(ascii: " "), count: 300 << 10))
      return (try client.receive(), try client.receive())
    }
    #expect(try answer == refusal("H6003", "a call longer than 262144 bytes"))
    #expect(end == nil)
  }

  @Test(
    "wrong calls are answered with the standard errors",
    arguments: [
      (
        #"{"method":"io.hearth.Hub.Reboot"}"#,
        #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"io.hearth.Hub.Reboot"}}"#
      ),
      (
        #"{"method":"org.varlink.service.Nothing"}"#,
        #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"org.varlink.service.Nothing"}}"#
      ),
      (
        #"{"method":"com.example.Thing.Do"}"#,
        #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"com.example.Thing"}}"#
      ),
      (#"{"method":"Do"}"#, #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":""}}"#),
      (
        #"{"method":"io.hearth.Hub.Device"}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"name"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Device","parameters":{"name":7}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"name"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Status","parameters":{"nmae":"x"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"nmae"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.EnrollOpen","parameters":{"seconds":0}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"seconds"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.EnrollOpen","parameters":{"seconds":1e1}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"seconds"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.ExportNext","parameters":{"cursor":"ward","since":"2h"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"since"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.ExportNext"}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"cursor"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.StorePeek","parameters":{"name":"strap-01","series":"heart_rate","count":1001}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"count"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.StorePurge","parameters":{"name":"strap-01"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"losing"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.StorePurge","parameters":{"losing":-1}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"losing"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Events","parameters":{"limit":0}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"limit"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Visits","parameters":{"limit":1001}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"limit"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.VisitNow"}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"name"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.VisitWatch","parameters":{"name":"strap-01","after":-1},"more":true}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"after"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.VisitWatch","parameters":{"name":"strap-01"}}"#,
        #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.SyncNow","parameters":{"name":"strap-01","series":[1]}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"series"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.SyncWatch","parameters":{"name":"strap-01"}}"#,
        #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Custody","parameters":{"name":"strap-01","last":1}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"last"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Link","parameters":{"name":""}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"name"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.LinkSet","parameters":{"name":"strap-01","profile":"asleep"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"profile"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.LinkSet","parameters":{"name":"strap-01"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"profile"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Clock","parameters":{"device":"strap-01"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"device"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Radio","parameters":{"name":"hci0"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"name"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.RadioRecover","parameters":{"rung":3}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"rung"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Pairings","parameters":{"x":1}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"x"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.PairAnswer","parameters":{"name":"strap-01","answer":"maybe"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"answer"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.PairAnswer","parameters":{"name":"strap-01","answer":"passkey"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"passkey"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.PairAnswer","parameters":{"name":"strap-01","answer":"passkey","passkey":1000000}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"passkey"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.PairAnswer","parameters":{"name":"strap-01","answer":"yes","passkey":1}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"passkey"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Actions"}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"name"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Act","parameters":{"name":"strap-01"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"action"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Act","parameters":{"name":"strap-01","action":"x","arguments":[7]}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"arguments"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.Report","parameters":{"name":"strap-01"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"topic"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.OrdersSet","parameters":{"name":"strap-01"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"streams"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.OrdersSet","parameters":{"name":"strap-01","streams":["moods"]}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"streams"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.SecretSet","parameters":{"name":"strap-01","secret":"0011"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"secret"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.SecretSet","parameters":{"name":"strap-01","secret":"00112233445566778899aabbccddeeff","generate":true}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"secret"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.WearerBody","parameters":{"wearer":"Ada","height_cm":89}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"height_cm"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.WearerBody","parameters":{"wearer":"Ada","born":"17.5.1980"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"born"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.WearerBody","parameters":{"wearer":"Ada","sex":"f"}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"sex"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.WearerBody","parameters":{"wearer":"Ada","forget":["shoe_size"]}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"forget"}}"#
      ),
      (
        #"{"method":"io.hearth.Hub.WearerBody","parameters":{"wearer":"Ada","height_cm":171,"forget":["height_cm"]}}"#,
        #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"forget"}}"#
      ),
      (#"{"method":"io.hearth.Hub.Live"}"#, #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#),
      (#"{"method":"io.hearth.Hub.Export"}"#, #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#),
    ])
  func standardErrors(call: String, expected: String) throws {
    let answers = try serve { path in
      let client = try RawClient(path)
      client.send(call)
      client.send(list)
      return [try client.receive(), try client.receive()]
    }
    #expect(answers == [expected, #"{"parameters":{}}"#])
  }

  @Test("a oneway call is done and not answered, even if the client leaves at once")
  func oneway() throws {
    let (answer, forgotten) = try serve { path in
      let client = try RawClient(path)
      client.send(#"{"method":"io.hearth.Hub.Forget","parameters":{"name":"strap-01"},"oneway":true}"#)
      client.send(list)
      let answer = try client.receive()
      let hasty = try RawClient(path)
      hasty.send(#"{"method":"io.hearth.Hub.Forget","parameters":{"name":"strap-02"},"oneway":true}"#)
      return answer
    } after: { hub, server, answer in
      try await server.loop.sleep(for: .milliseconds(50))
      return (answer, hub.forgotten)
    }
    #expect(answer == #"{"parameters":{}}"#)
    #expect(forgotten == ["strap-01", "strap-02"])
  }

  @Test("a client that closes its sending side still gets its answer")
  func halfClosed() throws {
    let (answer, end) = try serve { path in
      let client = try RawClient(path)
      client.send(list)
      shutdown(client.descriptor, Int32(SHUT_WR))
      return (try client.receive(), try client.receive())
    }
    #expect(answer == #"{"parameters":{}}"#)
    #expect(end == nil)
  }

  @Test("the service describes itself, and the description is the file in the repository")
  func description() throws {
    let (hub, service) = try serve { path in
      let client = try RawClient(path)
      client.send(
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"io.hearth.Hub"}}"#)
      client.send(
        #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.varlink.service"}}"#)
      return (try client.receive(), try client.receive())
    }
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../Sources/HubProtocol/io.hearth.Hub.varlink")
    let file = try String(contentsOf: sources, encoding: .utf8)
    #expect(try JSON.parse(Array((hub ?? "").utf8))["parameters"]?["description"] == .string(file))
    #expect(
      try JSON.parse(Array((service ?? "").utf8))["parameters"]?["description"]?.text?.contains(
        "interface org.varlink.service\n") == true)
  }

  @Test("every method of the interface exists, and answers with the members it declares")
  func methods() throws {
    let interface = InterfaceFile(InterfaceText.hub)
    #expect(interface.methods.count == 89)
    // Types, methods and errors share one name space.
    #expect(Set(interface.types.keys).isDisjoint(with: interface.methods.map(\.name)))
    let parameters: [String: String] = [
      "Device": #"{"name":"strap-01"}"#, "EnrollAccept": #"{"which":"A"}"#,
      "Rename": #"{"name":"strap-01","new_name":"x"}"#,
      "Forget": #"{"name":"strap-01"}"#, "StorePeek": #"{"name":"strap-01","series":"heart_rate"}"#,
      "Items": #"{"name":"strap-02","series":"heart_rate"}"#, "Daily": #"{"name":"strap-02"}"#,
      "Measurements": #"{"name":"strap-02"}"#,
      "Days": #"{"name":"strap-02"}"#, "Coverage": #"{"name":"strap-02"}"#,
      "StorePurge": #"{"losing":3}"#, "StoreForgetCursor": #"{"cursor":"ward"}"#, "ExportNext": #"{"cursor":"ward"}"#,
      "VisitNow": #"{"name":"strap-01"}"#,
      "SyncNow": #"{"name":"strap-01"}"#, "SyncWatch": #"{"name":"strap-01"}"#,
      "VisitWatch": #"{"name":"strap-01"}"#,
      "Custody": #"{"name":"strap-01"}"#, "Link": #"{"name":"strap-01"}"#,
      "LinkSet": #"{"name":"strap-01","profile":"auto"}"#,
      "EraseSet": #"{"name":"strap-01","choice":"ask"}"#, "ListenSet": #"{"name":"strap-01","choice":"off"}"#,
      "AbsenceSet": #"{"name":"strap-01","choice":"7200"}"#,
      "Pause": #"{"name":"strap-01"}"#, "Resume": #"{"name":"strap-01"}"#,
      "Mute": #"{"code":"H2109"}"#, "Unmute": #"{"code":"H2109"}"#,
      "AlertsAcknowledge": #"{"name":"strap-01"}"#,
      "AlertsSet": #"{"name":"strap-01","exercise":"on"}"#,
      "TrainingBegin": #"{"name":"strap-01"}"#, "TrainingEnd": #"{"name":"strap-01"}"#,
      "Monitoring": #"{"name":"strap-01"}"#,
      "MonitoringSet": #"{"name":"strap-01","series":"heart_rate","on":true,"limits":{"rest-above":"120"}}"#,
      "PairAnswer": #"{"name":"strap-01","answer":"yes"}"#, "Actions": #"{"name":"strap-01"}"#,
      "Act": #"{"name":"strap-01","action":"start-activity"}"#, "BondImport": #"{"bonds":[]}"#,
      "BondRemove": #"{"name":"strap-01"}"#, "MeasureStop": #"{"name":"strap-01"}"#,
      "Measure": #"{"name":"strap-01","series":"heart_rate"}"#,
      "MeasureVitals": #"{"name":"strap-01"}"#, "MeasureVitalsStop": #"{"name":"strap-01"}"#,
      "MeasureVitalsStart": #"{"name":"strap-01","seconds":30}"#, "MeasureVitalsTerminate": #"{"name":"strap-01"}"#,
      "Report": #"{"name":"strap-01","topic":"settings"}"#, "Orders": #"{"name":"strap-01"}"#,
      "OrdersSet": #"{"name":"strap-01","streams":["ecg"]}"#,
      "SecretSet": #"{"name":"strap-01","generate":true}"#, "WearerAdd": #"{"name":"Ada"}"#,
      "WearerRename": #"{"wearer":"Ada","new_name":"Eve"}"#, "WearerSet": #"{"wearer":"Ada","id":"M-42"}"#,
      "WearerRetire": #"{"wearer":"Ada"}"#, "WearerBody": #"{"wearer":"Ada","height_cm":171}"#,
      "Assignments": #"{"name":"strap-01"}"#,
      "Assign": #"{"name":"strap-01","wearer":"Ada"}"#,
      "AssignmentCorrect": #"{"name":"strap-01","begin":"2026-11-21T09:00:00Z","nobody":true}"#,
      "AssignmentDelete": #"{"name":"strap-01","begin":"2026-11-21T09:00:00Z"}"#,
      "BackupTell": #"{"made_at":1795000000000000}"#,
      "WearerErasePlan": #"{"wearer":"Ada"}"#, "WearerErase": #"{"wearer":"Ada","losing":12}"#,
    ]
    // A stream, and what needs a whole store.
    for method in interface.methods where !["Live", "BackupNext"].contains(method.name) {
      let answer = try serve { hub, _ in
        hub.fill(3)
        hub.report.findings = [VerifyReport.Finding(place: "chunks 1", what: "its checksum is wrong")]
        hub.events = [
          StoreEvent(number: 1, time: FakeHub.now, reason: 4101, wearable: WearableID(number: 1), text: "x")
        ]
        fillLane(hub)
        hub.measurementEnds = MeasurementResult(wearable: "strap-01", series: .heartRate, end: .limit)
        hub.isMeasuring = method.name == "MeasureStop"
        hub.vitals = VitalsScript.whole
        hub.vitalsEnd = VitalsResult(session: VitalsScript.session, record: VitalsScript.record)
        hub.isMeasuringVitals = ["MeasureVitalsStart", "MeasureVitalsStop"].contains(method.name)
        if method.name == "TrainingEnd" { hub.beginEffort() }
      } client: { path in
        let client = try RawClient(path)
        let more = ["Export", "VisitWatch", "SyncWatch", "Measure", "MeasureVitals"].contains(method.name)
        client.send(
          #"{"method":"io.hearth.Hub.\#(method.name)","parameters":\#(parameters[method.name] ?? "{}"),"more":\#(more)}"#
        )
        return try client.receive() ?? ""
      }
      let reply = try #require(try JSON.parse(Array(answer.utf8))["parameters"], "\(method.name)")
      interface.check(reply, method.output, method.name)
    }
  }
}

/// As much of the interface definition language as our file needs.
struct InterfaceFile {
  struct Method: Sendable { var name: String, output: [(name: String, type: String)] }
  var types: [String: [(name: String, type: String)]] = [:]
  /// The members of enumerations.
  var words: [String: [String]] = [:]
  var methods: [Method] = []

  init(_ text: String) {
    let plain = text.replacing(/#.*/, with: "")
    for match in plain.matches(of: /(?:type|error) (\w+) \(([^)]*)\)/) {
      let (name, members) = (String(match.output.1), match.output.2)
      if members.contains(":") || members.allSatisfy(\.isWhitespace) {
        types[name] = Self.fields(members)
      } else {
        words[name] = members.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      }
    }
    for match in plain.matches(of: /method (\w+)\([^)]*\) -> \(([^)]*)\)/) {
      methods.append(Method(name: String(match.output.1), output: Self.fields(match.output.2)))
    }
  }

  private static func fields(_ text: Substring) -> [(name: String, type: String)] {
    text.split(separator: ",").map { field in
      let parts = field.split(separator: ":").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      return (parts[0], parts[1])
    }
  }

  /// The value has exactly these members, each of its type.
  func check(_ value: JSON, _ fields: [(name: String, type: String)], _ path: String) {
    guard case .object(let members) = value else {
      Issue.record("\(path) is not an object")
      return
    }
    // Optional members of a sample may be left out; the others are always there, and all are in order.
    let present = fields.filter { field in members.contains { $0.key == field.name } }
    #expect(members.map(\.key) == present.map(\.name), "\(path)")
    for field in fields where !present.contains(where: { $0.name == field.name }) {
      #expect(field.type.hasPrefix("?") && fields.contains { $0.name == "origin" }, "\(path).\(field.name) is missing")
    }
    for (member, field) in zip(members, present) { check(member.value, field.type, "\(path).\(field.name)") }
  }

  private func check(_ value: JSON, _ type: String, _ path: String) {
    switch (type, value) {
    case (_, .null) where type.hasPrefix("?"): break
    case (_, _) where type.hasPrefix("?"): check(value, String(type.dropFirst()), path)
    case (_, .array(let items)) where type.hasPrefix("[]"):
      for item in items { check(item, String(type.dropFirst(2)), path) }
    case ("object", .integer), ("object", .decimal), ("object", .array): break
    case ("string", .string), ("int", .integer), ("bool", .bool), ("float", .integer), ("float", .decimal): break
    case ("[string]string", .object(let members)): for member in members { check(member.value, "string", path) }
    case ("[string]int", .object(let members)): for member in members { check(member.value, "int", path) }
    default:
      if let fields = types[type] {
        check(value, fields, path)
      } else if let words = words[type], case .string(let word) = value {
        #expect(words.contains(word), "\(path) is \(word), not one of \(type)")
      } else {
        Issue.record("\(path) is \(value), not \(type)")
      }
    }
  }
}
