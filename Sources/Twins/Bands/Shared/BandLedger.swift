// Ledger for judges: transfers of items, confirmations of the host, and its faults.

public import EventLoop
public import Health

/// Action that a host must never take.
public enum BandFault: Sendable, Hashable {
  /// Confirmed data that the band had not sent completely.
  case confirmedUnsent
  /// Requested the next kind of data during a transfer.
  case askedDuringSync
  /// Wrote to a characteristic for updates, or a command that resets or updates.
  case dangerous(UInt16)
  /// Acknowledged an acknowledgement, or a number that was never sent.
  case acknowledgedNothing
  /// A piece was longer than the band accepts, or came too early.
  case pieceTooLong
  case pieceTooSoon
  /// A frame with a correct checksum that cannot be parsed.
  case malformed
  /// A command before the login.
  case unauthorised
  /// Disconnected during a transfer.
  case leftDuringSync
}

/// Transfer of items.
public struct BandDelivery: Sendable {
  /// Fate of a transfer.
  public enum Fate: Sendable, Hashable { case underWay, delivered, lost }

  /// Numbers of its items.
  public let items: [Int]
  /// Time at which it was sent.
  public let sentAt: Instant
  /// Number of the link.
  public let link: Int
  /// Raw content, if it can only be stored raw; otherwise empty.
  public let content: [UInt8]
  /// Fate so far.
  public fileprivate(set) var fate = Fate.underWay
  /// Time at which the host had all of it.
  public fileprivate(set) var deliveredAt: Instant?
  /// Verdict of the host: true if it has it; nil: no verdict.
  public fileprivate(set) var verdict: Bool?
  /// Time at which the host confirmed or refused it; nil: not yet.
  public fileprivate(set) var verdictAt: Instant?
}

/// Value that was measured on request of the host, and sent at once.
public struct BandLiveValue: Sendable {
  /// Measured series.
  public let series: Series
  /// Values in the stored scale; pressure has two values.
  public let values: [Int64]
  /// Time at which it arrived.
  public let deliveredAt: Instant
  /// The same by the wall clock.
  public let time: WallTime
}

/// Actions of one band and of its hosts.
public struct BandLedger: Sendable {
  /// Transfers of items.
  public internal(set) var deliveries: [BandDelivery] = []
  /// Live values that arrived.
  public internal(set) var live: [BandLiveValue] = []
  /// Faults of hosts.
  public internal(set) var faults: [BandFault] = []
  /// Begin, login and end of each host's link; the last one may be open.
  public internal(set) var links: [(from: Instant, enteredAt: Instant?, until: Instant?)] = []
  /// Successful bindings, logins and unbindings, and failures.
  public internal(set) var bindings = 0, logins = 0, unbindings = 0, refusals = 0

  /// Creates a ledger without actions.
  public init() {}

  mutating func begin(_ items: [Int], at now: Instant, content: [UInt8] = []) -> Int {
    deliveries.append(BandDelivery(items: items, sentAt: now, link: links.count, content: content))
    return deliveries.count - 1
  }

  mutating func noteDelivered(_ number: Int, at now: Instant) {
    guard deliveries[number].fate == .underWay else { return }
    deliveries[number].fate = .delivered
    deliveries[number].deliveredAt = now
  }

  mutating func noteLost(_ number: Int) {
    if deliveries[number].fate == .underWay { deliveries[number].fate = .lost }
  }

  mutating func noteVerdict(_ isComplete: Bool, of number: Int, at now: Instant) {
    deliveries[number].verdict = isComplete
    deliveries[number].verdictAt = now
  }

  // MARK: For judges

  /// Items confirmed by a host, with the first time of that.
  public var confirmed: [Int: Instant] {
    var all: [Int: Instant] = [:]
    for delivery in deliveries where delivery.verdict == true {
      guard let at = delivery.verdictAt else { continue }
      for item in delivery.items where all[item] == nil { all[item] = at }
    }
    return all
  }

  /// Items that reached a host at least once.
  public var delivered: Set<Int> {
    Set(deliveries.filter { $0.fate == .delivered }.flatMap(\.items))
  }

  /// Items that the store must have: those in memory during a long enough login, and all that were confirmed.
  ///
  /// - Parameter length: time that a host needs for one round after its login.
  public func owed(_ items: [BandItem], linkedFor length: Duration, now: Instant) -> [BandItem] {
    let spans: [(from: Instant, until: Instant)] = links.compactMap { link in
      guard let from = link.enteredAt, (link.until ?? now) - from >= length else { return nil }
      return (from, link.until ?? now)
    }
    let confirmed = confirmed
    return items.filter { item in
      confirmed[item.number] != nil
        || spans.contains { item.recordedAt <= $0.from && item.wasHeld(at: $0.from + length) }
    }
  }
}
