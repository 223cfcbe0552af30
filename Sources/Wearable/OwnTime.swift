// When a reading was measured by the clock of its wearable, as the reading itself says.

/// The time stamp of one reading.
public struct OwnTime: Sendable, Hashable {
  /// µs since 1970 as the clock shows it: local time, as if it were Greenwich's. nil: it says that it does not know.
  public let shown: Int64?
  /// It says that nobody has set the clock.
  public let isUnset: Bool

  public init(shown: Int64?, isUnset: Bool = false) {
    self.shown = shown
    self.isUnset = isUnset
  }
}
