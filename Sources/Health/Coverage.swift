// Coverage of a period by values, and its gaps.

extension Series {
  /// Whether a period without values means that data is missing.
  public enum Steadiness: Sendable, Hashable {
    /// Values follow each other in a rhythm. A period without values is a gap if it is longer than three usual
    /// distances, and longer than `least` microseconds.
    case steady(least: Int64)
    /// Values come on occasions: a night, a training, a change, a visit.
    case occasional
  }

  /// Half a minute is the silence after which the hub no longer counts a link as live. Shorter ones are normal: a
  /// repeated notification, a strap that slipped.
  private static let streamed: Int64 = 30_000_000
  /// A wearable stores a value every minute, or every five. A quarter of an hour without values counts as a gap.
  private static let remembered: Int64 = 900_000_000

  /// Whether a gap in this series means lost data.
  public var steadiness: Steadiness {
    switch self {
    case .battery, .energyExpended, .sleepStage, .location, .heartRateVariability, .ansStatus, .spo2, .calories,
      .distance, .trainingCalories, .basalCalories, .altitude, .exerciseDistance, .strideLength, .leftPower,
      .rightPower:
      return .occasional
    // Measured on occasion, or on a scale.
    case .bodyTemperature, .systolicPressure, .diastolicPressure, .meanPressure, .stress, .weight, .bodyMassIndex,
      .bodyFat, .musclePercentage, .muscleMass, .fatFreeMass, .softLeanMass, .bodyWaterMass, .basalMetabolism,
      .bodyImpedance:
      return .occasional
    // Only while walking or riding.
    case .totalDistance, .crankCadence, .wheelRate, .wheelRevolutions, .cadence, .pace, .speed, .groundTime,
      .gaitSymmetry, .footStrike, .pronation, .verticalRatio:
      return .occasional
    default: break
    }
    switch layout {
    case .record: return .occasional
    case .interval: return .steady(least: Self.remembered)
    case .scalar, .vector, .waveform: return daily == .event ? .occasional : .steady(least: Self.streamed)
    }
  }
}

/// Accumulates the covered parts of a period. Accepts pieces in any order; its memory is bounded.
public struct CoverageAccumulator: Sendable {
  /// The period, microseconds since 1970, not empty.
  public let window: Range<Int64>
  /// Distance below which values belong together whatever their rhythm, microseconds.
  public let least: Int64
  /// Usual distance of the values.
  public private(set) var rhythm = Rhythm()
  /// Values in the window, as far as they were counted.
  public private(set) var count = 0
  /// The earliest and the latest value in the window, microseconds.
  public private(set) var first: Int64?
  /// Latest value in the window, microseconds since 1970.
  public private(set) var last: Int64?
  private var pieces: [Range<Int64>] = []
  /// The preceding value of the present sequence.
  private var before: Int64?
  /// Values report their own length.
  private var haveLengths = false

  /// Maximum number of gaps of a window: longer windows are examined less finely.
  public static let gapLimit = 4096
  /// Distances above it are no rhythm.
  private static let longestPeriod: Int64 = 3_600_000_000

  /// An empty coverage of a window; `least` in microseconds.
  public init(_ window: Range<Int64>, least: Int64) {
    let from = Swift.max(window.lowerBound, -1 << 61)
    self.window = from..<Swift.max(Swift.min(window.upperBound, 1 << 61), from + 1)
    self.least = Swift.max(least, (self.window.upperBound - from) / Int64(Self.gapLimit), 1)
  }

  /// Begins a new sequence: the next value does not follow the one before.
  public mutating func breakSequence() { before = nil }

  /// Adds a value at a time, or one that is valid for `length` microseconds from there on.
  public mutating func add(_ time: Int64, length: Int64 = 0) {
    if let before { note(from: before, to: time) }
    before = time
    // Limited to the longest plausible length, and never negative.
    let length = Swift.min(Swift.max(length, 0), DayAccumulator.longestInterval)
    guard time < window.upperBound, time >= window.lowerBound - length else { return }
    if count < .max { count += 1 }
    if length > 0 {
      haveLengths = true
      note(length, 1)
    }
    take(time..<(time + length))
  }

