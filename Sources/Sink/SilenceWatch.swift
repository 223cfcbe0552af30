// Detection of a subscription that fell silent while its connection is up: pure, with durations measured by the caller.
//
// A broker may answer pings and deliver the messages of one filter while another filter's messages are stuck: NATS has
// a consumer for each. So each is monitored separately. Births and deaths are not monitored: hubs in good health do not
// send them for weeks.

struct SilenceWatch: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case rows
    /// Hubs publish their status at least every 70 s.
    case status
  }

  /// Details of a restart, for the log.
  struct Silence: Sendable, Equatable {
    let kind: Kind
    let lasted: Duration
    let next: Duration
  }

  private struct Line {
    var silent: Duration = .zero
    var patience: Duration
    var hasBrought = false
  }

  /// Longest wait: a new connection each hour does no harm if hubs are quiet because no wearable is worn.
  static let longest: Duration = .seconds(3600)
  /// Hubs with a remembered status; a larger number gives no further information.
  private static let hubLimit = 4096

  private let first: Duration
  private var lines: [Kind: Line]
  private var online: Set<String> = []

  init(_ patience: Duration) {
    first = patience
    lines = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, Line(patience: patience)) })
  }

  /// Interval of checks.
  var interval: Duration { max(.milliseconds(100), min(.seconds(10), first / 8)) }
  var hubsOnline: Int { online.count }

  /// Notes a message. A retained message does not prove that the broker delivers new ones, but it shows which hubs are
  /// present.
  mutating func heard(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
    guard topic.hasPrefix("hearth/1/") else { return }
    if topic.hasSuffix("/rows") {
      brought(.rows)
    } else if topic.hasSuffix("/status") {
      if !isRetained { brought(.status) }
      note(topic, payload)
    }
  }

  private mutating func brought(_ kind: Kind) {
    lines[kind] = Line(patience: first, hasBrought: true)
  }

  private mutating func note(_ topic: String, _ payload: [UInt8]) {
    if case .word(_, .status(_, let isOffline), _) = Taken(
      topic: topic, payload: payload, isRetained: false, part: .all),
      !isOffline
    {
      if online.count < Self.hubLimit { online.insert(topic) }
    } else {
      online.remove(topic)
    }
  }

  /// Called for a new connection: it gets as much time as the one before.
  mutating func connected() { for kind in Kind.allCases { lines[kind]?.silent = .zero } }

  /// Adds time in which messages could have come. Returns the first filter with exceeded patience; its patience doubles
  /// for the next connection.
  mutating func passed(_ elapsed: Duration) -> Silence? {
    var silence: Silence?
    for kind in Kind.allCases {
      // Without a hub no status is expected; rows may still wait at the broker.
      guard var line = lines[kind], !online.isEmpty || kind == .rows && line.hasBrought else { continue }
      line.silent += elapsed
      if line.silent >= line.patience, silence == nil {
        let next = min(line.patience + line.patience, max(Self.longest, first))
        silence = Silence(kind: kind, lasted: line.silent, next: next)
        line.patience = next
      }
      lines[kind] = line
    }
    return silence
  }
}
