// A measurement of vital signs with a person waiting. Shows the hub's events, ends by Ctrl-C, and takes the exit code
// from the end.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

struct VitalsWatch {
  private let session: Session
  private let client: ControlClient
  private let time: HubTime

  init(_ session: Session, _ client: ControlClient, _ time: HubTime) {
    self.session = session
    self.client = client
    self.time = time
  }

  /// Measures `count` times in one session, each right after the one before, as the stream is already running.
  ///
  /// Returns if each has results, or if Ctrl-C ended the last one early. Otherwise throws the error to print, or the
  /// exit code.
  func measure(_ name: String, seconds: Int?, person: String?, count: Int = 1) throws {
    let (isSeries, stays): (Bool, Bool?) = (count > 1, count > 1 ? true : nil)
    let order = Methods.MeasureVitals.Parameters(name: name, seconds: seconds, person: person, stays: stays)
    let isJSON = session.options.json
    var progress = ShownProgress(isQuiet: false)
    var (view, series) = (VitalsView(time, isTerminal: !isJSON && Terminal.isCapable(1)), VitalsSeries(count))
    let interruption = Interruption()
    defer { interruption.end() }
    var wasAsked = false
    /// Handles Ctrl-C: the running measurement ends early, its results are reported, and no further one begins. Before
    /// the first one, the end of the connection ends the session. A second Ctrl-C ends this program.
    func goesOn() -> Bool {
      guard interruption.came, !wasAsked else { return true }
      wasAsked = true
      series.end()
      interruption.end()
      if view.isEnding {
        return !isSeries || series.isUnderWay || asks { try $0.measureVitalsTerminate(.init(name: name)) }
      }
      return asks { try $0.measureVitalsStop(.init(name: name)) }
    }
    /// Begins the next measurement, or ends the session after the last one.
    func goOn() -> String {
      switch series.next {
      case .none: break
      case .end:
        series.leave()
        // A session that has ended by itself needs no request.
        _ = asks { try $0.measureVitalsTerminate(.init(name: name)) }
      case .start:
        // A person uses a cuff, which takes longer than its measurement.
        let length = seconds ?? (view.isUsedByHand ? VitalsSeries.byHand : nil)
        // A refusal means that it has just lost its sensor. The session is ready again later.
        guard asks({ try $0.measureVitalsStart(.init(name: name, seconds: length)) }) else { return "" }
        view.beginAnother()
        return isJSON ? "" : line("measurement \(series.done + 1) of \(count)")
      }
      return ""
    }
    try client.stream(Methods.MeasureVitals.self, order, tick: 250, pause: goesOn) { reply in
      var text = view.take(reply)
      if isSeries {
        if !isJSON, reply.event == "results", let record = view.record { text += card(record) }
        series.take(reply)
        text += goOn()
      }
      let isShown = progress.show { line in
        if isJSON { return String(decoding: JSON(encoding: reply).compact, as: UTF8.self) + "\n" }
        return view.isTerminal ? folded(text, Terminal.width(1)) + line.draw(view.liveLine) : text
      }
      // A program that reads events gets the end too.
      return isShown && (view.loss == nil || isJSON) && goesOn()
    }
    try progress.end()
    try conclude(name, view, hasShownCards: isSeries)
    if isSeries, series.done < count, !wasAsked {
      Output.error.say("hearth: \(series.done) of \(count) measurements have results\n")
      throw ExitCode(1)
    }
  }

  /// Sends a request on a connection of its own. Whether the hub accepted it.
  private func asks(_ order: (ControlClient) throws -> Void) -> Bool {
    (try? order(session.connect())) != nil
  }

  private func card(_ record: VitalsRecordDocument) -> String {
    let style = Style.ofStandardOutput
    return folded(measurementCard(record, time, style), style.width)
  }

  /// Shows the result of the last measurement, and throws the error of its end.
  private func conclude(_ name: String, _ view: VitalsView, hasShownCards: Bool) throws {
    guard let end = view.end else {
      if let loss = view.loss { throw try failure(loss, status: 1) }
      return try leave(name)
    }
    if !session.options.json, !hasShownCards, let record = view.record { try Output.standard.write(card(record)) }
    try Output.standard.flush()
    try judge(end)
  }

  /// Leaves before any measurement: the session ends with its client.
  private func leave(_ name: String) throws {
    try Output.standard.flush()
    Output.error.say("hearth: \(harmless(name)) was not measured yet; its session is ended\n")
    raise(SIGINT)
    // Ctrl-C is ignored, as in a script's background job.
    throw ExitCode(128 + SIGINT)
  }

  /// Reports why there are no results.
  private func failure(_ reason: TroubleDocument, status: Int32) throws -> ExitCode {
    try Output.standard.flush()
    Output.error.say(folded(render(reason), Terminal.width(2)))
    return ExitCode(status)
  }

  private func judge(_ end: VitalsEndDocument) throws {
    if let reason = end.reason {
      // The session's own error is about a sensor or a signal, so that the exit code of the hub's code does not apply.
      let status = end.code == nil ? Reason(code: reason.code)?.exitStatus : nil
      throw try failure(reason, status: status ?? 1)
    }
    if [.duration, .stop].contains(end.end) { return }
    Output.error.say("hearth: it ended without results\n")
    throw ExitCode(1)
  }
}
