// Live values that a twin knows exactly. The checkers compare the store with them.

public import EventLoop
public import Health

/// Live values that a twin knows exactly, by series, in the order of delivery.
public struct LiveTruth: Sendable {
  /// Value that a twin sent.
  public struct Value: Sendable, Hashable {
    /// The hub's civil time at delivery.
    public var time: WallTime
    /// The same moment on the monotonic clock.
    public var at: Instant
    /// Value in the stored scale of its series.
    public var value: Int64
    /// Whether the hub may keep it but need not.
    public var isOptional: Bool
    /// The measurement time that the value itself reports, by the hub's clock; nil: it has no time.
    public var own: WallTime?

    /// A value that was delivered at `at`; `isOptional`: the store may lack it.
    public init(time: WallTime, at: Instant, value: Int64, isOptional: Bool = false, own: WallTime? = nil) {
      (self.time, self.at, self.value, self.isOptional, self.own) = (time, at, value, isOptional, own)
    }

    /// µs from the time that the store must give it to its delivery; 0 for the delay of a normal link. Only a value
    /// with its own time can be later: a disturbed link delivers until its supervision timeout.
    public var delay: Int64 {
      guard let own else { return 0 }
      let age = time.microseconds - own.microseconds
      return age > Self.instant ? age : 0
    }

    /// µs.
    private static let instant: Int64 = 3_000_000
  }
  /// The series known exactly.
  public private(set) var series: [(kind: Series, values: [Value])]

  /// Whether the store may contain only these series of this wearable, and no fetched data.
  public let isAll: Bool
  /// Time of the last delivery that counts as service.
  public var lastAt: Instant? { ownLastAt ?? (isAll ? nil : series.compactMap(\.values.last?.at).max()) }
  private var ownLastAt: Instant?

  /// Truth of these series, so far without values.
  public init(_ series: [Series]) {
    self.series = series.map { ($0, []) }
    isAll = false
  }

  /// Complete truth: all delivered values, and the time of the last delivery.
  public init(all series: [(kind: Series, values: [Value])], lastAt: Instant?) {
    self.series = series
    isAll = true
    ownLastAt = lastAt
  }

  /// - Parameter kind: one of the series that it was created with.
  @LoopActor
  public mutating func append(_ value: Int64, of kind: Series, _ loop: any Loop) {
    guard let index = series.firstIndex(where: { $0.kind == kind }) else {
      preconditionFailure("\(kind.name) is not among what is known")
    }
    series[index].values.append(Value(time: loop.wall, at: loop.now, value: value))
  }
}
