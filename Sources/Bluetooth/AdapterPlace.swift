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

  /// The adapter of its link or its attempt; nil: it has neither, or none was chosen for the attempt so far.
  public var current: Int?
  /// The adapter of its last link; nil: not known.
  public var last: Int?
  public var bond: Bond

  public init(current: Int? = nil, last: Int? = nil, bond: Bond = .none) {
    self.current = current
    self.last = last
    self.bond = bond
  }

  /// The adapter that it is bonded to, if that serves.
  public var home: Int? {
    guard case .at(let place) = bond else { return nil }
    return place
  }
}
