// Visits, custody, links, clocks, bonds and the radio, as values.

public import Bluetooth
public import EventLoop
public import Reasons
import RingStore

/// A visit, past or running.
public struct VisitSnapshot: Sendable {
  /// Number of the visit.
  public var number: UInt64
  /// Name of the wearable.
  public var wearable: String
  /// Reason of the visit.
  public var trigger: VisitTrigger
  /// Begin of the visit.
  public var began: WallTime
  /// Nil while it runs, and for good if the hub died in it.
  public var ended: WallTime?
  /// True while it runs.
  public var isRunning: Bool
  /// Whether it fetches everything that the wearable stores; nil: unknown, for a visit of an earlier run.
  public var isOfAll: Bool?
  /// Stage that it is in, or ended in.
  public var stage: VisitStage
  /// Stage of the link in a running visit of a wearable that belongs to one host.
  public var connection: LinkStage?
  /// Nil while it runs.
  public var outcome: VisitOutcome?
  /// Trouble that ended it, if any.
  public var trouble: HearthError?
  /// Text that says why no item was fetched, or which were; empty if there is a trouble, and while it runs.
  public var remark = ""
  /// Number of bytes fetched in this visit.
  public var bytesFetched: UInt64
  /// Number of items on the wearable that are durable now.
  public var itemsDone: Int
  /// Number of items on the wearable's list.
  public var itemsListed: Int
  /// Id of the item under way.
  public var item: String?
  /// Bytes of that item so far, and in total if known.
  public var itemFetched: Int?
  /// Size of the current item in bytes; nil: unknown.
  public var itemSize: Int?
  /// Bytes a second over the visit's fetching.
  public var rate: Int?
  /// Expected end of fetching, at this rate.
  public var expectedEnd: WallTime?
  /// Used time of the slice; nil: without a slice.
  public var sliceUsed: Duration?
  /// Length of the slice; nil: without a limit.
  public var slice: Duration?

  /// A visit that has just begun, in the stage `connect`.
  public init(number: UInt64, wearable: String, trigger: VisitTrigger, began: WallTime) {
    self.number = number
    self.wearable = wearable
    self.trigger = trigger
    self.began = began
    isRunning = true
    stage = .connect
    bytesFetched = 0
    itemsDone = 0
    itemsListed = 0
  }
}

/// A wearable that waits for the lane, and why it has this place.
public struct QueueSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// `requested by an operator`, `memory full in 3 h`, `oldest data 2 d`, `not visited for 40 min`.
  public var why: String
  /// Earliest time of the visit; nil: any time.
  public var notBefore: WallTime?
  /// Reason of the visit.
  public var trigger: VisitTrigger
  /// Whether it has data to fetch; false if it only needs a link.
  public var fetches: Bool
  /// The priority class of its turn.
  public var priority: PriorityClass?
  /// Obstacles to its turn, filled on request: why its attempt may not begin, how it would get a slot, whether a
  /// connect would find it.
  public var hold: LinkHold?
  /// Way in which it would get a slot; nil: not asked.
  public var slot: SlotAvailability?
  /// Whether a connect would find it; nil: not asked.
  public var isHeard: Bool?
  /// Number below that of a visit that was just requested.
  public var after: UInt64?

  /// A waiting wearable.
  public init(
    wearable: String, why: String, notBefore: WallTime? = nil, trigger: VisitTrigger, fetches: Bool = true,
    after: UInt64? = nil
  ) {
    self.fetches = fetches
    self.after = after
    self.wearable = wearable
    self.why = why
    self.notBefore = notBefore
    self.trigger = trigger
  }
}

/// Reason why a waiting wearable has no link: all slots of the adapter are taken.
public struct SlotWait: Sendable, Hashable {
  /// Number of present links.
  public var links: Int
  /// Number of links that the adapter can have.
  public var slots: Int
  /// Time since which all are taken; nil if the controller counts links that are not the hub's.
  public var since: WallTime?
  /// Names, the longest linked first.
  public var holders: [String]
  /// The holder that yields next to the first in line, and from when on. Nil while a slot is being vacated, or if no
  /// holder can yield.
  public var next: String?
  /// Time from which that holder yields.
  public var nextAt: WallTime?
  /// Place in the line, from 1.
  public var place: Int

  /// A wait for one of `slots` slots; `place` is the place in the queue.
  public init(links: Int, slots: Int, holders: [String], place: Int) {
    self.links = links
    self.slots = slots
    self.holders = holders
    self.place = place
  }
}

