// What really happened: every notification that a strap sent and its link delivered. The checkers hold the store against it.

public import EventLoop
public import Health

/// Delivered measurements of one strap, in order. Kept flat: a simulated day of ten straps is half a million of them.
public struct GroundTruth: Sendable {
  public struct Entry: Sendable, Hashable {
    /// The hub's civil time at delivery.
    public var time: WallTime
    /// The same moment on a clock that nobody steps.
    public var at: Instant
    public var rate: UInt16
    /// False: contact is supported and lost.
    public var hasContact: Bool
    public var hasEnergy: Bool
    public var intervalCount: UInt8
    /// kJ, meaningful with `hasEnergy`.
    public var energy: UInt16
    /// Where its intervals begin in `intervals`.
    public var firstInterval: UInt32
  }
  /// A battery level that the hub was told.
  public struct BatteryEntry: Sendable, Hashable {
    public var time: WallTime
    public var at: Instant
    public var percent: UInt8
    /// It was read again on a link: mostly the hub's proof that this still lives, and need not be kept.
    public var isProof: Bool
  }
  public private(set) var entries: [Entry] = []
  public private(set) var intervals: [UInt16] = []
  public private(set) var batteries: [BatteryEntry] = []
  /// Malformed values that were delivered: the hub must count and drop them.
  public internal(set) var malformed = 0

  @LoopActor
  mutating func append(_ value: HeartRateValue, _ loop: any Loop) {
    let entry = Entry(
      time: loop.wall, at: loop.now, rate: value.rate, hasContact: value.hasContact ?? true, hasEnergy: value.energy != nil, intervalCount: UInt8(value.intervals.count),
      energy: value.energy ?? 0, firstInterval: UInt32(intervals.count))
    entries.append(entry)
    intervals.append(contentsOf: value.intervals)
  }

  @LoopActor
  mutating func append(battery percent: UInt8, isProof: Bool, _ loop: any Loop) {
    batteries.append(BatteryEntry(time: loop.wall, at: loop.now, percent: percent, isProof: isProof))
  }

  public func intervals(of entry: Entry) -> ArraySlice<UInt16> {
    intervals[Int(entry.firstInterval)..<Int(entry.firstInterval) + Int(entry.intervalCount)]
  }
}

/// Live values that a twin knows exactly, series by series, in the order in which they were delivered.
public struct LiveTruth: Sendable {
  public struct Value: Sendable, Hashable {
    /// The hub's civil time at delivery.
    public var time: WallTime
    /// The same moment on a clock that nobody steps.
    public var at: Instant
    /// As the series stores it.
    public var value: Int64
  }
  /// These and no others are known.
  public private(set) var series: [(kind: Series, values: [Value])]

  public init(_ series: [Series]) { self.series = series.map { ($0, []) } }

  /// - Parameter kind: one of those it was made with.
  @LoopActor
  public mutating func append(_ value: Int64, of kind: Series, _ loop: any Loop) {
    guard let index = series.firstIndex(where: { $0.kind == kind }) else { preconditionFailure("\(kind.name) is not among what is known") }
    series[index].values.append(Value(time: loop.wall, at: loop.now, value: value))
  }
}
