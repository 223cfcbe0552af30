// Why visits are made, how far they get and how they end: as numbers in the store, and as names for people.

/// Why a visit is made.
public enum VisitTrigger: UInt8, Sendable, Hashable, CaseIterable {
  /// Seen again after an absence.
  case seen = 1
  /// An operator asked.
  case operatorAsked = 2
  /// It was time.
  case schedule = 3
  /// Goes on where the last one was interrupted.
  case resumption = 4
  /// The wearable said over its link that it holds something new.
  case announcement = 5

  public var name: String {
    switch self {
    case .seen: "seen"
    case .operatorAsked: "operator"
    case .schedule: "schedule"
    case .resumption: "resumption"
    case .announcement: "announcement"
    }
  }
}

/// How a visit ended; what follows each is said in `VisitOutcome.consequence`.
public enum VisitOutcome: UInt8, Sendable, Hashable, CaseIterable {
  case done = 0
  /// The link was lost, or could not be made.
  case interrupted = 1
  /// Its slice was over; it goes on later.
  case sliceOver = 2
  /// The wearable said: not now.
  case busy = 3
  /// The wearable refused what the visit needs.
  case refused = 4
  /// It broke its protocol; the link was ended.
  case broken = 5
  /// It did not answer.
  case silent = 6
  /// The store has no room; the data stays on the wearable.
  case noRoom = 7
  /// A person has to act.
  case needsAttention = 8
  /// An operator or the end of the hub ended it.
  case abandoned = 9

  public var name: String {
    switch self {
    case .done: "done"
    case .interrupted: "interrupted"
    case .sliceOver: "slice_over"
    case .busy: "busy"
    case .refused: "refused"
    case .broken: "broken"
    case .silent: "silent"
    case .noRoom: "no_room"
    case .needsAttention: "needs_attention"
    case .abandoned: "abandoned"
    }
  }
}

/// The stage a visit is in, or ended in.
public enum VisitStage: UInt8, Sendable, Hashable, CaseIterable {
  case connect = 0
  case identify = 1
  case check = 2
  case list = 3
  case fetch = 4
  case verify = 5
  case store = 6
  case erase = 7
  case finish = 8

  public var name: String {
    switch self {
    case .connect: "connect"
    case .identify: "identify"
    case .check: "check"
    case .list: "list"
    case .fetch: "fetch"
    case .verify: "verify"
    case .store: "store"
    case .erase: "erase"
    case .finish: "finish"
    }
  }
}
