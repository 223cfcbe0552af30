// The settings of the store: its folder, size and durability, and how much of each series it keeps.

public import Health

extension Configuration {
  /// Section `store`.
  public struct Store: Sendable, Equatable {
    /// The folder of the store.
    public var path = "/var/lib/hearth"
    /// The file of the key that encrypts bond keys and secrets; nil: `secrets.key` in the store's folder.
    public var secretsKey: String?
    /// Upper bound of the store in bytes.
    public var size = 1_500_000_000
    /// Longest time until a sample is durable, and the bytes that trigger a commit earlier.
    public var commitEvery = Duration.seconds(15)
    /// Bytes of samples at which a commit is made before its time.
    public var commitBytes = 4000
    /// Bytes written to the card in a day above which the hub warns; nil: never.
    public var budgetPerDay: Int? = 150_000_000
    /// Time that samples may wait for a reader before the hub warns; nil: no limit.
    public var exportWithin: Duration?
    /// Export cursors that must all have confirmed a sample before it counts as exported; empty: any one is enough.
    public var waitFor: [String] = []
    /// Percent of `size` that one wearable may bring in a day, and keeps in a full store; nil: no limit.
    public var share: Int? = 10
    /// Bytes that one wearable may bring in a day; nil: no limit.
    public var shareOfDay: Int? { share.map { size / 100 * $0 } }
    /// Default bounds of a ring.
    public var ring = Ring()
    /// Settings for single series; the rest is as in `ring`.
    var rings: [Series: RingRule] = [:]
    /// The bounds of a wearable's ring of `series`.
    public func ring(of series: Series) -> Ring {
      let rule = rings[series] ?? RingRule()
      return Ring(
        quota: rule.quota ?? ring.quota, keep: rule.keep ?? ring.keep, whenFull: rule.whenFull ?? ring.whenFull)
    }
    /// The series with own settings, in the order of their numbers.
    public var seriesWithRings: [Series] { rings.keys.sorted { $0.id < $1.id } }
  }
  /// The policy for a ring at its quota, and for a full store.
  public enum WhenFull: String, Sendable, CaseIterable {
    /// Evict the oldest samples.
    case oldest
    /// Leave data on the wearable. Live samples cannot stay there, so the oldest of them are evicted.
    case refuse
  }
  /// The bounds of one wearable's ring of one series.
  public struct Ring: Sendable, Equatable {
    /// Bytes; nil: only the store's size limits the ring.
    public var quota: Int?
    /// Greatest age of samples; nil: they stay as long as there is room.
    public var keep: Duration?
    /// Behaviour of a full ring.
    public var whenFull = WhenFull.oldest
    /// Bounds of a ring: `quota` in bytes, `keep`: greatest age; nil: no bound of its own.
    public init(quota: Int? = nil, keep: Duration? = nil, whenFull: WhenFull = .oldest) {
      self.quota = quota
      self.keep = keep
      self.whenFull = whenFull
    }
  }
  /// The bounds of a ring that a file sets.
  struct RingRule: Sendable, Equatable {
    var quota: Int??
    var keep: Duration??
    var whenFull: WhenFull?
  }
}
