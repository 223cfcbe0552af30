import EventLoop
import Export
import Foundation
import Hub
import HubProtocol
import ProgramSupport
import Reasons
import StoreDocuments
import Testing

@testable import Control
@testable import Vitals
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

/// What a hub tells of a measurement.
private enum Told {
  static func session(_ sensor: SensorClass = .electrical, person: String? = "Ada") -> VitalsNews {
    .opened(VitalsSession(id: 12, wearable: "strap-07", person: person, sensor: sensor, seconds: 60))
  }

  static func state(_ state: SessionState, _ seconds: Int64 = 0) -> VitalsNews {
    .state(state, at: now + .milliseconds(seconds * 1000))
  }

  static func moment(_ seconds: Int64, pulse: Double? = 63.2, share: Double? = 0.01, hidden: Bool = false) -> VitalsNews
  {
    .values(
      VitalsMoment(
        elapsed: seconds * 1_000_000, requested: 60_000_000, pulseRate: pulse, artefactShare: share, isHidden: hidden))
  }

  /// What a sensor itself tells.
  static func reading(_ seconds: Int64, _ sensor: SensorClass, _ reading: SensorReading) -> VitalsNews {
    var signs = VitalSigns()
    let report = signs.report(
      VitalRequest(sensor: sensor, phase: .runtime, reading: reading), of: BeatWindow(BeatSeries([]), seconds: 10))
    return .values(VitalsMoment(elapsed: seconds * 1_000_000, requested: 60_000_000, report: report))
  }

  static var record: MeasurementRecord {
    var record = MeasurementRecord(basis: .rr, endReason: .duration)
    (record.session, record.number, record.person, record.device) = (12, 1, "Ada", "strap-07")
    (record.start, record.end) = (now.microseconds, now.microseconds + 60_000_000)
    (record.requested, record.actual, record.artefactShare, record.coverage) = (60_000_000, 60_000_000, 0.01, 0.99)
    record.append(
      VitalResult(name: "rmssd", value: 41.5, unit: "ms", confidence: .high, windowSeconds: 60, method: "TD-1"))
    record.append(NotReported(name: "energy", reason: "rate_too_low"))
    return record
  }

  static func result(
    _ record: MeasurementRecord? = nil, _ trouble: HearthError? = nil, _ code: SessionCode? = nil
  ) -> VitalsResult {
    VitalsResult(
      session: VitalsSession(id: 12, wearable: "strap-07", person: "Ada", sensor: .electrical, seconds: 60),
      record: record, trouble: trouble, code: code)
  }

  static let measured: [VitalsNews] = [
    session(), state(.initializing), state(.ready, 2), state(.starting, 2), state(.processing, 3),
    moment(1, pulse: nil, share: nil), moment(5), moment(6), moment(10, share: 0.07), .notice(.dataGap, isOn: true),
    moment(15, pulse: nil, share: 0.3, hidden: true), .notice(.dataGap, isOn: false),
  ]
  static let computed: [VitalsNews] = [state(.stopping, 63), .results(record), state(.ready, 63)]
  static let closed: [VitalsNews] = [state(.terminating, 63), state(.terminated, 64)]
  static let over = computed + closed

  static func reply(_ news: VitalsNews) -> Methods.MeasureVitals.Reply {
    .init(news) { VitalsRecordDocument($0, SampleExport(.ndjson, wearables: [])) }
  }

  static func message(_ news: VitalsNews) -> String { text(reply(news), true) }
  static func message(_ result: VitalsResult) -> String {
    text(.init(event: "end", end: VitalsEndDocument(result)), false)
  }
  private static func text(_ reply: Methods.MeasureVitals.Reply, _ continues: Bool) -> String {
    String(
      decoding: (["parameters": JSON(encoding: reply), "continues": .bool(continues)] as JSON).compact, as: UTF8.self)
  }
}

