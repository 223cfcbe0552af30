// What a ring may hold, as it is configured.

/// What to do with a ring that has reached its quota, or with a store that is full.
public enum WhenFull: String, Sendable, Hashable, CaseIterable {
  /// The oldest goes, what a reader has confirmed before what none has.
  case evict
  /// For fetched series: nothing more is fetched; it stays on the wearable. Live samples have nowhere to stay and are
  /// evicted all the same.
  case refuse
}

/// The bounds of each ring of a series.
public struct Retention: Sendable, Hashable {
  /// Of one ring, in bytes of its chunks' pages; nil for no bound but the store's size.
  public var quota: Int?
  /// Older samples go, by whole chunks; nil to keep them as long as there is room. Not applied while the hub's clock is
  /// not trusted.
  public var keep: Duration?
  public var whenFull: WhenFull

  public init(quota: Int? = nil, keep: Duration? = nil, whenFull: WhenFull = .evict) {
    self.quota = quota
    self.keep = keep
    self.whenFull = whenFull
  }
}
