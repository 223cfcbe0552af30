// Shares of the slots while all enrolled wearables are present.

/// The share of the slots that one wearable gets while all enrolled wearables are present.
public struct SlotShare: Hashable, Sendable {
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

  public var role: Role
  /// The shortest turn; nil: no turn ended within the hour.
  public var turn: Duration?
  /// The longest time without a link.
  public var gap: Duration?

  public init(_ role: Role, turn: Duration? = nil, gap: Duration? = nil) {
    self.role = role
    self.turn = turn
    self.gap = gap
  }
}

/// The shares of all enrolled wearables while all of them are present.
public struct SlotPlan: Sendable {
  public struct Place: Sendable {
    public var wearable: String
    public var share: SlotShare
    public var isPresent: Bool
    /// Whether it advertises its heart rate, which is then shown between its turns too.
    public var advertises: Bool

    public init(_ wearable: String, _ share: SlotShare, isPresent: Bool, advertises: Bool) {
      self.wearable = wearable
      self.share = share
      self.isPresent = isPresent
      self.advertises = advertises
    }
  }

  /// Slots of all adapters that are ready.
  public var slots: Int
  /// Wearables that need a link for as long as they are present.
  public var wanting: Int
  /// Number of further slots with which no wearable would wait.
  public var missing: Int
  /// In the order of the registry.
  public var places: [Place]

  public init(slots: Int, wanting: Int, missing: Int, places: [Place]) {
    self.slots = slots
    self.wanting = wanting
    self.missing = missing
    self.places = places
  }

  /// Links that a common USB adapter carries: board/DEVICES.md, Adapters.
  public static let slotsOfAdapter = 5
  /// Adapters with which no wearable would wait.
  public var missingAdapters: Int { (missing + Self.slotsOfAdapter - 1) / Self.slotsOfAdapter }
}
