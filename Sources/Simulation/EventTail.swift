// Last log lines of a simulated hub, for the report of a failed run.

public import Logging
import Synchronization

/// Keeps the newest log lines in memory, each with its time in the run.
public final class EventTail: Sendable {
  private struct State: Sendable {
    var lines: [String] = []
    var now: Int64 = 0
  }
  private let state = Mutex(State())
  private let limit: Int
  private let echo: (@Sendable (String) -> Void)?

  /// - Parameter echo: also receives each line immediately.
  public init(limit: Int = 60, echo: (@Sendable (String) -> Void)? = nil) {
    self.limit = limit
    self.echo = echo
  }

  /// The last lines, the oldest first.
  public var lines: [String] { state.withLock { $0.lines } }

  /// Sets the seconds since the start of the run, with which the next lines are marked.
  public func set(now seconds: Int64) { state.withLock { $0.now = seconds } }

  /// Adds a line, with the virtual time before it; returns it so.
  public func add(_ line: String) {
    let marked = state.withLock { state in
      if state.lines.count >= limit * 2 { state.lines.removeFirst(limit) }
      let marked = "\(state.now) s: \(line)"
      state.lines.append(marked)
      return marked
    }
    echo?(marked)
  }

  /// Logger that writes here.
  public func logger(label: String) -> Logger { Logger(label: label, factory: { [self] _ in TailHandler(tail: self) }) }
}

private struct TailHandler: LogHandler {
  let tail: EventTail
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.info

  init(tail: EventTail) { self.tail = tail }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var line = event.message.description
    for (key, value) in (event.metadata ?? [:]).sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
    tail.add(line)
  }
}