@Suite("What hearth prints while vital signs are measured")
struct CLIVitalsTests {
  /// What was printed for good, and the line of the terminal after each event.
  private func shown(_ news: [VitalsNews], terminal: Bool) throws -> (printed: String, live: [String]) {
    var view = VitalsView(hubTime, isTerminal: terminal)
    var (printed, live) = ("", [String]())
    for one in news {
      printed += view.take(Told.reply(one))
      live.append(view.liveLine)
    }
    return (printed, live)
  }

  @Test("without a terminal each state, each five seconds of values and each warning has a line")
  func lines() throws {
    let found = try shown(Told.measured + Told.over, terminal: false).printed
    #expect(
      found == """
        times in UTC
        strap-07: vital signs of Ada for 60 s, from the intervals of a chest strap
        10:00:00  linking
        10:00:02  ready
        10:00:02  starting
        10:00:03  measuring
                  5 of 60 s  63 bpm  quality high
                  10 of 60 s  63 bpm  quality medium
                  warning 9500: no data came from the sensor for a while; \(SessionCode.dataGap.advice)
                  15 of 60 s  pulse hidden  quality withheld
                  over 9500: no data came from the sensor for a while
        10:01:03  computing
        10:01:03  ready
        10:01:03  closing
        10:01:04  closed\n
        """)
    let error = try shown([Told.session(), .notice(.sensorDisconnected, isOn: true)], terminal: false).printed
    #expect(error.hasSuffix("          error 8007: the sensor was disconnected\n"))
  }

  @Test("on a terminal one line says state, seconds left, pulse, quality and what warns")
  func live() throws {
    let (printed, live) = try shown(Told.measured + Told.over, terminal: true)
    #expect(printed == "strap-07: vital signs of Ada for 60 s, from the intervals of a chest strap\n")
    #expect(
      live == [
        "strap-07", "strap-07  linking", "strap-07  ready", "strap-07  starting", "strap-07  measuring",
        "strap-07  measuring  59 s left  no pulse yet", "strap-07  measuring  55 s left  63 bpm  quality high",
        "strap-07  measuring  54 s left  63 bpm  quality high",
        "strap-07  measuring  50 s left  63 bpm  quality medium",
        "strap-07  measuring  50 s left  63 bpm  quality medium  no data came from the sensor for a while",
        "strap-07  measuring  45 s left  pulse hidden  quality withheld  no data came from the sensor for a while",
        "strap-07  measuring  45 s left  pulse hidden  quality withheld", "strap-07  computing", "strap-07  computing",
        "strap-07  ready", "strap-07  closing", "strap-07  closed",
      ])
  }

  private func reading(_ make: (inout SensorReading) -> Void) -> SensorReading {
    var reading = SensorReading()
    make(&reading)
    return reading
  }

  @Test("an oximeter shows its saturation, a thermometer its temperature and no pulse; an unknown sensor is said so")
  func sensors() throws {
    let oximeter = try shown(
      [
        Told.session(.oximeter, person: nil), Told.state(.processing),
        Told.reading(5, .oximeter, reading { $0.saturation = 97 }),
      ], terminal: true)
    #expect(oximeter.printed == "strap-07: vital signs of an unknown person for 60 s, of an oximeter\n")
    #expect(oximeter.live.last == "strap-07  measuring  55 s left  no pulse yet  SpO2 97 %")
    let thermometer = try shown(
      [
        Told.session(.thermometer), Told.state(.processing),
        Told.reading(5, .thermometer, reading { $0.temperature = 36.64 }),
      ], terminal: true)
    #expect(thermometer.live.last == "strap-07  measuring  55 s left  36.6 °C")
  }

  @Test("names of a hub that drive a terminal are made harmless; extra fields of a newer hub are passed over")
  func hostile() throws {
    var view = VitalsView(hubTime, isTerminal: false)
    let session = VitalsSession(
      id: 1, wearable: "a\u{1B}[2Jb", person: "E\u{202E}ve", sensor: .electrical, seconds: 20)
    let text = view.take(Told.reply(.opened(session)))
    #expect(text.contains("a?[2Jb: vital signs of E?ve for 20 s"))
    #expect(view.take(.init(event: "forecast")) == "")
    var line = ProgressLine(isTerminal: true, width: 79)
    #expect(!line.draw(view.liveLine).dropFirst().unicodeScalars.contains("\u{1B}"))
  }

  @Test("options of a series and of vital signs exclude each other, with a sentence; numbers are bounded")
  func usage() {
    for (words, sentence) in [
      (["measure", "strap-07", "--for", "30"], "vital signs take --seconds"),
      (["measure", "strap-07", "--every", "5"], "vital signs take --seconds"),
      (["measure", "strap-07", "--until-stopped"], "vital signs take --seconds"),
      (["measure", "strap-07", "heart_rate", "--seconds", "30"], "--seconds, --person and --count are for"),
      (["measure", "strap-07", "heart_rate", "--person", "Ada"], "--seconds, --person and --count are for"),
      (["measure", "strap-07", "--seconds", "19"], "--seconds takes 20 to 180, not 19"),
      (["measure", "strap-07", "--seconds", "181"], "--seconds takes 20 to 180, not 181"),
      (["measure", "strap-07", "--count", "0"], "--count takes 1 to 10, not 0"),
      (["measure", "strap-07", "--count", "11"], "--count takes 1 to 10, not 11"),
      (["measure", "strap-07", "heart_rate", "--count", "2"], "--seconds, --person and --count are for"),
      (["measure", "strap-07", "--person", ""], "--person takes the name or the number of a wearer"),
      (["measure"], "Missing expected argument"),
    ] {
      let error = #expect(throws: (any Error).self, "\(words)") { try HearthCommand.parseAsRoot(words) }
      let text = error.map { HearthCommand.fullMessage(for: $0) } ?? ""
      #expect(text.contains(sentence), "\(words): \(text)")
    }
    for words in [
      ["measure", "strap-07"], ["measure", "strap-07", "--seconds", "20", "--person", "Ada", "--count", "3"],
      ["measure", "strap-07", "--json", "--seconds", "180"],
    ] {
      #expect(throws: Never.self, "\(words)") { try HearthCommand.parseAsRoot(words) }
    }
  }
}

