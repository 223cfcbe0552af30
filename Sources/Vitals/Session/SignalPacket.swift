// What a watch over the signal is told of one packet of a sensor, and what it tells.

/// One notification of a sensor's stream of intervals or rates, as far as its quality goes.
public struct SignalPacket: Sendable, Hashable {
  /// Contact with the skin, as the sensor reports it.
  public enum Contact: Sendable, Hashable {
    /// The sensor does not know, or its word means nothing: the Verity Sense says "contact" on a table.
    case unknown
    case lost
    case made
  }

  /// More in one packet than any sensor sends; the rest is not counted.
  public static let intervalLimit = 64

  /// Intervals in the packet; of a sensor that sends rates alone, rates.
  public let received: Int
  /// Of these, those that count: not blocked, not without contact, not too uncertain.
  public let usable: Int
  /// Doubt in halves: 2 for an interval that was dropped or classified as an artefact, 1 for an uncertain one.
  public let doubt: Int
  /// Microseconds that the timeline of beats lost before this packet; nil if nothing computes it.
  public let gap: Int64?
  public let contact: Contact

  /// Numbers beyond their range are taken as its end.
  public init(received: Int, usable: Int, doubt: Int = 0, gap: Int64? = nil, contact: Contact = .unknown) {
    self.received = min(max(received, 0), Self.intervalLimit)
    self.usable = min(max(usable, 0), self.received)
    self.doubt = min(max(doubt, 0), 2 * self.received)
    self.gap = gap.map { max($0, 0) }
    self.contact = contact
  }
}

/// A condition that began or ended. Each is told once, however long it lasts.
public enum SignalNotice: Sendable, Hashable {
  /// Tell listeners.
  case began(SessionCode)
  /// Hand it to the session as `SessionEvent.fault`, which announces it and ends the measurement.
  case fault(SessionCode)
  /// It holds no longer.
  case ended(SessionCode)
}

/// The adapter, as far as a session needs it.
public enum AdapterCondition: Sendable, Hashable {
  case usable
  case off
  case notAllowed
}
