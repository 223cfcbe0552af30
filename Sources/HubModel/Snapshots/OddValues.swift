// Values of a wearable that the hub did not take as they came, as a value for people.

public import EventLoop

/// Values of one reason, since the hub started.
public struct OddValues: Sendable, Hashable {
  /// `scale: a weight that had not settled, left out`
  public let what: String
  /// Number of values since the hub started.
  public let count: UInt64
  /// Time of the last value.
  public let last: WallTime

  /// Values of one reason.
  public init(what: String, count: UInt64, last: WallTime) {
    self.what = what
    self.count = count
    self.last = last
  }
}
