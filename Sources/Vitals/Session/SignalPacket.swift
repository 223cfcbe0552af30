// Input and output of the signal monitoring of one session.

/// Notification of a sensor's stream of intervals or rates, as far as signal quality is concerned.
public struct SignalPacket: Sendable, Hashable {
  /// Contact with the skin, as the sensor reports it.
  public enum Contact: Sendable, Hashable {
    /// The sensor does not detect it, or its report is meaningless: the Verity Sense reports contact on a table.
    case unknown
    case lost
    case made
  }

  /// Limit: more in one packet than any sensor sends; further ones are not counted.
  public static let intervalLimit = 64

  /// Number of intervals in the packet, at most 64. A sensor that sends only rates: number of rates.
  public let received: Int
  /// Number of them that are used: not blocked, not without contact, not too uncertain.
  public let usable: Int
  /// Doubt in halves: 2 for an interval that was dropped or classified as an artefact, 1 for an uncertain one.
  public let doubt: Int
  /// Microseconds that the timeline of beats lost before this packet; nil if there is no timeline.
  public let gap: Int64?
  /// Skin contact of the sensor.
  public let contact: Contact

  /// Numbers out of range become the nearest valid ones.
  public init(received: Int, usable: Int, doubt: Int = 0, gap: Int64? = nil, contact: Contact = .unknown) {
    self.received = min(max(received, 0), Self.intervalLimit)
    self.usable = min(max(usable, 0), self.received)
    self.doubt = min(max(doubt, 0), 2 * self.received)
    self.gap = gap.map { max($0, 0) }
    self.contact = contact
  }
}

/// Start or end of a condition. Each is reported once, however long it lasts.
public enum SignalNotice: Sendable, Hashable {
  /// The condition has started: notify listeners.
  case began(SessionCode)
  /// Pass it to the session as `SessionEvent.fault`, which reports it and ends the measurement.
  case fault(SessionCode)
  /// The condition has ended.
  case ended(SessionCode)
}

/// State of the adapter, as far as a session needs it.
public enum AdapterCondition: Sendable, Hashable {
  case usable
  case off
  case notAllowed
}