/// The program itself, against a hub that plays a script.
@Suite("hearth measure without a series, as a program", .serialized)
struct CLIVitalsCommandTests {
  private static let program = RunningDaemon.programs.appendingPathComponent("hearth")

  /// Runs it to its end.
  private func run(_ script: ScriptedHub.Script, _ words: String...) throws -> (
    status: Int32, output: String, error: String, called: [String]
  ) {
    let hub = try ScriptedHub(script)
    defer { hub.end() }
    let client = Process()
    let (output, error) = (Pipe(), Pipe())
    client.executableURL = Self.program
    client.arguments = ["--socket", hub.path, "measure"] + words
    (client.standardOutput, client.standardError) = (output, error)
    try client.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let said = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    client.waitUntilExit()
    return (client.terminationStatus, text, said, hub.called)
  }

  private static func script(_ news: [VitalsNews], _ result: VitalsResult) -> ScriptedHub.Script {
    ScriptedHub.Script(begin: news.map { Told.message($0) } + [Told.message(result)])
  }

  @Test("what is ordered is asked of the hub; lines and the card come, and 0")
  func results() throws {
    let script = Self.script(Told.measured + Told.over, Told.result(Told.record))
    let found = try run(script, "strap-07", "--seconds", "60", "--person", "Ada")
    #expect(found.status == 0 && found.error.isEmpty, "\(found)")
    #expect(found.called.contains(#"MeasureVitals {"name":"strap-07","seconds":60,"person":"Ada"}"#))
    #expect(found.output.contains("10:00:03  measuring\n") && found.output.contains("10:01:04  closed\n"))
    #expect(found.output.contains("41"), "the card has its RMSSD: \(found.output)")
  }

