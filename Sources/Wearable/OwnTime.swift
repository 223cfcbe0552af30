// When a reading was measured by the clock of its wearable, as the reading itself says.

/// The time stamp of one reading.
public struct OwnTime: Sendable, Hashable {
  /// µs since 1970 as the clock shows it: local time, as if it were Greenwich's. nil: it says that it does not know.
  public let shown: Int64?
  /// It says that nobody has set the clock.
  public let isUnset: Bool

  /// The time is that of a reading that was told just before: one that comes again alone comes without it.
  public let isBorrowed: Bool

  public init(shown: Int64?, isUnset: Bool = false, isBorrowed: Bool = false) {
    self.shown = shown
    self.isUnset = isUnset
    self.isBorrowed = isBorrowed
  }
}
