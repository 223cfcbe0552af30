// The sessions of an activity, and the seconds of each.

internal import CivilTime
internal import Health

/// Session of one training, or all values of a selection without one.
struct FITSession: Sendable {
  /// Seconds since 1970, the last one included.
  let begin: Int64
  let end: Int64
  /// nil: a recording.
  let training: FITActivity.Training?
  /// Exercises of the training, ascending.
  let parts: [FITActivity.Training]
  /// Places of its values.
  let values: Range<Int>
}

/// Values of one second.
struct FITSecond: Sendable {
  /// Time since 1970.
  let time: Int64
  var measures: [FITMeasure: Int64] = [:]
  /// Milliseconds.
  var intervals: [Int64] = []
}

struct FITSessions: Sendable {
  /// Ascending by time.
  let values: [FITActivity.Value]
  let all: [FITSession]
  /// Trainings at the same time as a longer one.
  let overlapping: Int

  init(_ activity: FITActivity) {
    // Of values of one moment the later one arrived later.
    let order = activity.values.indices.sorted { (activity.values[$0].time, $0) < (activity.values[$1].time, $1) }
    let values = order.map { activity.values[$0] }
    var kept: [FITActivity.Training] = []
    let whole = activity.trainings.filter { $0.part == 0 }
    for training in whole.sorted(by: { ($0.length, $1.time) > ($1.length, $0.time) })
    where !kept.contains(where: { $0.overlaps(training) }) { kept.append(training) }
    overlapping = whole.count - kept.count
    var sessions: [FITSession] = []
    /// Index of the first value at that second or later.
    func place(_ second: Int64) -> Int {
      var (low, high) = (0, values.count)
      while low < high {
        let middle = low + (high - low) / 2
        if floorDivide(values[middle].time, 1_000_000) < second { low = middle + 1 } else { high = middle }
      }
      return low
    }
    var next = 0
    for training in kept.sorted(by: { $0.time < $1.time }) {
      let range = max(next, place(training.begin))..<max(next, place(training.begin), place(training.end + 1))
      next = range.upperBound
      let parts = activity.trainings.filter {
        $0.part > 0 && $0.device == training.device && $0.origin == training.origin && $0.begin >= training.begin
          && $0.end <= training.end
      }.sorted { ($0.time, $0.part) < ($1.time, $1.part) }
      sessions.append(
        FITSession(begin: training.begin, end: training.end, training: training, parts: parts, values: range))
    }
    if sessions.isEmpty, let first = values.first, let last = values.last {
      sessions.append(
        FITSession(
          begin: floorDivide(first.time, 1_000_000), end: floorDivide(last.time, 1_000_000), training: nil, parts: [],
          values: 0..<values.count))
    }
    (self.values, all) = (values, sessions)
  }

  /// The seconds of a session that have a value, ascending, and the number of values that they have no room for.
  func seconds(of session: FITSession) -> (seconds: [FITSecond], shadowed: Int) {
    let values = values[session.values]
    let ranks = Self.ranks(values)
    let pedals = Set(values.lazy.map(\.quantity).filter { $0 == .leftPower || $0 == .rightPower })
    var origins: [UInt16: Int64] = [:]
    var (seconds, shadowed): ([FITSecond], Int) = ([], 0)
    var start = values.startIndex
    while start < values.endIndex {
      let time = floorDivide(values[start].time, 1_000_000)
      var end = start
      var best: [FITQuantity: FITActivity.Value] = [:]
      var second = FITSecond(time: time)
      while end < values.endIndex, floorDivide(values[end].time, 1_000_000) == time {
        let value = values[end]
        end += 1
        let rank = ranks[Rank(value)] ?? .max
        if value.quantity == .interval {
          if rank == 0 { second.intervals.append(value.number) } else { shadowed += 1 }
          continue
        }
        guard let known = best[value.quantity] else {
          best[value.quantity] = value
          continue
        }
        shadowed += 1
        if rank <= ranks[Rank(known)] ?? .max { best[value.quantity] = value }
      }
      start = end
      second.measures = Self.measures(best, pedals: pedals, &origins)
      if !second.measures.isEmpty || !second.intervals.isEmpty { seconds.append(second) }
    }
    return (seconds, shadowed)
  }

  private struct Rank: Hashable {
    let quantity: FITQuantity
    let source: UInt16

    init(_ value: FITActivity.Value) { (quantity, source) = (value.quantity, value.source) }
  }

  /// 0 for the source of a quantity that has most values.
  private static func ranks(_ values: ArraySlice<FITActivity.Value>) -> [Rank: Int] {
    var counts: [Rank: Int] = [:]
    for value in values { counts[Rank(value), default: 0] += 1 }
    var ranks: [Rank: Int] = [:]
    for quantity in FITQuantity.allCases {
      let sources = counts.filter { $0.key.quantity == quantity }
        .sorted { ($0.value, $1.key.source) > ($1.value, $0.key.source) }
      for (rank, source) in sources.enumerated() { ranks[source.key] = rank }
    }
    return ranks
  }

  /// - Parameters:
  ///   - pedals: those that the session has.
  ///   - origins: the first total distance of each source in the session.
  private static func measures(
    _ best: [FITQuantity: FITActivity.Value], pedals: Set<FITQuantity>, _ origins: inout [UInt16: Int64]
  ) -> [FITMeasure: Int64] {
    var measures: [FITMeasure: Int64] = [:]
    for (quantity, value) in best {
      switch quantity {
      case .leftPower, .rightPower, .totalDistance, .interval: continue
      default: if let measure = quantity.measure { measures[measure] = value.number }
      }
    }
    if let total = best[.totalDistance] {
      let origin = origins[total.source] ?? total.number
      origins[total.source] = origin
      let (passed, overflow) = total.number.subtractingReportingOverflow(origin)
      // Below 0 the sensor began again.
      if measures[.distance] == nil, !overflow, FITMeasure.distance.range.contains(passed) {
        measures[.distance] = passed
      }
    }
    let watts = pedals.compactMap { best[$0]?.number }
    if !watts.isEmpty, watts.count == pedals.count {
      let sum = watts.reduce(0, +)
      if FITMeasure.power.range.contains(sum) { measures[.power] = sum }
    }
    return measures
  }
}
