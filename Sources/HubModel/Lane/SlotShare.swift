// Shares of the slots while all enrolled wearables are present.

/// The share of the slots that one wearable gets while all enrolled wearables are present.
public struct SlotShare: Hashable, Sendable {
  /// Use of the slots by one wearable.
  public enum Role: String, Sendable, CaseIterable {
    /// Has its link all the time.
    case live
    /// Takes turns with others.
    case turns
    /// Stores what it measures, and needs a slot only for its visits.
    case visits
    /// Is on for seconds, and gets a slot at once.
    case seconds
    /// Is bonded to an adapter that is not ready.
    case unreachable
  }

  /// Use of the slots.
  public var role: Role
  /// The shortest turn; nil: no turn ended within the hour.
  public var turn: Duration?
  /// Longest time without a link; nil: unknown or without end.
  public var gap: Duration?

  /// A share; nil times: unknown or without end.
  public init(_ role: Role, turn: Duration? = nil, gap: Duration? = nil) {
    self.role = role
    self.turn = turn
    self.gap = gap
  }
}

/// The shares of all enrolled wearables while all of them are present.
public struct SlotPlan: Sendable {
  /// Share of one wearable.
  public struct Place: Sendable {
    /// Name of the wearable.
    public var wearable: String
    /// Role, turn and gap of the wearable.
    public var share: SlotShare
    /// True if it is in range now.
    public var isPresent: Bool
    /// Whether it advertises its heart rate, which is then shown between its turns too.
    public var advertises: Bool

    /// Share of one wearable, with its present state.
    public init(_ wearable: String, _ share: SlotShare, isPresent: Bool, advertises: Bool) {
      self.wearable = wearable
      self.share = share
      self.isPresent = isPresent
      self.advertises = advertises
    }
  }

  /// Number of slots of all adapters that are ready.
  public var slots: Int
  /// Number of wearables that need a link for as long as they are present.
  public var wanting: Int
  /// Number of further slots with which no wearable would wait.
  public var missing: Int
  /// Places in the order of the registry.
  public var places: [Place]

  /// A plan for the slots of all adapters.
  public init(slots: Int, wanting: Int, missing: Int, places: [Place]) {
    self.slots = slots
    self.wanting = wanting
    self.missing = missing
    self.places = places
  }

  /// Links that a common USB adapter carries: board/DEVICES.md, Adapters.
  public static let slotsOfAdapter = 5
  /// Number of further adapters with which no wearable would wait.
  public var missingAdapters: Int { (missing + Self.slotsOfAdapter - 1) / Self.slotsOfAdapter }
}