  @Test("with --json each event is the object that the socket streams, on one line")
  func json() throws {
    let news = Told.measured + Told.over
    let found = try run(Self.script(news, Told.result(Told.record)), "strap-07", "--json")
    let lines = found.output.split(separator: "\n").map { String($0) }
    let told = news.map { Told.reply($0) } + [.init(event: "end", end: VitalsEndDocument(Told.result(Told.record)))]
    #expect(found.status == 0 && lines == told.map { String(decoding: JSON(encoding: $0).compact, as: UTF8.self) })
  }

  @Test("an error that ends it is shown with code, meaning and a next step about the sensor, and 1; busy is 6")
  func errors() throws {
    let lost = HearthError(.linkLost, "strap-07: the sensor was disconnected (8007)")
    let news = Array(Told.measured.prefix(6)) + [.notice(.sensorDisconnected, isOn: true)]
    let found = try run(Self.script(news, Told.result(nil, lost, .sensorDisconnected)), "strap-07")
    #expect(found.status == 1 && found.output.contains("error 8007: the sensor was disconnected\n"), "\(found)")
    #expect(found.error.hasPrefix("H2104 link: strap-07: the sensor was disconnected (8007)\n"), "\(found)")
    #expect(found.error.contains("next: \(SessionCode.sensorDisconnected.advice)\n"), "\(found)")
    // Whatever code the hub has for it.
    let silent = HearthError(.requestNotDone, "strap-07: the signal was lost during the measurement (3003)")
    let lostSignal = try run(Self.script([Told.session()], Told.result(nil, silent, .signalLost)), "strap-07")
    #expect(lostSignal.status == 1 && lostSignal.error.contains("next: wear it firmly"), "\(lostSignal)")
    let ended = try run(Self.script([Told.session()], Told.result()), "strap-07")
    #expect(ended.status == 1 && ended.error == "hearth: it ended without results\n", "\(ended)")
  }

  @Test("a refusal says what can be done instead: 2 for a band without beats, 6 for one that is busy")
  func refusals() throws {
    func refused(_ error: HearthError) throws -> (status: Int32, error: String) {
      let trouble = JSON(encoding: TroubleDocument(error))
      let reply: JSON = ["error": "io.hearth.Hub.Refused", "parameters": trouble]
      let found = try run(
        ScriptedHub.Script(begin: [String(decoding: reply.compact, as: UTF8.self)]), "strap-07")
      return (found.status, found.error)
    }
    let band = try refused(
      HearthError(.requestUnsupported, "band-07 sends no beats by itself; hearth measure band-07 heart_rate does it"))
    #expect(band.status == 2 && band.error.contains("hearth measure band-07 heart_rate"), "\(band)")
    let busy = try refused(HearthError(.requestUntimely, "strap-07 is measured already"))
    #expect(busy.status == 6 && busy.error.hasPrefix("H2139 "), "\(busy)")
    #expect(try refused(HearthError(.noSuchWearable, "no wearable is called 'strap-07'")).status == 5)
  }

  @Test("a sensor that is lost ends it at once with 1, without waiting for its return")
  func lost() throws {
    let news =
      Told.measured + [
        .notice(.sensorDisconnected, isOn: true), Told.state(.stopping, 20), Told.state(.initializing, 20),
      ]
    let found = try run(ScriptedHub.Script(begin: news.map { Told.message($0) }, waits: true), "strap-07")
    #expect(found.status == 1 && found.output.hasSuffix("10:00:20  linking\n"), "\(found)")
    #expect(found.error.hasPrefix("H2104 link: strap-07: the sensor was disconnected (8007)\n"), "\(found)")
    #expect(found.error.hasSuffix("next: \(SessionCode.sensorDisconnected.advice)\n"), "\(found)")
    // Lost while they were computed, results stand.
    let late =
      Told.measured + [
        Told.state(.stopping, 63), .notice(.sensorDisconnected, isOn: true), .results(Told.record),
        Told.state(.initializing, 63), Told.state(.terminating, 63), Told.state(.terminated, 63),
      ]
    let kept = try run(Self.script(late, Told.result(Told.record)), "strap-07")
    #expect(kept.status == 0 && kept.error.isEmpty && kept.output.contains("RMSSD"), "\(kept)")
  }

