// One wearable as the lane sees it: facts, at one moment.

package import Bluetooth
package import Custody
package import EventLoop
package import HubModel

/// One enrolled wearable at one moment. All that a decision of the lane reads of it stands here.
package struct LaneCandidate {
  package let id: WearableID
  /// For people.
  package var name = ""

  // MARK: Its kind

  /// A driver of this hub knows it.
  package var hasDriver = true
  /// Values that are measured without a link are lost.
  package var needsLink = false
  /// It keeps data that can be fetched; one that does not is only linked.
  package var holdsData = false
  /// By its kind it is switched on for seconds after a measurement.
  package var isBriefKind = false
  /// The same, and its reputation allows the priority that follows.
  package var isBrief = false

  // MARK: The air

  /// Heard within its own rhythm, or linked.
  package var isPresent = false
  package var isLinked = false
  /// When it was last heard saying that it may be connected.
  package var lastConnectable: Instant?
  /// dBm.
  package var rssi: Double?

  // MARK: What is wanted of it

  /// When an operator asked for a visit that was not made yet.
  package var askedAt: Instant?
  /// False while it is being forgotten, paused, sealed or measured.
  package var mayBeVisited = true
  /// It is being forgotten or paused: no other wearable waits for it.
  package var isLeftOut = false
  /// Its link is kept while it is present, because it streams.
  package var staysLinked = false
  /// Until its memory is full, in hours; nil: it does not say, or has too much to matter.
  package var hoursToFull: Double?
  /// Age of the oldest data on it that is not in the store.
  package var oldestUnfetched: Duration?
  /// Since the last visit that came to its end; nil: there never was one.
  package var sinceVisit: Duration?
  /// Its last visit was interrupted, or its slice was over.
  package var resumes = false
  /// It was linked beside the lane, and was not visited since.
  package var owesVisit = false
  /// Seen again after an absence, and not visited since.
  package var returned = false
  /// It said over its link that it holds something new, and was not visited since.
  package var announced = false
  /// The next visit that is made at a fixed time, whatever was visited before.
  package var timedAt: Instant?
  /// Since when it waits for the lane; nil: it did not wait so far.
  package var dueSince: Instant?
  /// Since when it waited for the first time, however often it came and went since; nil: it did not so far.
  package var firstDue: Instant?
  /// Hearing it changes nothing before this.
  package var quietUntil: Instant?
  /// No automatic try before this: its back-off.
  package var notBefore: Instant?

  // MARK: Its reputation

  /// Of its link, or of its visits while it is linked.
  package var standing = Reputation.Standing.proven
  /// Of a link of it, whether it has one or not.
  package var linkStanding = Reputation.Standing.new
  /// The class that its last link left it in: reserved, recovering, first contact, returning or scheduled.
  package var claim = PriorityClass.scheduled
  /// It has no link, and those that it had cost more than they brought.
  package var isPoor = false
  /// The links that it had cost more than they brought; the one that is open is not counted.
  package var hadPoorLinks = false
  /// Its links were filled with values, with the one that is open.
  package var isSteady = false
  /// How long they were, in thirds of ten minutes; below zero: it is on for seconds and never gave a reading.
  package var level = 0
  /// It was of use, needs its link and lost it: only wearables of this or a higher class go before it.
  package var isReturning = false
  /// It was never linked, and not tried more than once.
  package var isFirstContact = false
  /// It lost its link within the seconds in which it may be back.
  package var lostLinkLately = false
  /// It is on for seconds, and gave a reading.
  package var hasGivenReading = false
  /// As one that is on for seconds it may take the slot of a steady one again.
  package var mayInterrupt = false

  // MARK: What it has

  /// It has the lane, or an attempt or a first link beside it.
  package var hasTurn = false
  /// A slot was reserved for it as it lost its link, and it has none.
  package var hasReservedSlot = false
  /// The adapter of its link, its attempt or its reserved slot; nil: not known, among several.
  package var adapter: Int? = 0
  /// Which adapter may link to it.
  package var bond = AdapterPlace.Bond.none
  package var link: HeldLink?

  package init(_ id: WearableID) { self.id = id }
}

/// The link that a wearable has.
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

  /// What goes on over it.
  package struct Use: OptionSet {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A visit runs.
    package static let visit = Use(rawValue: 1)
    /// An order measures.
    package static let measurement = Use(rawValue: 2)
    /// A person looks at it.
    package static let watched = Use(rawValue: 4)
  }
}

extension LaneCandidate {
  /// Its link waits for no visit: what it measures is lost without one.
  package var isLinkedBeside: Bool { !isLinked && (needsLink || isBriefKind) }

  /// It streamed without gaps and lost its link a moment ago: neither a visit nor a promised slot keeps it out.
  package var isRecovering: Bool { isSteady && isReturning }

  /// Its attempt waits while one that was never linked has its first.
  package var isBehindFirstContact: Bool { linkStanding != .proven && !isFirstContact && askedAt == nil }

  /// The bucket of its attempts: the first attempt of a wearable does not wait for those that reconnect for ever. What
  /// a person asks for waits for no scan.
  package var paceStanding: Reputation.Standing {
    if isFirstContact { return .proven }
    return askedAt == nil ? linkStanding : min(linkStanding, .new)
  }

  /// No other wearable may have the slot that is reserved for it. One that is being forgotten or paused does not come.
  package var keepsSlot: Bool { hasReservedSlot && !isLeftOut }

  /// It may have a turn.
  package var isServed: Bool { hasDriver && !hasTurn && mayBeVisited }

  /// A link is open, and settled or being visited.
  var isVisited: Bool { hasTurn || isUsed(for: .visit) }

  func isUsed(for use: HeldLink.Use) -> Bool { link?.use.contains(use) ?? false }

  /// Its link brought nothing, and its reputation does not speak for it.
  var isUseless: Bool { linkStanding != .proven && link?.hasBrought == false }
}
