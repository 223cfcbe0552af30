// Summary of an effort: start and end, heart rate and energy.

/// Origin of an effort.
public enum TrainingOrigin: UInt8, Sendable, Hashable, CaseIterable {
  /// Inferred from the heart rate.
  case found = 1
  case ordered = 2

  /// Name in documents: `found` or `ordered`.
  public var name: String { self == .found ? "found" : "ordered" }
}

/// Microseconds in zones 1 to 5.
public struct TrainingZones: Sendable, Hashable {
  private var times = SIMD8<Int64>()

  /// Creates zones, all without time.
  public init() {}

  /// - Parameter zone: 1 to 5; 0 for any other.
  public subscript(zone: Int) -> Int64 {
    get { (1...5).contains(zone) ? times[zone - 1] : 0 }
    set { if (1...5).contains(zone) { times[zone - 1] = newValue } }
  }

  /// Microseconds of zones 1 to 5.
  public var all: [Int64] { (1...5).map { self[$0] } }
  /// Whole seconds of zones 1 to 5.
  public var seconds: [Int] { all.map { Int($0 / 1_000_000) } }
}

/// An effort from its start to its end, or to now while it is in progress.
public struct TrainingResult: Sendable, Hashable {
  /// Origin of the effort.
  public var origin: TrainingOrigin
  /// Microseconds of the monotonic clock; `begin` ≤ `end`.
  public var begin: Int64
  /// End in microseconds of the monotonic clock.
  public var end: Int64
  /// Microseconds without its pauses.
  public var active: Int64
  /// Microseconds for which there was a rate.
  public var known: Int64
  /// Zones with the sum `known`; nil if the maximum rate is unknown.
  public var zones: TrainingZones?
  /// Mean heart rate, beats a minute; nil without a value. Each value counts for the time that it held.
  public var meanRate: Double?
  /// Highest rate in 1/min, if any.
  public var highestRate: Int?
  /// kcal (KE-1), only of the time that has a value; nil without any.
  public var kilocalories: Double?
  /// Microseconds of that time.
  public var energyKnown: Int64
  /// Whether some of it is outside the data that the regression was fitted to.
  public var isExtrapolated: Bool

  /// Microseconds from begin to end.
  public var length: Int64 { SessionMoment.distance(begin, end) }
}

/// Running totals of an effort in progress. No allocation.
struct TrainingTally: Sendable, Hashable {
  private(set) var known: Int64 = 0
  /// Beats a minute times microseconds: 250 for twelve hours are 1e13.
  private var sum: Int64 = 0
  private(set) var highest = 0
  private(set) var zones = TrainingZones()
  private var meter = EnergyMeter()

  /// Adds a rate that held for a time.
  mutating func add(_ rate: Int, for time: Int64, of person: VitalPerson, maximum: Double?) {
    known += time
    sum += Int64(rate) * time
    highest = max(highest, rate)
    let bpm = Double(rate)
    if let zone = HeartRateZone.zone(rate: bpm, maximumRate: maximum) { zones[zone] += time }
    guard person.isWithinLimits else { return }
    let energy = Energy(
      rate: bpm, sex: person.sex, age: person.age, weight: person.weight, maximumRate: maximum)
    meter.add(energy, for: Double(time) / 1_000_000)
  }

  func summary(
    _ origin: TrainingOrigin, from begin: Int64, to end: Int64, pauses: Int64, maximum: Double?
  ) -> TrainingResult {
    let length = SessionMoment.distance(begin, end)
    let hasEnergy = meter.validSeconds > 0
    return TrainingResult(
      origin: origin, begin: begin, end: max(begin, end), active: max(0, length - pauses), known: known,
      zones: maximum == nil ? nil : zones,
      meanRate: known > 0 ? Double(sum) / Double(known) : nil, highestRate: known > 0 ? highest : nil,
      kilocalories: hasEnergy ? meter.kilojoules / Energy.kilojoulesPerKilocalorie : nil,
      energyKnown: Int64((meter.validSeconds * 1_000_000).rounded()), isExtrapolated: meter.isExtrapolated)
  }
}
