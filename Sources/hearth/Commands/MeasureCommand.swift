// Measuring because somebody wants a value now.

import ArgumentParser
import Health
import HubProtocol
import Reasons
import StoreDocuments

struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure", abstract: "Let a wearable measure something now.",
    discussion: """
      hearth measure band-07 heart_rate              a minute
      hearth measure band-07 spo2 --for 30 --every 5
      hearth measure band-07 stress --until-stopped  Ctrl-C ends it at the wearable, too

      Values are stored: hearth items band-07 heart_rate --manual. A wearable that is not linked is visited first, \
      which takes up to three minutes.

      Exit code 1: its link was lost, or it failed. 2: it does not measure that; what it does is said. 6: it is busy, \
      or measures already.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.")
  var name: String

  @Argument(help: "A series, such as heart_rate, spo2, stress or skin_temperature.")
  var what: String

  @Option(help: ArgumentHelp("Seconds between two values, 1 to 255.", valueName: "s"))
  var every: Int?

  @Option(name: .customLong("for"), help: ArgumentHelp("End after so many seconds, 15 to 255.", valueName: "s"))
  var length: Int?

  @Flag(help: "End when somebody ends it.")
  var untilStopped = false

  func validate() throws {
    if Series(name: what) == nil {
      throw ValidationError("there is no series '\(harmless(what))'; one is heart_rate")
    }
    if let every, !(1...255).contains(every) { throw ValidationError("--every takes 1 to 255, not \(every)") }
    if let length, !(15...255).contains(length) { throw ValidationError("--for takes 15 to 255, not \(length)") }
    if untilStopped, length != nil { throw ValidationError("--for and --until-stopped exclude each other") }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    let time = try session.time(client)
    let parameters: JSON = [
      "name": .string(name), "series": .string(what), "interval_s": .optional(every), "limit_s": .optional(length),
      "until_stopped": .bool(untilStopped),
    ]
    var last: MeasurementDocument?
    var failure: (any Error)?
    let interruption = Interruption()
    defer { interruption.end() }
    var wasAsked = false
    /// Ctrl-C: the hub is told, and says how it ended. A second one ends this command, and with it the measurement.
    func goesOn() -> Bool {
      guard interruption.came, !wasAsked else { return failure == nil }
      wasAsked = true
      interruption.end()
      return (try? session.connect().call("MeasureStop", ["name": .string(name)])) != nil
    }
    try client.stream("Measure", parameters, tick: 250, pause: goesOn) { reply throws(HearthError) in
      let news: MeasurementDocument = try ControlClient.document(reply, "measurement", "Measure")
      last = news
      do {
        let text = String(decoding: reply.compact, as: UTF8.self) + "\n"
        try Output.standard.write(session.options.json ? text : render(news, reply, time))
        try Output.standard.flush()
      } catch { failure = error }
      return goesOn()
    }
    if let failure { throw failure }
    if let reason = last?.reason, let code = Reason(code: reason.code) {
      complain(HearthError(code, reason.detail))
      throw ExitCode(exitStatus(of: code))
    }
  }
}

/// `10:00:00.000  band-07  heart_rate  72 bpm`, and before and behind all values how it began and ended.
func render(_ news: MeasurementDocument, _ reply: JSON, _ time: HubTime) -> String {
  if let sample = reply["sample"], sample != .null { return LiveLines.scalar(sample, time) }
  guard let end = news.end else { return zoneLine(time) + line("\(news.device) measures \(news.series)") }
  let values = counted(news.values, "value")
  switch end {
  case "limit": return line("its time is over: \(values)")
  case "stopped": return line("stopped: \(values)")
  case "by_wearable": return line("\(news.device) ended it by itself: \(values)")
  default: return line("\(harmless(end)): \(values)")
  }
}

/// A warning of the hub with its code, what it means and what to do; empty where there is none.
func renderWarning(_ warning: JSON) -> String {
  guard let code = warning["code"]?.text.flatMap({ Reason(code: $0) }) else { return "" }
  return render(HearthError(code, warning["detail"]?.text ?? ""))
}
