// Time of a reading by the wearable's clock, as the reading reports it.

/// Time stamp of one reading.
public struct OwnTime: Sendable, Hashable {
  /// Time on the clock, µs since 1970, local time counted as if it were UTC. nil: the reading says that the time is
  /// unknown.
  public let shown: Int64?
  /// Whether the reading says that the clock was never set.
  public let isUnset: Bool

  /// Whether the time comes from the reading right before it. If the reading is repeated alone, it has no time.
  public let isBorrowed: Bool

  /// A time stamp; `shown` in microseconds since 1970, nil: none.
  public init(shown: Int64?, isUnset: Bool = false, isBorrowed: Bool = false) {
    self.shown = shown
    self.isUnset = isUnset
    self.isBorrowed = isBorrowed
  }
}
