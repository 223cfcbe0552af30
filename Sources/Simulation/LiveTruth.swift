// Live values that a twin knows exactly. The checkers hold the store against them.

public import EventLoop
public import Health

/// Live values that a twin knows exactly, series by series, in the order in which they were delivered.
public struct LiveTruth: Sendable {
  public struct Value: Sendable, Hashable {
    /// The hub's civil time at delivery.
    public var time: WallTime
    /// The same moment on a clock that nobody steps.
    public var at: Instant
    /// As the series stores it.
    public var value: Int64
    /// The hub may keep it and need not.
    public var isOptional: Bool
    /// The measurement time that the value itself reports, by the hub's clock; nil: it reports none.
    public var own: WallTime?

    public init(time: WallTime, at: Instant, value: Int64, isOptional: Bool = false, own: WallTime? = nil) {
      (self.time, self.at, self.value, self.isOptional, self.own) = (time, at, value, isOptional, own)
    }

    /// µs from the time that the store owes it to its delivery. A value that took longer than whole seconds and a link
    /// explain has its own time: a disturbed link delivers until its supervision timeout.
    public var delay: Int64 {
      guard let own else { return 0 }
      let age = time.microseconds - own.microseconds
      return age > Self.instant ? age : 0
    }

    /// µs.
    private static let instant: Int64 = 3_000_000
  }
  /// These and no others are known.
  public private(set) var series: [(kind: Series, values: [Value])]

  /// The store may hold nothing else of this wearable: no other series, and nothing that was fetched.
  public let isAll: Bool
  /// When the hub was last told anything that counts as being listened to.
  public var lastAt: Instant? { ownLastAt ?? (isAll ? nil : series.compactMap(\.values.last?.at).max()) }
  private var ownLastAt: Instant?

  public init(_ series: [Series]) {
    self.series = series.map { ($0, []) }
    isAll = false
  }

  /// Everything that was delivered, and when the last of it was.
  public init(all series: [(kind: Series, values: [Value])], lastAt: Instant?) {
    self.series = series
    isAll = true
    ownLastAt = lastAt
  }

  /// - Parameter kind: one of those it was made with.
  @LoopActor
  public mutating func append(_ value: Int64, of kind: Series, _ loop: any Loop) {
    guard let index = series.firstIndex(where: { $0.kind == kind }) else {
      preconditionFailure("\(kind.name) is not among what is known")
    }
    series[index].values.append(Value(time: loop.wall, at: loop.now, value: value))
  }
}
