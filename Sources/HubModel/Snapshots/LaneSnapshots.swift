// What the hub says about visits, custody, links, clocks, bonds and the radio, as values.

public import Bluetooth
public import EventLoop
public import Reasons
import RingStore

/// One visit, past or running.
public struct VisitSnapshot: Sendable {
  public var number: UInt64
  public var wearable: String
  public var trigger: VisitTrigger
  public var began: WallTime
  /// Nil while it runs, and for good if the hub died in it.
  public var ended: WallTime?
  public var isRunning: Bool
  /// It brings everything that the wearable keeps; nil: not known, of a visit of an earlier run.
  public var isOfAll: Bool?
  public var stage: VisitStage
  /// Of a running one, at a wearable that belongs to one host: how far its link has come.
  public var connection: LinkStage?
  /// Nil while it runs.
  public var outcome: VisitOutcome?
  public var trouble: HearthError?
  /// Why nothing was fetched, or what was; empty where there is a trouble, and while it runs.
  public var remark = ""
  public var bytesFetched: UInt64
  public var itemsDone: Int
  public var itemsListed: Int
  /// Id of the item in work.
  public var item: String?
  /// Bytes of that item so far, and altogether where it is known.
  public var itemFetched: Int?
  public var itemSize: Int?
  /// Bytes a second over the visit's fetching.
  public var rate: Int?
  /// When fetching will be over at this rate.
  public var expectedEnd: WallTime?
  public var sliceUsed: Duration?
  public var slice: Duration?

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

/// Who waits for the lane, and why in this order.
public struct QueueSnapshot: Sendable {
  public var wearable: String
  /// `asked by an operator`, `memory full in 3 h`, `oldest data 2 d`, `not visited for 40 min`.
  public var why: String
  /// Not before this.
  public var notBefore: WallTime?
  public var trigger: VisitTrigger
  /// False where it keeps nothing, and being linked is all that is wanted.
  public var fetches: Bool
  /// By what right it has its turn.
  public var priority: PriorityClass?
  /// What stands between it and its turn, told where somebody asks for it: why its attempt may not begin, how it would
  /// come to a slot, whether a connect would find it.
  public var hold: LinkHold?
  public var slot: SlotClaim?
  public var isHeard: Bool?
  /// Of one that was asked for just now: its visit has a higher number than this.
  public var after: UInt64?

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

/// Why a wearable that waits has no link: all slots of the adapter are taken.
public struct SlotWait: Sendable, Hashable {
  /// Links that there are, and that there can be.
  public var links: Int
  public var slots: Int
  /// Since when all are taken; nil where the controller counts links that are not the hub's.
  public var since: WallTime?
  /// Names, the longest linked first.
  public var holders: [String]
  /// Who yields next to whoever waits first, and from when on; nil while a slot is being given up, or where nobody can.
  public var next: String?
  public var nextAt: WallTime?
  /// Its own place in the line, from 1.
  public var place: Int

  public init(links: Int, slots: Int, holders: [String], place: Int) {
    self.links = links
    self.slots = slots
    self.holders = holders
    self.place = place
  }
}

/// One item's way from the wearable into the store.
public struct CustodySnapshot: Sendable {
  public var id: String
  public var mark: String
  public var size: Int?
  public var bytesFetched: Int
  /// When each step was reached; nil: not yet.
  public var fetched: WallTime?
  public var verified: WallTime?
  public var durable: WallTime?
  public var erased: WallTime?
  /// Receipts: how many, and the number of the first.
  public var receipts: Int
  public var firstReceipt: UInt64?
  /// What was found in it, or what is wrong with it.
  public var remark: String
  public var visit: UInt64

  public init(id: String, mark: String, bytesFetched: Int, visit: UInt64) {
    self.id = id
    self.mark = mark
    self.bytesFetched = bytesFetched
    self.visit = visit
    receipts = 0
    remark = ""
  }
}

/// A link as asked, as it is, and as the wearable says.
public struct LinkSnapshot: Sendable {
  public var wearable: String
  public var isLinked: Bool
  public var requestedProfile: LinkProfile
  /// Why this profile: `a fetch is running`, `an operator asked`, `nothing asked for 5 min`.
  public var why: String
  /// An operator's lasting choice; nil: by policy.
  public var override: LinkProfile?
  /// The hub alone sets the link to that choice.
  public var isByCentral: Bool
  public var requested: ConnectionParameters
  /// The profile whose numbers are in effect; nil if none's are, or it is not known.
  public var effectiveProfile: LinkProfile?
  public var effective: EffectiveParameters?
  /// What the wearable's characteristic says; nil where it cannot be read.
  public var reportedProfile: UInt8?
  /// When it said so.
  public var reportedAt: WallTime?
  /// What happened to the last write of the characteristic, for people; nil where there is none.
  public var characteristic: String?
  public var trouble: HearthError?
  public var mtu: Int?
  public var isSecured: Bool
  /// Bytes; nil where nothing is encrypted, or nobody tells.
  public var keySize: Int?
  /// The hub has keys of it.
  public var isBonded: Bool

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
  public var wearable: String
  /// Microseconds the wearable was ahead of the hub when it was last asked, of the hub's local time where it shows
  /// local time; nil if it never was.
  public var offset: Int64?
  /// Minutes east of Greenwich that it said its time is, and those of the hub's zone then; nil where it says none.
  public var shownZone: Int?
  public var zone: Int?
  public var readAt: WallTime?
  public var setAt: WallTime?
  public var wasTrusted: Bool
  /// Parts per million; nil while the readings are too close to each other.
  public var driftPPM: Double?
  /// Why there is no drift, for people.
  public var doubt: String?

  public init(wearable: String) {
    self.wearable = wearable
    wasTrusted = false
  }
}

/// A bond without its keys.
public struct BondSnapshot: Sendable {
  public var wearable: String
  public var address: BluetoothAddress
  public var createdAt: WallTime
  public var isAuthenticated: Bool
  public var isSecureConnections: Bool
  public var hasIdentityKey: Bool
  /// The wearable no longer knows the key, or the hub's was refused.
  public var isLost: Bool

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
  public var wearable: String
  public var request: PairingRequest
  public var until: WallTime

  public init(wearable: String, request: PairingRequest, until: WallTime) {
    self.wearable = wearable
    self.request = request
    self.until = until
  }
}
