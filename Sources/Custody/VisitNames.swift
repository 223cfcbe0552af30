// Triggers, stages and outcomes of visits: as numbers in the store, and as names in texts.

/// Reason of a visit.
public enum VisitTrigger: UInt8, Sendable, Hashable, CaseIterable {
  /// The wearable is in range again after an absence.
  case seen = 1
  /// An operator requested it.
  case operatorAsked = 2
  /// The scheduled time has come.
  case schedule = 3
  /// Continuation of an interrupted visit.
  case resumption = 4
  /// The wearable announced new data over its link.
  case announcement = 5

  /// Name in documents and logs.
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

/// Result of a visit; `VisitOutcome.consequence` describes what follows each.
public enum VisitOutcome: UInt8, Sendable, Hashable, CaseIterable {
  case done = 0
  /// The link was lost, or could not be made.
  case interrupted = 1
  /// The time slice was over; the visit continues later.
  case sliceOver = 2
  /// The wearable is busy.
  case busy = 3
  /// The wearable refused a required operation.
  case refused = 4
  /// The wearable violated its protocol; the link was ended.
  case broken = 5
  /// The wearable did not respond.
  case silent = 6
  /// The store has no room; the data stays on the wearable.
  case noRoom = 7
  /// An operator has to act.
  case needsAttention = 8
  /// An operator or the hub's shutdown ended it.
  case abandoned = 9

  /// Name in documents and logs.
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

  /// Name in documents and logs.
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
