// Adapter of a wearable's link among several, and the adapters that may link to it.

/// Adapters of one wearable. Adapters are numbered by their index in `RadioFacts.adapters`.
public struct AdapterPlace: Sendable, Equatable {
  /// Adapters that may link to the wearable.
  public enum Bond: Sendable, Equatable {
    /// Any adapter: the wearable has no key.
    case none
    /// Place on only the adapter that its key was made with.
    case at(Int)
    /// Place on no adapter: the one that its key was made with is down.
    case absent
  }

  /// Adapter of its link or its attempt; nil without either, or if none was chosen for the attempt so far.
  public var current: Int?
  /// Adapter of its last link; nil: unknown.
  public var last: Int?
  /// Adapters that may link to the wearable.
  public var bond: Bond

  /// Adapters by their index; nil: no link.
  public init(current: Int? = nil, last: Int? = nil, bond: Bond = .none) {
    self.current = current
    self.last = last
    self.bond = bond
  }

  /// Adapter that the wearable is bonded to, if that adapter is up.
  public var home: Int? {
    guard case .at(let place) = bond else { return nil }
    return place
  }
}
