// Log of the daemon: one line per state change on standard error, for journald or a terminal.

public import Configuration
import EventLoop
import Glibc
public import Logging
import Synchronization

/// Writes `PRIORITY message FIELD=value …`. Under journald (JOURNAL_STREAM is set) the priority is a syslog prefix and
/// journald adds the time; elsewhere the line starts with the time of day. Control characters in any text become
/// spaces, so that data from the air cannot forge a line. A repeated line within a minute is counted instead of
/// printed.
public struct JournalLog: LogHandler {
  /// Fields of every line.
  public var metadata = Logger.Metadata()

  /// A logger at the level that all loggers share.
  public init() {}

  /// Level that all loggers share.
  public var logLevel: Logger.Level {
    get { Self.shared.withLock { $0.level } }
    set { Self.shared.withLock { $0.level = newValue } }
  }

  /// A field of every line.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Interval of one minute: a wearable that fails every few seconds still gets one line a minute.
  private static let foldSeconds = 60

  private struct Shared: Sendable {
    var level = Logger.Level.info
    var lastLine = ""
    var lastTime = 0
    var repeats = 0
  }
  private static let shared = Mutex(Shared())
  private static let isUnderJournal = getenv("JOURNAL_STREAM") != nil

  /// Sets the level of all loggers.
  public static func setLevel(_ level: Configuration.LogLevel) {
    shared.withLock { $0.level = Logger.Level(rawValue: level.rawValue) ?? .info }
  }

  /// Writes one line.
  public func log(event: LogEvent) {
    var line = event.message.description
    for (key, value) in (event.metadata ?? [:]).merging(metadata, uniquingKeysWith: { first, _ in first }).sorted(by: {
      $0.key < $1.key
    }) {
      line += " \(key)=\(value)"
    }
    line = String(decoding: line.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    let now = time(nil)
    let (folded, isRepeat) = Self.shared.withLock { shared -> (Int, Bool) in
      if line == shared.lastLine, now - shared.lastTime < Self.foldSeconds {
        shared.repeats += 1
        return (0, true)
      }
      let folded = shared.repeats
      shared.lastLine = line
      shared.lastTime = now
      shared.repeats = 0
      return (folded, false)
    }
    if isRepeat { return }
    if folded > 0 { Self.write(.info, "the line before came \(folded) times more", now) }
    Self.write(event.level, line, now)
  }

  private static func write(_ level: Logger.Level, _ line: String, _ now: time_t) {
    LogOutput.standardError.write(text(level, line, now)) { count in
      text(.warning, "\(count) lines are missing here: the reader of this log was too slow", now)
    }
  }

  private static func text(_ level: Logger.Level, _ line: String, _ now: time_t) -> String {
    if isUnderJournal { return "<\(level.syslogPriority)>\(line)\n" }
    var parts = tm()
    var now = now
    localtime_r(&now, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(
      separator: ":")
    return "\(clock) \(level) \(line)\n"
  }
}

extension Logger.Level {
  /// syslog(3): 3 error, 4 warning, 5 notice, 6 info, 7 debug.
  fileprivate var syslogPriority: Int {
    switch self {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}
