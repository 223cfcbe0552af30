// The hub's state as a value: its phase, its figures, and the troubles that need a person.

public import Bluetooth
public import EventLoop
public import Reasons

/// The hub's phase of life.
public enum HubPhase: String, Sendable {
  case starting, serving, stopping
}

/// A wearable, or a part of the hub, that needs a person, for the first screen.
public struct Attention: Sendable, Hashable {
  /// Name of the wearable, or nil for the hub itself.
  public var wearable: String?
  /// The trouble, with its reason code and a sentence for people.
  public var trouble: HearthError
  /// End of the mute, in a list of muted troubles, by the clock as it is set now; nil: until a person withdraws it.
  public var mutedUntil: WallTime?
  /// A trouble of one wearable, or of the hub if `wearable` is nil.
  public init(wearable: String?, trouble: HearthError, mutedUntil: WallTime? = nil) {
    self.wearable = wearable
    self.trouble = trouble
    self.mutedUntil = mutedUntil
  }
}

/// The hub on one screen.
public struct HubSnapshot: Sendable {
  /// Name of the hub.
  public var name: String
  /// Phase of life of the daemon.
  public var phase: HubPhase
  /// Time of the start, by the wall clock as it is set now.
  public var startedAt: WallTime
  /// Time since the start, by the monotonic clock.
  public var uptime: Duration
  /// Whether the radio serves, or the reason why it does not.
  public var radioState: RadioState
  /// Adapter, slots, warnings and other facts of the radio.
  public var radio: RadioFacts
  /// Number of enrolled wearables.
  public var enrolled: Int
  /// Number of enrolled wearables that are present and not in state `paused`.
  public var present: Int
  /// Number of enrolled wearables in state `missing`.
  public var missing: Int
  /// Number of enrolled wearables in state `live`.
  public var live: Int
  /// Troubles that people are notified of: those of the hub first, then those of each wearable. Muted ones are in
  /// `muted`.
  public var attention: [Attention]
  /// Number of wearables that are paused by order.
  public var paused = 0
  /// Troubles that would be in `attention` if they were not muted.
  public var muted: [Attention] = []
  /// Name of the wearable that holds the lane; without one, of the first that is linked beside it; nil: neither.
  public var laneHolder: String?
  /// Names of wearables that could have the lane at once, in order.
  public var laneQueue: [String]
  /// The running visit of the lane's holder; nil: no visit runs.
  public var visit: VisitSnapshot?
  /// Wearables that wait for the lane, in order, each with the reason for its place.
  public var queue: [QueueSnapshot]
  /// A time source disciplines the clock.
  public var clockIsSynchronised: Bool
  /// Time when the newest backup was made.
  public var backupAt: WallTime?
  /// Synchronised, or at least not before this software or the newest sample.
  public var clockIsPlausible: Bool
  /// Figures of the event loop; nil: virtual time.
  public var loop: LoopStatistics?
  /// Longest time since one of the waiting wearables could have had the lane; nil: the queue is empty.
  public var longestWait: Duration?
  /// Links and visits that were counted since the start.
  public var tally = HubTally()
  /// Named event counters since start, in a fixed order.
  public var counters: [(name: String, value: UInt64)]
  /// A hub without wearables and troubles, with a plausible clock that no time source disciplines.
  public init(
    name: String, phase: HubPhase, startedAt: WallTime, uptime: Duration, radioState: RadioState, radio: RadioFacts
  ) {
    self.name = name
    self.phase = phase
    self.startedAt = startedAt
    self.uptime = uptime
    self.radioState = radioState
    self.radio = radio
    enrolled = 0
    present = 0
    missing = 0
    live = 0
    attention = []
    laneQueue = []
    queue = []
    clockIsSynchronised = false
    clockIsPlausible = true
    counters = []
  }
}
