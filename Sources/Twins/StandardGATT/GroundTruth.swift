// Ground truth: every notification that a strap sent and its link delivered. Checkers compare the store with it.

public import EventLoop
import Health
import Simulation

/// Delivered measurements of one strap, in order. Stored flat: a simulated day of ten straps has half a million of
/// them.
public struct GroundTruth: Sendable {
  /// Notification that arrived.
  public struct Entry: Sendable, Hashable {
    /// The hub's civil time at delivery.
    public var time: WallTime
    /// The same moment on a clock that is never set.
    public var at: Instant
    /// Heart rate in bpm.
    public var rate: UInt16
    /// False: contact is supported and lost.
    public var hasContact: Bool
    /// True with a value of energy.
    public var hasEnergy: Bool
    /// Number of its intervals.
    public var intervalCount: UInt8
    /// kJ, valid with `hasEnergy`.
    public var energy: UInt16
    /// Index of its first interval in `intervals`.
    public var firstInterval: UInt32
  }
  /// Battery level that the hub received.
  public struct BatteryEntry: Sendable, Hashable {
    /// Time by the wall clock.
    public var time: WallTime
    /// Monotonic time.
    public var at: Instant
    /// Level in percent.
    public var percent: UInt8
    /// Whether it was a repeated read on a link. That mostly serves as the hub's proof that the link lives, and need
    /// not be stored.
    public var isProof: Bool
  }
  /// Notifications in the order of arrival.
  public private(set) var entries: [Entry] = []
  /// RR intervals of all notifications, in 1/1024 s.
  public private(set) var intervals: [UInt16] = []
  /// Battery levels in the order of arrival.
  public private(set) var batteries: [BatteryEntry] = []
  /// Malformed values that were delivered: the hub must count and drop them.
  public internal(set) var malformed = 0

  @LoopActor
  mutating func append(_ value: HeartRateValue, _ loop: any Loop) {
    let entry = Entry(
      time: loop.wall, at: loop.now, rate: value.rate, hasContact: value.hasContact ?? true,
      hasEnergy: value.energy != nil, intervalCount: UInt8(value.intervals.count),
      energy: value.energy ?? 0, firstInterval: UInt32(intervals.count))
    entries.append(entry)
    intervals.append(contentsOf: value.intervals)
  }

  @LoopActor
  mutating func append(battery percent: UInt8, isProof: Bool, _ loop: any Loop) {
    batteries.append(BatteryEntry(time: loop.wall, at: loop.now, percent: percent, isProof: isProof))
  }

  /// RR intervals of one notification, in 1/1024 s.
  public func intervals(of entry: Entry) -> ArraySlice<UInt16> {
    intervals[Int(entry.firstInterval)..<Int(entry.firstInterval) + Int(entry.intervalCount)]
  }

  /// Values that the store must contain, by the rules of the Heart Rate Service and not by the driver's code. Rate and
  /// intervals without contact, or at 0 bpm, are no measurement. An energy counter at its maximum has no meaning.
  var expectation: LiveTruth {
    var rates: [LiveTruth.Value] = []
    var beats: [LiveTruth.Value] = []
    var energies: [LiveTruth.Value] = []
    for entry in entries {
      func value(_ number: some BinaryInteger) -> LiveTruth.Value {
        LiveTruth.Value(time: entry.time, at: entry.at, value: Int64(number))
      }
      if entry.hasEnergy, entry.energy != 65_535 { energies.append(value(entry.energy)) }
      guard entry.hasContact, entry.rate > 0 else { continue }
      rates.append(value(entry.rate))
      for interval in intervals(of: entry) { beats.append(value(interval)) }
    }
    let levels = batteries.map {
      LiveTruth.Value(time: $0.time, at: $0.at, value: Int64($0.percent), isOptional: $0.isProof)
    }
    let series: [(kind: Series, values: [LiveTruth.Value])] = [
      (.heartRate, rates), (.rrInterval, beats), (.energyExpended, energies), (.battery, levels),
    ]
    return LiveTruth(all: series, lastAt: entries.last?.at)
  }
}
