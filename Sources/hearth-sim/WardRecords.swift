// Compares fetched records of a sensor with the records that it delivered: each once, at its time.

import EventLoop
import Health
import RingStore
import StrapTwin

/// The records of one sensor that were delivered at least once.
struct WardRecords {
  private struct Record {
    let takenAt: Instant
    /// Time that its clock showed, µs.
    let shown: Int64?
    let values: [(series: Series, value: Int64)]
    /// Need not be stored: the sensor doubts it, or it was sent live too.
    var isOptional: Bool
    /// True if it is of low quality when it is stored.
    let isDoubted: Bool
    /// Whether the sensor ever reported that its time is unknown.
    var isTimeDoubted: Bool
    var lastAt: Instant
    /// µs from it to the earlier moment at which its sensor's clock, before it was set back, had shown the same. The
    /// two cannot be distinguished.
    let twice: Int64?
  }

  private var records: [Record] = []
  private var places: [UInt64: Int] = [:]

  /// Whole seconds of the record's clock and of the one that was read: RecordHouseTests. µs.
  private static let bound: Int64 = 2_000_000
  /// Distance of readings between which a time may lie.
  private static let reach: Duration = .seconds(2 * 86_400)

  var count: Int { records.count { !$0.isOptional } }

  /// - Parameter settings: of the sensor's clock: time, and amount in µs.
  mutating func add(
    _ delivery: Delivery, _ values: [(Series, Int64)], _ at: Instant, _ settings: [(at: Instant, by: Int64)]
  ) {
    put(delivery, values, at, settings, isOptional: delivery.worth == .doubtful)
  }

  /// Notes a value that was sent live, by the characteristic of records.
  mutating func note(
    _ delivery: Delivery, _ values: [(Series, Int64)], _ at: Instant, _ settings: [(at: Instant, by: Int64)]
  ) {
    put(delivery, values, at, settings, isOptional: true)
  }

  /// A measurement so soon after the setting of the clock may have been fetched in the same visit.
  private static let visit: Duration = .seconds(60)

  private static func twice(_ moment: Instant, _ settings: [(at: Instant, by: Int64)]) -> Int64? {
    guard let last = settings.last(where: { $0.at <= moment }), last.by < 0, moment - last.at < visit,
      moment - last.at < .nanoseconds(-last.by * 1000)
    else { return nil }
    return last.by
  }

  private mutating func put(
    _ delivery: Delivery, _ values: [(Series, Int64)], _ at: Instant, _ settings: [(at: Instant, by: Int64)],
    isOptional: Bool
  ) {
    if let place = places[delivery.reading] {
      records[place].lastAt = max(records[place].lastAt, at)
      if delivery.isTimeDoubted { records[place].isTimeDoubted = true }
      return
    }
    places[delivery.reading] = records.count
    records.append(
      Record(
        takenAt: delivery.takenAt, shown: delivery.shown, values: values.map { (series: $0.0, value: $0.1) },
        isOptional: isOptional, isDoubted: delivery.worth == .doubtful, isTimeDoubted: delivery.isTimeDoubted,
        lastAt: at, twice: Self.twice(delivery.takenAt, settings)))
  }

  /// A value that was sent live and is not among the live ones: it must be among the fetched ones.
  mutating func mayHold(_ reading: UInt64) -> Bool {
    guard let place = places[reading] else { return false }
    records[place].isOptional = false
    return true
  }

  /// Notes a record that was taken for a live value: it need not be among the fetched ones.
  mutating func wasLive(_ reading: UInt64) {
    if let place = places[reading] { records[place].isOptional = true }
  }

  struct Verdict {
    var objections: [String] = []
    var matched = 0
    /// Values that are marked as having an unsure time.
    var unsure = 0
    /// Largest error of times that are marked as sure and agree with the hub's clock at that time, µs.
    var worstError: Int64 = 0
  }

  private struct Kept {
    let time: Int64
    let value: Int64
    let isSure: Bool
    let isLow: Bool
  }

  // MARK: Judging

  /// - Parameters:
  ///   - fetched: all that the store has of it.
  ///   - wallSteps: µs by which the hub's clock was ahead of the monotonic one, with start.
  func judge(_ fetched: [StoredSample], _ wallSteps: [(at: Instant, total: Int64)]) -> Verdict {
    var verdict = Verdict()
    let series = Set(fetched.map(\.series.id)).union(records.flatMap { $0.values.map(\.series.id) }).sorted()
    for id in series {
      var kept = fetched.filter { $0.series.id == id }.map {
        Kept(time: $0.time.microseconds, value: $0.value, isSure: $0.clockTrusted, isLow: $0.flags.isLowQuality)
      }
      kept.sort { ($0.time, $0.value) < ($1.time, $1.value) }
      let name = fetched.first { $0.series.id == id }?.series.name ?? "series \(id)"
      judge(id, name, kept, wallSteps, &verdict)
    }
    return verdict
  }

