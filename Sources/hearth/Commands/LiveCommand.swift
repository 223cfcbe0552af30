// Values as they come.

import ArgumentParser
import Glibc
import HubProtocol

struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live", abstract: "Values as they come, until Ctrl-C.",
    discussion: """
      A number has a line of its own. What comes many times a second has a line a second for each wearable and series: \
      of a vector (pressure, orientation) the newest, of a waveform (acc, ecg) the lowest and the highest of each \
      component since the line before, and how many come in a second. --json prints every sample as an export does. On \
      a terminal the line of a number ends with the newest values of its series, as heights.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only this wearable.", completion: .wearables)
  var name: String?

  @Option(help: ArgumentHelp("End after so many seconds.", valueName: "n"))
  var seconds: Int?

  @OptionGroup var drawing: DrawingOptions

  func validate() throws {
    if let seconds, !(1...86_400).contains(seconds) {
      throw ValidationError("--seconds takes 1 to 86400, not \(seconds)")
    }
  }

  func run() throws {
    let session = try Session(root.options)
    let start = monotonicMilliseconds()
    let deadline = seconds.map { start + Int64($0) * 1000 }
    var failure: (any Error)?
    func isOver() -> Bool { deadline.map { monotonicMilliseconds() >= $0 } ?? false }
    // A tick of 100 ms ends a silent stream on time and notices a reader that left.
    let client = try session.connect()
    let width = Terminal.width(1)
    var lines = LiveLines(try session.time(client))
    var trails = LiveTrails(drawing.chart(.ofStandardOutput), width: width)
    func write(_ text: String) -> Bool {
      do {
        try Output.standard.write(session.options.json ? text : folded(text, width))
        try Output.standard.flush()
        return true
      } catch {
        failure = error
        return false
      }
    }
    if !session.options.json, !write(zoneLine(lines.time)) { throw failure ?? ReaderGone() }
    try client.stream(Methods.Live.self, .init(name: name), tick: 100) {
      write(lines.due(monotonicMilliseconds())) && !isOver()
    } _: { reply in
      let sample = reply.sample
      if session.options.json { return write(String(decoding: sample.compact, as: UTF8.self) + "\n") && !isOver() }
      let now = monotonicMilliseconds()
      return write(trails.extend(lines.take(sample, at: now), sample) + lines.due(now)) && !isOver()
    }
    if failure == nil { _ = write(lines.rest()) }
    if let failure { throw failure }
  }
}

func monotonicMilliseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
