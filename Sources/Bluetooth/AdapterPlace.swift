// Where a wearable's link is among several adapters, and where it may be made.

/// One wearable and the adapters of a radio. Adapters are numbered by their places in `RadioFacts.adapters`.
public struct AdapterPlace: Sendable, Equatable {
  /// Which adapter may link to a wearable.
  public enum Bond: Sendable, Equatable {
    /// Any: it has no key.
    case none
    /// Only the adapter that its key was made with.
    case at(Int)
    /// None: the adapter that its key was made with does not serve.
    case absent
  }

  /// The adapter of its link or its attempt; without either, of its last link. nil: none so far.
  public var current: Int?
  public var bond: Bond

  public init(current: Int? = nil, bond: Bond = .none) {
    self.current = current
    self.bond = bond
  }
}
