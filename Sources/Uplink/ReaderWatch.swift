// What a broker may do with rows that it took: whether a client reads them, and how long they may be.

internal import CivilTime
internal import EventLoop
internal import Reasons

/// Whether rows have a reader, as far as a broker of MQTT 5 says. While they have none, one message is tried after each
/// pause.
struct ReaderWatch {
  /// At first, and at last.
  private static let pauses: ClosedRange<Duration> = .seconds(5)...(.seconds(60))

  private(set) var areMissing = false
  private var lasts: Duration = .zero
  private var resumes: Instant?

  /// A message had no reader. True: that is news.
  mutating func missed(_ now: Instant) -> Bool {
    // Several are under way when the first one comes back.
    if resumes.map({ now >= $0 }) ?? true {
      lasts = min(max(lasts * 2, Self.pauses.lowerBound), Self.pauses.upperBound)
      resumes = now + lasts
    }
    defer { areMissing = true }
    return !areMissing
  }

  /// A message had one. True: that is news.
  mutating func read() -> Bool {
    defer { (areMissing, lasts, resumes) = (false, .zero, nil) }
    return areMissing
  }

  /// Another broker may have one.
  mutating func connected() { resumes = nil }

  /// For how long nothing is to be tried; nil: it may be now.
  func pause(_ now: Instant) -> Duration? { resumes.flatMap { now < $0 ? $0 - now : nil } }
}

/// What does not fit the packets of a broker, and what it may refuse.
struct PacketFit {
  /// Topics of messages that are no rows and have no acknowledgement yet.
  var said: [Int32: String] = [:]
  private static let saidLimit = 1024

  /// Those of them that a broker may refuse.
  var optional: Set<Int32> = []
  /// Such a refusal.
  var forbidden: HearthError?

  mutating func note(_ number: Int32, _ topic: String, _ isOptional: Bool) {
    if said.count >= Self.saidLimit { return }
    said[number] = topic
    if isOptional { optional.insert(number) }
  }

  /// Counts how often what was given had to be forgotten, as another broker takes shorter packets: whoever gave it
  /// begins behind what was confirmed.
  var forgotten = 0
  /// Why what was given last cannot go out at all.
  var oversized: HearthError?
  /// What the broker has no packets for though it takes sensible ones: it stays in the store, and the rows behind go.
  private(set) var leftOut: LeftOut?

  struct LeftOut: Equatable {
    var rows: Int
    /// Of the oldest, µs since 1970.
    var since: Int64
    var words: String
  }

  /// A broker that takes shorter packets than this has no room for rows at all. Bytes.
  static let least = 1024

  mutating func leaveOut(_ words: String, _ time: Int64) {
    let known = leftOut ?? LeftOut(rows: 0, since: time, words: words)
    leftOut = LeftOut(rows: known.rows + 1, since: min(known.since, time), words: words)
  }

  /// All since a time was sent again, and nothing was left out of it.
  mutating func wasSent(since time: Int64) { if let leftOut, leftOut.since >= time { self.leftOut = nil } }

  /// nil: nothing was left out.
  var tooLong: HearthError? {
    leftOut.map {
      HearthError(
        .uplinkRowTooLong, "\($0.rows) since \(momentText($0.since, .exact)), the last of \($0.words)")
    }
  }
}
