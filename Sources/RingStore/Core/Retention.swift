// The configured limits of a ring.

/// Treatment of a ring that has reached its quota, or of a store that is full.
public enum WhenFull: String, Sendable, Hashable, CaseIterable {
  /// The oldest samples are deleted, those that a reader has confirmed before the others.
  case evict
  /// Refusal, for fetched series: the hub stops fetching, and data stays on the wearable. Live samples have no other
  /// copy and are evicted all the same.
  case refuse
}

/// The bounds of each ring of a series.
public struct Retention: Sendable, Hashable {
  /// Limit of one ring, in bytes of its chunks' pages; nil if only the store's size limits it.
  public var quota: Int?
  /// Older samples are deleted, by whole chunks; nil to keep them while there is room. Not applied while the hub's
  /// clock is not trusted.
  public var keep: Duration?
  /// Treatment of the ring when it is full.
  public var whenFull: WhenFull

  /// Bounds of a ring: `quota` in bytes, `keep`: greatest age; nil: no bound of its own.
  public init(quota: Int? = nil, keep: Duration? = nil, whenFull: WhenFull = .evict) {
    self.quota = quota
    self.keep = keep
    self.whenFull = whenFull
  }
}
