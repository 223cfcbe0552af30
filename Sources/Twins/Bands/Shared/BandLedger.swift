// What went over the air of a band's items, what the host said that it has, and what it did wrong: for judges.

public import EventLoop
public import Health

/// Something that no host may do.
public enum BandFault: Sendable, Hashable {
  /// It said that it has what the band had not sent to the end.
  case confirmedUnsent
  /// It asked for the next kind of data while one was under way.
  case askedDuringSync
  /// It wrote to a characteristic for updates, or a command that resets or updates.
  case dangerous(UInt16)
  /// It acknowledged an acknowledgement, or a number that was never sent.
  case acknowledgedNothing
  /// A piece was longer than the band takes, or came too soon.
  case pieceTooLong
  case pieceTooSoon
  /// A frame that does not parse, with a right checksum.
  case malformed
  /// A command before it was let in.
  case unauthorised
  /// It hung up in the middle of a transfer.
  case leftDuringSync
}

/// One transfer of items.
public struct BandDelivery: Sendable {
  public enum Fate: Sendable, Hashable { case underWay, delivered, lost }

  /// Numbers of the items in it.
  public let items: [Int]
  public let sentAt: Instant
  public let link: Int
  /// As it went over the air, of what can only be kept as it came; else empty.
  public let content: [UInt8]
  public fileprivate(set) var fate = Fate.underWay
  /// The host had all of it.
  public fileprivate(set) var deliveredAt: Instant?
  /// What the host said of it: true, it has it; nil: nothing.
  public fileprivate(set) var verdict: Bool?
  public fileprivate(set) var verdictAt: Instant?
}

/// A value that was measured while the host watched, and told at once.
public struct BandLiveValue: Sendable {
  public let series: Series
  /// In the stored scale; pressure has two.
  public let values: [Int64]
  public let deliveredAt: Instant
  public let time: WallTime
}

/// What one band did and what was done to it.
public struct BandLedger: Sendable {
  public internal(set) var deliveries: [BandDelivery] = []
  public internal(set) var live: [BandLiveValue] = []
  public internal(set) var faults: [BandFault] = []
  /// From when to when a host was linked, and let in; the last may be open.
  public internal(set) var links: [(from: Instant, enteredAt: Instant?, until: Instant?)] = []
  /// Bindings, logins and unbindings that came to something, and those that did not.
  public internal(set) var bindings = 0, logins = 0, unbindings = 0, refusals = 0

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

  /// Items that a host said that it has, with when it said so first.
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

  /// What a store owes: items that memory still held while a host was let in for so long, and all that were confirmed.
  ///
  /// - Parameter length: what a host needs for one round, from when it was let in.
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
