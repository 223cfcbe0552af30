// A wearable as the lane sees it: facts, at one moment.

package import Bluetooth
package import Custody
package import EventLoop
package import HubModel

/// An enrolled wearable at one moment, with all inputs of the lane's decisions.
package struct LaneCandidate {
  package let id: WearableID
  /// Shown to people.
  package var name = ""

  // MARK: Kind

  /// A driver of this hub supports it.
  package var hasDriver = true
  /// Values that are measured without a link are lost.
  package var needsLink = false
  /// Whether it stores data that can be fetched; one that does not is only linked.
  package var holdsData = false
  /// Wearables of its kind are on for seconds after a measurement.
  package var hasShortPresenceKind = false
  /// The same, and its reputation permits the priority class short presence.
  package var hasShortPresence = false

  // MARK: The air

  /// Heard within its own advertising rhythm, or linked.
  package var isPresent = false
  package var isLinked = false
  /// Time of its last connectable advertisement.
  package var lastConnectable: Instant?
  /// Signal strength in dBm; nil: unknown.
  package var rssi: Double?

  // MARK: Requests and needs

  /// Time of an operator's request for a visit, until that is made.
  package var askedAt: Instant?
  /// False while it is being removed, paused, sealed or measured.
  package var mayBeVisited = true
  /// True if it is being removed, or paused: no other wearable waits for it.
  package var isLeftOut = false
  /// The link stays open while it is present, because it streams.
  package var staysLinked = false
  /// Hours until its memory is full; nil: unknown, or too long to matter.
  package var hoursToFull: Double?
  /// Age of the oldest data on it that is not in the store.
  package var oldestUnfetched: Duration?
  /// Time since its last completed visit; nil: there was no visit.
  package var sinceVisit: Duration?
  /// The last visit was interrupted, or its slice was over.
  package var resumes = false
  /// True while it still needs its visit: it was linked beside the lane, and not visited since.
  package var needsVisit = false
  /// Seen again after an absence, and not visited since.
  package var returned = false
  /// The wearable reported over its link that it holds new data, and was not visited since.
  package var announced = false
  /// Time of its next visit at a fixed time, independent of other visits.
  package var timedAt: Instant?
  /// Time since which it has waited for the lane; nil: not yet.
  package var dueSince: Instant?
  /// Time when it first waited, through all absences; nil: never.
  package var firstDue: Instant?
  /// Time until which hearing it changes no decision.
  package var quietUntil: Instant?
  /// End of its back-off: no automatic try before this.
  package var notBefore: Instant?

  // MARK: Reputation

  /// Reputation of its link; while it is linked, of its visits.
  package var reputation = Reputation.Grade.proven
  /// Reputation of its link, whether it has one or not.
  package var linkReputation = Reputation.Grade.new
  /// Priority class by its last link: reserved, recovering, first contact, returning or scheduled.
  package var linkClass = PriorityClass.scheduled
  /// Unstable: without a link, after links that cost more than they brought.
  package var isUnstable = false
  /// True if earlier links cost more than they brought; the open one is not counted.
  package var hadUnstableLinks = false
  /// Stable: values came all the time over its links, including the open one.
  package var isStable = false
  /// Level of stability, in thirds of ten minutes; below zero: on for seconds, and never gave a reading.
  package var level = 0
  /// Returning: proven, needs its link and lost it. Only wearables of this or a higher class go before it.
  package var isReturning = false
  /// First contact: never linked, and tried once at most.
  package var isFirstContact = false
  /// Lost its link within the seconds in which it may be back.
  package var lostLinkLately = false
  /// True if it was on for seconds and gave a reading.
  package var hasGivenReading = false
  /// True if it may take the slot of a stable wearable again, as one that is on for seconds.
  package var mayInterrupt = false

  // MARK: Turn, slot and adapter

  /// True if it has the lane, or an attempt or a first link beside it.
  package var hasTurn = false
  /// True if it has a reserved slot after the loss of its link, and no link.
  package var hasReservedSlot = false
  /// Index of the adapter of its link, its attempt or its reserved slot; nil: unknown, with several adapters.
  package var adapter: Int? = 0
  /// The adapter that may link to it.
  package var bond = AdapterPlace.Bond.none
  package var link: HeldLink?

  package init(_ id: WearableID) { self.id = id }
}

/// An open link of a wearable.
package struct HeldLink {
  package var since: Instant
  package var hasBrought: Bool
  package var lastValue: Instant?
  package var use: Use

  package init(since: Instant, hasBrought: Bool, lastValue: Instant?, use: Use) {
    self.since = since
    self.hasBrought = hasBrought
    self.lastValue = lastValue
    self.use = use
  }

  /// Uses of the link.
  package struct Use: OptionSet {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A visit runs.
    package static let visit = Use(rawValue: 1)
    /// An ordered measurement runs.
    package static let measurement = Use(rawValue: 2)
    /// A person looks at it.
    package static let watched = Use(rawValue: 4)
  }
}

extension LaneCandidate {
  /// Whether it is linked without waiting for a visit, as values that it measures without a link are lost.
  package var isLinkedBeside: Bool { !isLinked && (needsLink || hasShortPresenceKind) }

  /// Recovering: stable, and lost its link a moment ago. Neither a visit nor a promised slot keeps it out.
  package var isRecovering: Bool { isStable && isReturning }

  /// Whether its attempt waits while a wearable that was never linked has its first.
  package var isBehindFirstContact: Bool { linkReputation != .proven && !isFirstContact && askedAt == nil }

  /// Class of the bucket for its attempts: a first attempt does not wait for wearables that reconnect again and again.
  /// A person's request waits for no scan.
  package var paceReputation: Reputation.Grade {
    if isFirstContact { return .proven }
    return askedAt == nil ? linkReputation : min(linkReputation, .new)
  }

  /// Whether its reserved slot is kept from others. A wearable that is being removed or paused does not return.
  package var keepsSlot: Bool { hasReservedSlot && !isLeftOut }

  /// Whether it may have a turn.
  package var isServed: Bool { hasDriver && !hasTurn && mayBeVisited }

  /// A link is open, and being settled or visited.
  var isVisited: Bool { hasTurn || isUsed(for: .visit) }

  func isUsed(for use: HeldLink.Use) -> Bool { link?.use.contains(use) ?? false }

  /// Whether its link delivered no data, and its reputation is not good.
  var isUseless: Bool { linkReputation != .proven && link?.hasBrought == false }
}
