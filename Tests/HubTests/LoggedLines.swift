// A logger that keeps what it is told.

import Logging
import Synchronization

final class LoggedLines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  var logger: Logger { Logger(label: "test") { [self] _ in Handler(lines: self) } }

  private struct Handler: LogHandler {
    let lines: LoggedLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.lines.withLock { $0.append("\(event.message)") } }
  }
}