  private static let series: [String] = (Told.measured + Told.computed).map { Told.message($0) }
  private static let further: [String] = (Told.measured.dropFirst(3) + Told.computed).map { Told.message($0) }

  @Test("several in one session: each begins when the one before has results, each has its card, and the session ends")
  func several() throws {
    let rest = Told.closed.map { Told.message($0) } + [Told.message(Told.result(Told.record))]
    let script = ScriptedHub.Script(begin: Self.series, turns: [Self.further, Self.further], rest: rest)
    let found = try run(script, "strap-07", "--seconds", "60", "--count", "3")
    #expect(found.status == 0 && found.error.isEmpty, "\(found)")
    let calls = found.called.filter { $0.hasPrefix("MeasureVitals") }
    let start = #"MeasureVitalsStart {"name":"strap-07","seconds":60}"#
    #expect(
      calls == [
        #"MeasureVitals {"name":"strap-07","seconds":60,"stays":true}"#, start, start,
        #"MeasureVitalsTerminate {"name":"strap-07"}"#,
      ])
    #expect(found.output.split(separator: "\n").count { $0.hasSuffix("of measuring, Ada") } == 3, "\(found.output)")
    #expect(found.output.contains("measurement 2 of 3\n") && found.output.contains("measurement 3 of 3\n"))
    #expect(!found.output.contains("measurement 4"))
    // A program reads every event, and no text of ours between them.
    let json = try run(script, "strap-07", "--count", "3", "--json")
    let lines = json.output.split(separator: "\n")
    #expect(json.status == 0 && lines.allSatisfy { $0.hasPrefix("{") } && lines.count { $0.contains("results") } >= 3)
  }

  @Test("of several, one without results ends them: 1, and what was measured before stands")
  func severalCutShort() throws {
    let failed: [VitalsNews] = [
      Told.state(.starting, 70), Told.state(.processing, 70), .notice(.signalLost, isOn: true),
      Told.state(.stopping, 90), Told.state(.ready, 90),
    ]
    let silent = HearthError(.requestNotDone, "strap-07: the signal was lost during the measurement (3003)")
    let rest = Told.closed.map { Told.message($0) } + [Told.message(Told.result(nil, silent, .signalLost))]
    let script = ScriptedHub.Script(begin: Self.series, turns: [failed.map { Told.message($0) }], rest: rest)
    let found = try run(script, "strap-07", "--count", "3")
    #expect(found.status == 1 && found.error.contains("next: wear it firmly"), "\(found)")
    #expect(found.called.count { $0.hasPrefix("MeasureVitalsStart") } == 1)
    #expect(found.output.split(separator: "\n").count { $0.hasSuffix("of measuring, Ada") } == 1, "\(found.output)")
    // The measurement of a lost sensor ends by itself, with results of the first alone.
    let end = [Told.message(Told.result(Told.record))]
    let lost = ScriptedHub.Script(begin: Self.series.dropLast() + rest.dropLast() + end)
    let one = try run(lost, "strap-07", "--count", "3")
    #expect(one.status == 1 && one.error == "hearth: 1 of 3 measurements have results\n", "\(one)")
  }

  @Test("a further reading of a cuff has three minutes, as a person has to use it")
  func severalByHand() throws {
    let begin = [Told.session(.cuff)] + Told.measured.dropFirst() + Told.computed
    let rest = Told.closed.map { Told.message($0) } + [Told.message(Told.result(Told.record))]
    let script = ScriptedHub.Script(begin: begin.map { Told.message($0) }, turns: [Self.further], rest: rest)
    let found = try run(script, "strap-07", "--count", "2")
    #expect(found.status == 0, "\(found)")
    #expect(found.called.contains(#"MeasureVitalsStart {"name":"strap-07","seconds":180}"#), "\(found.called)")
  }

  private func terminal(_ hub: ScriptedHub) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    try terminal.run(
      Self.program, ["--socket", hub.path, "measure", "strap-07"], ["TERM": "xterm", "NO_COLOR": "1"])
    return terminal
  }

  @Test("on a terminal the line is drawn over itself; Ctrl-C stops the measurement, and its results are shown")
  func stopped() throws {
    var record = Told.record
    (record.endReason, record.actual) = (.stop, 15_000_000)
    let hub = try ScriptedHub(
      ScriptedHub.Script(
        begin: Told.measured.map { Told.message($0) }, waits: true,
        rest: Told.over.map { Told.message($0) } + [Told.message(Told.result(record))], pace: 2000))
    defer { hub.end() }
    let terminal = try terminal(hub)
    try terminal.wait("the newest values") { $0.text.contains("strap-07  measuring  45 s left  pulse hidden") }
    #expect(terminal.text.contains("strap-07: vital signs of Ada for 60 s"))
    #expect(!terminal.text.contains("linking") && !terminal.text.contains("times in UTC"), "\(terminal.text)")
    terminal.signal(SIGINT)
    try terminal.wait("the card") { $0.text.contains("41") && !$0.text.contains("closed") }
    terminal.process.waitUntilExit()
    #expect(terminal.process.terminationReason == .exit && terminal.process.terminationStatus == 0)
    #expect(hub.called.contains(#"MeasureVitalsStop {"name":"strap-07"}"#) && !hub.wasLeft)
  }

  @Test("Ctrl-C before it measures ends the session: no measurement has to be stopped, and the program leaves")
  func left() throws {
    let refusal: JSON = [
      "error": "io.hearth.Hub.Refused",
      "parameters": JSON(encoding: TroubleDocument(HearthError(.requestUntimely, "strap-07 is not measured yet"))),
    ]
    let hub = try ScriptedHub(
      ScriptedHub.Script(
        begin: [Told.message(Told.session()), Told.message(Told.state(.initializing))], waits: true,
        stop: String(decoding: refusal.compact, as: UTF8.self)))
    defer { hub.end() }
    let terminal = try terminal(hub)
    try terminal.wait("it is being linked") { $0.text.contains("strap-07  linking") }
    terminal.signal(SIGINT)
    try terminal.wait("what became of it") { $0.text.contains("was not measured yet; its session is ended") }
    terminal.process.waitUntilExit()
    #expect(terminal.process.terminationReason == .uncaughtSignal && terminal.process.terminationStatus == SIGINT)
  }

  @Test("a second Ctrl-C leaves a hub that does not end, and with its client the measurement ends")
  func leftTwice() throws {
    let hub = try ScriptedHub(
      ScriptedHub.Script(begin: Told.measured.map { Told.message($0) }, waits: true, rest: [], pace: 0))
    defer { hub.end() }
    let terminal = try terminal(hub)
    try terminal.wait("the newest values") { $0.text.contains("45 s left") }
    terminal.signal(SIGINT)
    try terminal.wait("the stop") { _ in hub.called.contains { $0.hasPrefix("MeasureVitalsStop") } }
    // The stop was answered, and the first signal is no longer taken.
    try terminal.wait("the end") { terminal in
      terminal.signal(SIGINT)
      return !terminal.process.isRunning
    }
    #expect(terminal.process.terminationReason == .uncaughtSignal && terminal.process.terminationStatus == SIGINT)
  }
}