  private func judge(
    _ id: UInt16, _ name: String, _ kept: [Kept], _ wallSteps: [(at: Instant, total: Int64)],
    _ verdict: inout Verdict
  ) {
    let told = records.sorted { $0.takenAt < $1.takenAt }.compactMap { record in
      record.values.first { $0.series.id == id }.map { (record: record, value: $0.value) }
    }
    // A few dozen values distinguish thousands of records, and with a stepped clock each of them has a range of places.
    // A record with another place gives its own to one without.
    var pairs = RecordPairs(
      told.map { Self.places(of: $0.record, $0.value, kept, wallSteps) }, places: kept.count)
    for owed in [true, false] {
      for number in told.indices where told[number].record.isOptional != owed { pairs.place(number) }
    }
    for (number, (record, value)) in told.enumerated() {
      if let place = pairs.place(of: number) {
        verdict.matched += 1
        if !kept[place].isSure { verdict.unsure += 1 }
        let error = Self.moments(record, wallSteps).map { abs($0 - kept[place].time) }.min() ?? 0
        if kept[place].isSure, error <= Self.bound { verdict.worstError = max(verdict.worstError, error) }
      } else if !record.isOptional {
        let wanted = record.takenAt.nanoseconds / 1000 + Self.total(at: record.takenAt, wallSteps)
        let same = kept.filter { $0.value == value }.map { $0.time - wanted }
        let nearest = same.min { abs($0) < abs($1) }.map { "the same value is \($0) us off" } ?? "it has no such value"
        verdict.objections.append(
          "\(name): a record of \(value), measured at \(wanted), has no place with its quality; \(nearest)")
      }
    }
    let strange = kept.indices.filter { pairs.isFree($0) }.map { kept[$0] }
    guard let first = strange.first else { return }
    verdict.objections.append(
      """
      \(name): \(strange.count) of \(kept.count) fetched values were in no record, or are there twice; the first is \
      \(first.value) at \(first.time), \(first.isLow ? "of low quality" : "good"), \
      its time \(first.isSure ? "sure" : "unsure")
      """)
  }

  /// Expected times by the hub's clock at that time, µs.
  private static func moments(_ record: Record, _ wallSteps: [(at: Instant, total: Int64)]) -> [Int64] {
    [total(at: record.takenAt, wallSteps), total(at: record.lastAt, wallSteps)].map {
      record.takenAt.nanoseconds / 1000 + $0
    }
  }

  /// Possible places of a record by its values: first those at the expected time by the hub's clock, so that few have
  /// to move.
  private static func places(
    of record: Record, _ value: Int64, _ kept: [Kept], _ wallSteps: [(at: Instant, total: Int64)]
  ) -> [Int] {
    var spans = moments(record, wallSteps).map { $0...$0 }
    spans.append(span(record, wallSteps))
    if record.isTimeDoubted, let shown = record.shown { spans.append(shown...shown) }
    if let twice = record.twice { spans += moments(record, wallSteps).map { $0 + twice...$0 + twice } }
    var found: [Int] = []
    for span in spans {
      for place in find(value, between: span, kept) where !found.contains(place) {
        let isAsTold = kept[place].isLow == record.isDoubted && (kept[place].isSure || record.isTimeDoubted)
        if isAsTold { found.append(place) }
      }
    }
    return found
  }

  private static func total(at moment: Instant, _ wallSteps: [(at: Instant, total: Int64)]) -> Int64 {
    wallSteps.last { $0.at <= moment }?.total ?? wallSteps[0].total
  }

  /// Range of what the hub's clock can have shown, by readings around a record, µs.
  private static func span(_ record: Record, _ wallSteps: [(at: Instant, total: Int64)]) -> ClosedRange<Int64> {
    let early = total(at: record.takenAt - reach, wallSteps)
    let around = wallSteps.filter { $0.at > record.takenAt - reach && $0.at <= record.lastAt + reach }.map(\.total)
    let totals = [early] + around
    let moment = record.takenAt.nanoseconds / 1000
    return moment + (totals.min() ?? early)...moment + (totals.max() ?? early)
  }

  private static func find(_ value: Int64, between span: ClosedRange<Int64>, _ kept: [Kept]) -> [Int] {
    var (low, high) = (0, kept.count)
    while low < high {
      let middle = (low + high) / 2
      if kept[middle].time < span.lowerBound - bound { low = middle + 1 } else { high = middle }
    }
    var found: [Int] = []
    while low < kept.count, kept[low].time <= span.upperBound + bound {
      if kept[low].value == value { found.append(low) }
      low += 1
    }
    return found
  }
}
