// A measurement of vital signs while somebody waits for it: what the hub tells is shown, Ctrl-C ends it, and its end
// decides the exit code.

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

  /// Returns when there are results; else it throws what is to be said, or the exit code.
  func measure(_ name: String, seconds: Int?, person: String?) throws {
    let parameters: JSON = [
      "name": .string(name), "seconds": .optional(seconds), "person": .optional(person),
    ]
    let isJSON = session.options.json
    var progress = ShownProgress(isQuiet: false)
    var view = VitalsView(time, isTerminal: !isJSON && Terminal.isCapable(1))
    let interruption = Interruption()
    defer { interruption.end() }
    var wasAsked = false
    /// Ctrl-C: what is measured ends early, and the hub goes on to tell its results. Where nothing is measured yet
    /// there is nothing to wait for: who leaves ends the session. A second Ctrl-C ends this program.
    func goesOn() -> Bool {
      guard interruption.came, !wasAsked else { return true }
      wasAsked = true
      interruption.end()
      if view.isEnding { return true }
      return (try? session.connect().call("MeasureVitalsStop", ["name": .string(name)])) != nil
    }
    try client.stream("MeasureVitals", parameters, tick: 250, pause: goesOn) { reply throws(HearthError) in
      let text = try view.take(reply)
      let isShown = progress.show { line in
        if isJSON { return String(decoding: reply.compact, as: UTF8.self) + "\n" }
        return view.isTerminal ? folded(text, Terminal.width(1)) + line.draw(view.liveLine) : text
      }
      // A program that reads events is told the end, too.
      return isShown && (view.loss == nil || isJSON) && goesOn()
    }
    try progress.end()
    guard let end = view.end else {
      if let loss = view.loss { throw try failure(loss, status: 1) }
      return try leave(name)
    }
    if !isJSON, let record = view.record {
      let style = Style.ofStandardOutput
      try Output.standard.write(folded(measurementCard(record, time, style), style.width))
    }
    try Output.standard.flush()
    try judge(end)
  }

  /// Nothing was measured, and with its client the session ends.
  private func leave(_ name: String) throws {
    try Output.standard.flush()
    Output.error.say("hearth: \(harmless(name)) was not measured yet; its session is ended\n")
    raise(SIGINT)
    // It is ignored, as of what a script runs in the background.
    throw ExitCode(128 + SIGINT)
  }

  /// Says why there are no results.
  private func failure(_ reason: TroubleDocument, status: Int32) throws -> ExitCode {
    try Output.standard.flush()
    Output.error.say(folded(render(reason), Terminal.width(2)))
    return ExitCode(status)
  }

  private func judge(_ end: VitalsEndDocument) throws {
    if let reason = end.reason {
      // The session's own error has to do with a sensor or a signal, whatever the hub's code is good for elsewhere.
      let status = end.code == nil ? Reason(code: reason.code).map { exitStatus(of: $0) } : nil
      throw try failure(reason, status: status ?? 1)
    }
    if ["duration", "stop"].contains(end.end) { return }
    Output.error.say("hearth: it ended without results\n")
    throw ExitCode(1)
  }
}
