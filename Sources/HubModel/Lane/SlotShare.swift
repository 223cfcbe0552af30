// What a wearable gets of the slots while all enrolled wearables are here.

/// What one wearable gets of the slots while all enrolled wearables are here.
public struct SlotShare: Hashable, Sendable {
  public enum Role: String, Sendable, CaseIterable {
    /// Keeps its link.
    case live
    /// Has a link in turn with others.
    case turns
    /// Keeps what it measures, and needs a slot for its visits alone.
    case visits
    /// Is on for seconds, and has a slot at once.
    case seconds
    /// Is bonded to an adapter that does not serve.
    case unreachable
  }

  public var role: Role
  /// The shortest turn; nil: none ended within the hour.
  public var turn: Duration?
  /// The longest time without a link.
  public var gap: Duration?

  public init(_ role: Role, turn: Duration? = nil, gap: Duration? = nil) {
    self.role = role
    self.turn = turn
    self.gap = gap
  }
}

/// What all enrolled wearables get of the slots while all of them are here.
public struct SlotPlan: Sendable {
  public struct Place: Sendable {
    public var wearable: String
    public var share: SlotShare
    public var isPresent: Bool
    /// It advertises its heart rate, so that it is shown between its turns too.
    public var advertises: Bool

    public init(_ wearable: String, _ share: SlotShare, isPresent: Bool, advertises: Bool) {
      self.wearable = wearable
      self.share = share
      self.isPresent = isPresent
      self.advertises = advertises
    }
  }

  /// Slots of all adapters that serve.
  public var slots: Int
  /// Wearables that want a link for as long as they are here.
  public var wanting: Int
  /// Further slots with which no wearable would wait for one.
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