  /// Adds `count` values from `first` to `last`, both measured, with distances of at most `least`.
  public mutating func add(from first: Int64, to last: Int64, count: Int) {
    guard count > 0, last >= first else { return }
    if let before { note(from: before, to: first) }
    before = last
    let (length, overflow) = last.subtractingReportingOverflow(first)
    guard last >= window.lowerBound, first < window.upperBound, !overflow,
      length <= 2 * DayAccumulator.longestInterval
    else { return }
    if count > 1 { note(length / Int64(count - 1), count - 1) }
    let (sum, isTooMany) = self.count.addingReportingOverflow(count)
    self.count = isTooMany ? .max : sum
    take(first..<last)
  }

  private mutating func note(from before: Int64, to time: Int64) {
    let (distance, overflow) = time.subtractingReportingOverflow(before)
    if !overflow { note(distance, 1) }
  }

  private mutating func note(_ distance: Int64, _ times: Int) {
    if distance <= Self.longestPeriod { rhythm.add(distance, count: times) }
  }

  private mutating func take(_ piece: Range<Int64>) {
    let from = Swift.max(piece.lowerBound, window.lowerBound)
    let to = Swift.max(from, Swift.min(piece.upperBound, window.upperBound))
    first = Swift.min(first ?? from, from)
    last = Swift.max(last ?? to, to)
    if let current = pieces.last, from <= current.upperBound + least, to >= current.lowerBound - least {
      pieces[pieces.count - 1] = Swift.min(current.lowerBound, from)..<Swift.max(current.upperBound, to)
      return
    }
    pieces.append(from..<to)
    // Merged pieces are more than `least` apart, so the window holds at most `gapLimit` of them.
    if pieces.count >= 4 * Self.gapLimit { pieces = pieces.joined(within: least) }
  }

  /// Longest period without values that is no gap, microseconds.
  public var tolerance: Int64 { Swift.max(least, (rhythm.period ?? 0) * 3) }

  /// Covered parts, ascending. A value covers one usual distance from its time on, within the window. A distance that
  /// is no gap between two values is also no gap at the ends of the window.
  public var covered: [Range<Int64>] {
    let period = haveLengths ? 0 : rhythm.period ?? 0
    let tolerance = tolerance
    return pieces.joined(within: tolerance).map { piece in
      let from = piece.lowerBound - window.lowerBound <= tolerance ? window.lowerBound : piece.lowerBound
      let to = window.upperBound - piece.upperBound <= tolerance ? window.upperBound : piece.upperBound
      return from..<Swift.min(window.upperBound, Swift.max(to, piece.upperBound + period))
    }.joined(within: 0)
  }
}

extension [Range<Int64>] {
  /// The ranges in ascending order. Those that overlap or are at most `distance` apart are merged.
  public func joined(within distance: Int64) -> [Range<Int64>] {
    var joined: [Range<Int64>] = []
    for piece in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let current = joined.last, piece.lowerBound - current.upperBound <= distance {
        joined[joined.count - 1] = current.lowerBound..<Swift.max(current.upperBound, piece.upperBound)
      } else {
        joined.append(piece)
      }
    }
    return joined
  }

  /// Parts of `window` outside these ranges, which must be ascending and disjoint.
  public func gaps(in window: Range<Int64>) -> [Range<Int64>] {
    var gaps: [Range<Int64>] = []
    var end = window.lowerBound
    for piece in self {
      if piece.lowerBound > end { gaps.append(end..<Swift.min(piece.lowerBound, window.upperBound)) }
      end = Swift.max(end, piece.upperBound)
      if end >= window.upperBound { return gaps }
    }
    if end < window.upperBound { gaps.append(end..<window.upperBound) }
    return gaps
  }

  /// Total length, microseconds.
  public var length: Int64 { reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }
}