/// An item on its way from the wearable into the store.
public struct CustodySnapshot: Sendable {
  public var id: String
  /// Mark of its content.
  public var mark: String
  /// Size in bytes; nil: unknown.
  public var size: Int?
  /// Bytes fetched so far.
  public var bytesFetched: Int
  /// Time of each step; nil: not yet.
  public var fetched: WallTime?
  /// Time at which its content was verified.
  public var verified: WallTime?
  /// Time at which it was durable.
  public var durable: WallTime?
  /// Time at which it was erased on the wearable.
  public var erased: WallTime?
  /// Number of receipts, and the number of the first.
  public var receipts: Int
  /// Number of the first receipt, if any.
  public var firstReceipt: UInt64?
  /// Content of the item, or its defect.
  public var remark: String
  /// Number of the visit.
  public var visit: UInt64

  /// An item without receipts.
  public init(id: String, mark: String, bytesFetched: Int, visit: UInt64) {
    self.id = id
    self.mark = mark
    self.bytesFetched = bytesFetched
    self.visit = visit
    receipts = 0
    remark = ""
  }
}

/// A link as requested, as it is, and as the wearable reports.
public struct LinkSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// True while connected.
  public var isLinked: Bool
  /// Profile that the hub requests.
  public var requestedProfile: LinkProfile
  /// Reason of this profile: `a fetch is running`, `requested by an operator`, `nothing asked for 5 min`.
  public var why: String
  /// An operator's lasting choice; nil: by policy.
  public var override: LinkProfile?
  /// True if only the hub sets the link to that choice.
  public var isByCentral: Bool
  /// Parameters that the hub requests.
  public var requested: ConnectionParameters
  /// The profile that matches the parameters in effect; nil if no profile does, or if unknown.
  public var effectiveProfile: LinkProfile?
  /// Parameters in effect; nil: unknown.
  public var effective: EffectiveParameters?
  /// The value of the wearable's characteristic; nil if it cannot be read.
  public var reportedProfile: UInt8?
  /// Time of that reading.
  public var reportedAt: WallTime?
  /// Result of the last write of the characteristic, for people; nil without such a characteristic.
  public var characteristic: String?
  /// Trouble with the profile, if any.
  public var trouble: HearthError?
  /// ATT MTU in bytes; nil: not connected.
  public var mtu: Int?
  /// True if the link is encrypted.
  public var isSecured: Bool
  /// Bytes; nil without encryption, or if unknown.
  public var keySize: Int?
  /// The hub has keys for it.
  public var isBonded: Bool

  /// A link that is closed.
  public init(wearable: String, requestedProfile: LinkProfile, why: String) {
    self.wearable = wearable
    self.requestedProfile = requestedProfile
    self.why = why
    isLinked = false
    isByCentral = false
    requested = requestedProfile.parameters
    isSecured = false
    isBonded = false
  }
}

/// A wearable's clock.
public struct ClockSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Microseconds by which the wearable was ahead of the hub at the last reading. Of the hub's local time if it shows
  /// local time. Nil if it was never read.
  public var offset: Int64?
  /// Minutes east of Greenwich that it reported for its time, and those of the hub's zone then; nil if it reports no
  /// zone.
  public var shownZone: Int?
  /// Minutes east of Greenwich of the hub's zone then.
  public var zone: Int?
  /// Last reading.
  public var readAt: WallTime?
  /// Last setting by the hub.
  public var setAt: WallTime?
  /// True if the hub's clock was trusted at the reading.
  public var wasTrusted: Bool
  /// Parts per million; nil while the readings are too close to each other.
  public var driftPPM: Double?
  /// Reason why the drift is unknown, for people.
  public var doubt: String?

  /// A clock without a reading.
  public init(wearable: String) {
    self.wearable = wearable
    wasTrusted = false
  }
}

/// A bond without its keys.
public struct BondSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Address of the bond.
  public var address: BluetoothAddress
  /// Time of the pairing.
  public var createdAt: WallTime
  /// True if it protects against an active attacker.
  public var isAuthenticated: Bool
  /// True if it comes from LE Secure Connections.
  public var isSecureConnections: Bool
  /// True if it has an identity key.
  public var hasIdentityKey: Bool
  /// The wearable no longer has the key, or the hub's was refused.
  public var isLost: Bool

  /// A bond without marks.
  public init(wearable: String, address: BluetoothAddress, createdAt: WallTime) {
    self.wearable = wearable
    self.address = address
    self.createdAt = createdAt
    isAuthenticated = false
    isSecureConnections = false
    hasIdentityKey = false
    isLost = false
  }
}

/// A pairing that waits for a person.
public struct PairingSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Question to the person.
  public var request: PairingRequest
  /// End of the time for an answer.
  public var until: WallTime

  /// A pairing that waits for an answer.
  public init(wearable: String, request: PairingRequest, until: WallTime) {
    self.wearable = wearable
    self.request = request
    self.until = until
  }
}
