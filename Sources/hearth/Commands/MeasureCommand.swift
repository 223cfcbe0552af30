// Measurements on request: vital signs, or one series. `VitalsWatch.swift` shows a measurement of vital signs.

import ArgumentParser
import Health
import HubProtocol
import Reasons
import StoreDocuments

struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Measure vital signs now, or one series that a band measures on request.",
    discussion: """
      Vital signs, from a strap, an optical sensor, an oximeter, a thermometer, a cuff or a scale:

      hearth measure strap-07                        a minute, of its wearer
      hearth measure strap-07 --seconds 120 --person Ada

      Sit still. A line shows the state, the seconds left, the pulse and the signal quality. Then the results \
      follow, each with its confidence, and are stored. 60 s suffice for most results. Breathing needs 37 s; LF and \
      HF need 120 s to be more than a hint. Ctrl-C ends the measurement early and keeps the results so far. Before \
      it measures, and the second time, Ctrl-C leaves without results. A cuff, a scale or a thermometer must measure \
      within three minutes after the order: its next reading is the result.

      hearth measure cuff-01 --count 3               three in one session

      With --count, each measurement begins right after the one before, with results and a record of its own. The \
      first one without results ends the session, and so does Ctrl-C.

      A single series, which a band measures on request:

      hearth measure band-07 heart_rate              a minute
      hearth measure band-07 spo2 --for 30 --every 5
      hearth measure band-07 stress --until-stopped  until Ctrl-C

      Values are stored: hearth items band-07 heart_rate --manual. A wearable without a link is visited first, which \
      takes up to three minutes.

      Exit code 0: there are results. 1: no results, because of an error, a lost link or missing values. 2: not \
      possible; the message says what is. 6: busy, or already measuring. With --json each event is one object a \
      line.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  @Argument(
    help: "A series, such as heart_rate, spo2, stress or skin_temperature. Without one: vital signs.",
    completion: .series)
  var what: String?

  @Option(help: ArgumentHelp("Vital signs: duration, 20 to 180. Default: 60.", valueName: "s"))
  var seconds: Int?

  @Option(
    help: ArgumentHelp("Vital signs: the person, by name or number. Default: the present wearer.", valueName: "person"),
    completion: .wearers)
  var person: String?

  @Option(help: ArgumentHelp("Vital signs: measurements in one session, 1 to 10. Default: 1.", valueName: "n"))
  var count: Int?

  @Option(help: ArgumentHelp("Series: seconds between two values, 1 to 255.", valueName: "s"))
  var every: Int?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("Series: end after this many seconds, 15 to 255.", valueName: "s"))
  var length: Int?

  @Flag(help: "Series: measure until Ctrl-C, in place of --for.")
  var untilStopped = false

  func validate() throws {
    guard let what else {
      if every != nil || length != nil || untilStopped {
        throw ValidationError(
          "--for, --every and --until-stopped are for one series: hearth measure \(harmless(name)) heart_rate; "
            + "vital signs take --seconds")
      }
      if let seconds, !(20...180).contains(seconds) {
        throw ValidationError("--seconds takes 20 to 180, not \(seconds)")
      }
      if let person, !(1...256).contains(person.utf8.count) {
        throw ValidationError("--person takes the name or the number of a wearer")
      }
      if let count, !(1...10).contains(count) { throw ValidationError("--count takes 1 to 10, not \(count)") }
      return
    }
    if Series(name: what) == nil {
      throw ValidationError(
        "there is no series '\(harmless(what))'; one is heart_rate, and without one vital signs are measured")
    }
    if seconds != nil || person != nil || count != nil {
      throw ValidationError(
        "--seconds, --person and --count are for vital signs, without a series; \(what) takes --for and --every")
    }
    if let every, !(1...255).contains(every) { throw ValidationError("--every takes 1 to 255, not \(every)") }
    if let length, !(15...255).contains(length) { throw ValidationError("--for takes 15 to 255, not \(length)") }
    if untilStopped, length != nil { throw ValidationError("--for and --until-stopped exclude each other") }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    let time = try session.time(client)
    guard let what else {
      return try VitalsWatch(session, client, time).measure(name, seconds: seconds, person: person, count: count ?? 1)
    }
    let order = Methods.Measure.Parameters(
      name: name, series: what, intervalS: every, limitS: length, untilStopped: untilStopped)
    var last: MeasurementDocument?
    var failure: (any Error)?
    let interruption = Interruption()
    defer { interruption.end() }
    var wasAsked = false
    /// Handles Ctrl-C: the hub stops the measurement and reports its end. A second one ends this command, and with it
    /// the measurement.
    func goesOn() -> Bool {
      guard interruption.came, !wasAsked else { return failure == nil }
      wasAsked = true
      interruption.end()
      return (try? session.connect().measureStop(.init(name: name))) != nil
    }
    try client.stream(Methods.Measure.self, order, tick: 250, pause: goesOn) { reply in
      last = reply.measurement
      do {
        let text = String(decoding: JSON(encoding: reply).compact, as: UTF8.self) + "\n"
        try Output.standard.write(session.options.json ? text : render(reply, time))
        try Output.standard.flush()
      } catch { failure = error }
      return goesOn()
    }
    if let failure { throw failure }
    if let reason = last?.reason, let code = Reason(code: reason.code) {
      complain(HearthError(code, reason.detail))
      throw ExitCode(code.exitStatus)
    }
    if !hasResults(last) { throw ExitCode(1) }
  }
}

/// Whether an ordered measurement of a series has values. One that a person stopped early may be empty.
func hasResults(_ news: MeasurementDocument?) -> Bool { news.map { $0.end == nil || $0.values > 0 } ?? false }

/// `10:00:00.000  band-07  heart_rate  72 bpm`; before and after all values, the begin and the end.
func render(_ reply: Methods.Measure.Reply, _ time: HubTime) -> String {
  if let sample = reply.sample { return LiveLines.scalar(sample, time) }
  let news = reply.measurement
  guard let end = news.end else { return zoneLine(time) + line("\(news.device) measures \(news.series)") }
  let values = counted(news.values, "value")
  switch end {
  case .limit: return line("its time is over: \(values)")
  case .stopped: return line("stopped: \(values)")
  case .byWearable: return line("\(news.device) ended it by itself: \(values)")
  default: return line("\(harmless(end.rawValue)): \(values)")
  }
}

/// Warning of the hub with its code, meaning and next step; empty without a warning.
func renderWarning(_ warning: TroubleDocument?) -> String {
  guard let warning, let code = Reason(code: warning.code) else { return "" }
  return render(HearthError(code, warning.detail))
}
