// Stream of live values.

import ArgumentParser
import Glibc
import HubProtocol

struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live", abstract: "Stream live values until Ctrl-C.",
    discussion: """
      Single numbers have a line each. Fast streams have one line a second for each wearable and series, with the \
      number of samples in that second. A vector (pressure, orientation) shows its newest sample. A waveform (acc, \
      ecg) shows the lowest and highest value of each component since the line before. With --json every sample is \
      printed as in an export. On a terminal, the line of a number ends with a small curve of the newest values.

      hearth live strap-07 --seconds 60     one wearable, for a minute
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only this wearable, by name or address. Default: all.", completion: .wearables)
  var name: String?

  @Option(help: ArgumentHelp("End after this many seconds, 1 to 86400. Default: at Ctrl-C.", valueName: "n"))
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
    // A tick of 100 ms ends a silent stream on time, and detects a reader that has left.
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
