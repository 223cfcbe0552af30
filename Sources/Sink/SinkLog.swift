// Log on standard error, one line per event, for journald or a terminal.

import CivilTime
internal import EventLoop
internal import Glibc

/// Lines with a priority for journald, or with the time for a terminal.
struct SinkLog: Sendable {
  let level: SinkSettings.LogLevel
  private let isUnderJournal = getenv("JOURNAL_STREAM") != nil

  init(_ level: SinkSettings.LogLevel) { self.level = level }

  func debug(_ text: @autoclosure () -> String) { if level == .debug { say(7, text()) } }
  func info(_ text: @autoclosure () -> String) { if level == .debug || level == .info { say(6, text()) } }
  func warning(_ text: @autoclosure () -> String) { if level != .error { say(4, text()) } }
  func error(_ text: @autoclosure () -> String) { say(3, text()) }

  private func say(_ priority: Int, _ text: String) {
    func line(_ priority: Int, _ text: String) -> String {
      (isUnderJournal ? "<\(priority)>" : "\(momentText(Int64(time(nil)) * 1_000_000)) ") + oneLine(text) + "\n"
    }
    LogOutput.standardError.write(line(priority, text)) { count in
      line(4, "\(count) lines are missing here: the reader of this log was too slow")
    }
  }
}
