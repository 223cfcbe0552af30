// State of the broker for rows: whether a client reads them, and how long they may be.

internal import CivilTime
internal import EventLoop
internal import Reasons

/// Whether rows have a reader, as far as a broker of MQTT 5 reports it. Without a reader, one message is tried after
/// each pause.
struct ReaderWatch {
  /// First and longest pause.
  private static let pauses: ClosedRange<Duration> = .seconds(5)...(.seconds(60))

  private(set) var areMissing = false
  private var lasts: Duration = .zero
  private var resumes: Instant?

  /// Notes a message without a reader. True: the state changed.
  mutating func missed(_ now: Instant) -> Bool {
    // Several messages are in flight when the first one comes back.
    if resumes.map({ now >= $0 }) ?? true {
      lasts = min(max(lasts * 2, Self.pauses.lowerBound), Self.pauses.upperBound)
      resumes = now + lasts
    }
    defer { areMissing = true }
    return !areMissing
  }

  /// Notes a message with a reader. True: the state changed.
  mutating func read() -> Bool {
    defer { (areMissing, lasts, resumes) = (false, .zero, nil) }
    return areMissing
  }

  /// Called for a new connection: another broker may have a reader.
  mutating func connected() { resumes = nil }

  /// Time until the next try; nil: now.
  func pause(_ now: Instant) -> Duration? { resumes.flatMap { now < $0 ? $0 - now : nil } }
}

/// Messages that exceed the broker's packets, and messages that it may refuse.
struct PacketFit {
  /// Topics of messages without rows that are not acknowledged yet.
  var said: [Int32: String] = [:]
  private static let saidLimit = 1024

  /// Identifiers of messages in `said` that the broker may refuse.
  var optional: Set<Int32> = []
  /// Fewer than `saidLimit`: the refusal of a message that was not noted would end the connection.
  private static let optionalLimit = 256
  /// Whether one more message that may be refused can be noted.
  var takesOptional: Bool { optional.count < Self.optionalLimit }
  /// Error of such a refusal.
  var forbidden: HearthError?

  mutating func note(_ number: Int32, _ topic: String, _ isOptional: Bool) {
    if said.count >= Self.saidLimit { return }
    said[number] = topic
    if isOptional { optional.insert(number) }
  }

  /// Counts how often given messages had to be dropped, because another broker accepts only shorter packets. Their
  /// sender then starts again after the last confirmed row.
  var forgotten = 0
  /// Reason why the message given last cannot be sent at all.
  var oversized: HearthError?
  /// Rows too long for a broker with sensible packets: they stay in the store, and later rows continue.
  private(set) var leftOut: LeftOut?

  struct LeftOut: Equatable {
    var rows: Int
    /// Time of the oldest, µs since 1970.
    var since: Int64
    var words: String
  }

  /// A broker that only accepts shorter packets than this, in bytes, has no room for rows at all.
  static let least = 1024

  mutating func leaveOut(_ words: String, _ time: Int64) {
    let known = leftOut ?? LeftOut(rows: 0, since: time, words: words)
    leftOut = LeftOut(rows: known.rows + 1, since: min(known.since, time), words: words)
  }

  /// Called when everything since a time was sent again without leaving out a row.
  mutating func wasSent(since time: Int64) { if let leftOut, leftOut.since >= time { self.leftOut = nil } }

  /// nil if no row was left out.
  var tooLong: HearthError? {
    leftOut.map {
      HearthError(
        .uplinkRowTooLong, "\($0.rows) since \(momentText($0.since, .exact)), the last of \($0.words)")
    }
  }
}
