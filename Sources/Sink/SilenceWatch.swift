// When a subscription has fallen silent while its connection stands: pure, in durations that somebody else measures.
//
// A broker may answer pings and hand out the messages of one filter while another's stand still: NATS has a consumer
// for each. So each is watched by itself. Births and deaths are not: hubs that are well have none for weeks.

struct SilenceWatch: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case rows
    /// Hubs say theirs at least every 70 s.
    case status
  }

  /// What is told of a restart.
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

  /// Where hubs are quiet because nobody wears anything, a new connection each hour harms nobody.
  static let longest: Duration = .seconds(3600)
  /// Hubs whose last status is remembered. More than that are not needed to know that some are there.
  private static let hubLimit = 4096

  private let first: Duration
  private var lines: [Kind: Line]
  private var online: Set<String> = []

  init(_ patience: Duration) {
    first = patience
    lines = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, Line(patience: patience)) })
  }

  /// How often to look.
  var interval: Duration { max(.milliseconds(100), min(.seconds(10), first / 8)) }
  var hubsOnline: Int { online.count }

  /// A message came. What a broker kept and gives to everybody who subscribes says nothing of what it delivers, but
  /// it tells which hubs are there.
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

  /// A new connection, for whatever reason: it has as long as the one before.
  mutating func connected() { for kind in Kind.allCases { lines[kind]?.silent = .zero } }

  /// Time went by in which messages could have come. The first filter whose patience is over is told, and has twice as
  /// long with the next connection.
  mutating func passed(_ elapsed: Duration) -> Silence? {
    var silence: Silence?
    for kind in Kind.allCases {
      // Without a hub there is nobody to say a status; rows may still wait at the broker.
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
