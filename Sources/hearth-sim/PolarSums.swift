// Compares the stored distance and energy of a day with the file of that day while it grew and in the end.

import EventLoop
import Health
import PolarTwin

/// Daily sums, which come in as many values as there were fetches. Those of a finished day add up to the final content
/// of its file; those of an unfinished one to the content at some fetch. Each is the difference between two contents.
/// Each is within its day, and not after the moment of the fetch.
@LoopActor
struct PolarSums {
  static let series: [Series] = [.distance, .calories, .basalCalories]

  /// A value of the store.
  struct Increment {
    /// µs of the hub's clock.
    let time: Int64
    /// µs.
    let length: Int64
    let amount: Int64

    var end: Int64 { time + length }
    var middle: Int64 { time + length / 2 }
  }

  /// A file. A day has a second file if the first was removed during the day.
  private struct File {
    let firstMinute: Int
    let isWhole: Bool
    /// Sums in the order of time, with the hub's time of each fetch, µs.
    var served: [(at: Int64, sums: [Int64])] = []
    /// Final sums by series.
    let total: [Int64]
  }

  private struct Day {
    let number: Int
    /// Span from midnight to midnight, µs of the hub's clock.
    let span: ClosedRange<Int64>
    /// Permitted error of times, µs.
    let slack: Int64
    let files: [File]

    func holds(_ increment: Increment) -> Bool {
      increment.time >= span.lowerBound - slack && increment.end <= span.upperBound + slack
    }
  }

  private var days: [Day] = []

  /// Limit of values of unsure day at one midnight: further ones belong to the day of their middle.
  private static let doubtLimit = 12
  /// Largest drift of a clock that was not read for a day, µs.
  private static let drift: Int64 = 86_400 * PolarPool.unknownDrift
  private static let dayLength: Int64 = 86_400_000_000_000

  init(_ twin: VirtualPolar, _ truth: PolarTruth, _ wallSteps: [(at: Instant, total: Int64)], firstRead: Int64) {
    let totals = wallSteps.map(\.total)
    let lowest = totals.min() ?? 0
    let highest = totals.max() ?? 0
    let pool = PolarPool(wallSteps, firstRead: firstRead)
    let whole = twin.dayParts.filter { $0.what == .summary }
    for number in Set(whole.map(\.day) + twin.summariesServed.map(\.day)).sorted() {
      let served = twin.summariesServed.filter { $0.day == number }
      let firsts = Set(whole.filter { $0.day == number }.map(\.firstMinute) + served.map(\.firstMinute))
      let files = firsts.sorted().map { first in
        var file = File(
          firstMinute: first, isWhole: whole.contains { $0.day == number && $0.firstMinute == first },
          total: Self.total(twin, number, first))
        for one in served where one.firstMinute == first {
          file.served.append((one.at.nanoseconds / 1000 + highest, Self.sums(one)))
        }
        return file
      }
      let midnight = Int64(number) * Self.dayLength
      let begin = truth.moments(of: midnight).from
      let end = truth.moments(of: midnight + Self.dayLength).to
      let slack =
        (pool.slack(at: begin) + Self.doubt(truth, begin, end) + Self.steps(twin, begin, end)) / 1000 + Self.drift
      days.append(Day(number: number, span: begin / 1000 + lowest...end / 1000 + highest, slack: slack, files: files))
    }
  }

  // MARK: The truth

  /// Sums by series: distance in 0.1 m, energy in 0.1 kcal.
  private static func sums(_ served: PolarSummaryServed) -> [Int64] {
    [Int64((Double(served.distance) * 10).rounded()), Int64(served.calories) * 10, Int64(served.basalCalories) * 10]
  }

  /// Content of the file at the end of the day.
  private static func total(_ twin: VirtualPolar, _ day: Int, _ first: Int) -> [Int64] {
    let steps = (first..<1440).reduce(0) { $0 + Int64(twin.life.steps(day: day, minute: $1)) }
    return [
      Int64((Double(Float(steps) * 0.75) * 10).rounded()), steps / 20 * 10,
      Int64(VirtualPolar.basalCalories(1440 - first)) * 10,
    ]
  }

  /// Doubt about times around a day, ns. Steps of the hub's own clock are part of its span.
  private static func doubt(_ truth: PolarTruth, _ begin: Int64, _ end: Int64) -> Int64 {
    let around = begin - dayLength...end + dayLength
    return truth.doubts.spans.reduce(0) { $0 + ($1.span.overlaps(around) && !$1.isAfterStep ? $1.amount : 0) }
  }

  /// Settings of its clock around a day, by anyone, ns: a value may begin by one clock and end by another. A clock that
  /// was lost and set again was set by its error until then.
  private static func steps(_ twin: VirtualPolar, _ begin: Int64, _ end: Int64) -> Int64 {
    var offsets: [Int64] = []
    for (index, era) in twin.clocks.enumerated() where era.clock.isSet {
      let until = index + 1 < twin.clocks.count ? twin.clocks[index + 1].from.nanoseconds : .max
      guard era.from.nanoseconds < end + dayLength, until > begin - dayLength else { continue }
      for moment in [era.from, Instant(nanoseconds: min(until, end + dayLength))] {
        offsets.append(era.clock.now(at: moment) - moment.nanoseconds)
      }
    }
    return (offsets.max() ?? 0) - (offsets.min() ?? 0)
  }

  // MARK: Judging

  /// - Parameter stored: in the order of time.
  /// - Returns: errors, day by day.
  func objections(_ series: Series, _ stored: [Increment]) -> [String] {
    guard let place = Self.series.firstIndex(of: series) else { return [] }
    var found: [String] = []
    var certain = days.map { _ in [Increment]() }
    /// Values of this day or of the next.
    var doubtful = days.map { _ in [Increment]() }
    for increment in stored {
      let candidates = days.indices.filter { days[$0].holds(increment) }
      guard let first = candidates.first else {
        found.append("\(increment.amount) at \(increment.time) µs for \(increment.length) µs lies in no day")
        continue
      }
      if candidates.count == 1 { certain[first].append(increment) } else { doubtful[first].append(increment) }
    }
    var left: [Increment] = []
    for (index, day) in days.enumerated() {
      let own = certain[index] + left
      var taken = doubtful[index].map { $0.middle < day.span.upperBound }
      func all(_ taken: [Bool]) -> [Increment] { own + zip(doubtful[index], taken).filter(\.1).map(\.0) }
      if objection(day, place, all(taken)) != nil, taken.count <= Self.doubtLimit {
        for mask in 0..<1 << taken.count {
          let other = taken.indices.map { mask >> $0 & 1 == 1 }
          guard objection(day, place, all(other)) == nil else { continue }
          taken = other
          break
        }
      }
      if let objection = objection(day, place, all(taken)) { found.append("day \(day.number): \(objection)") }
      left = zip(doubtful[index], taken).filter { !$0.1 }.map(\.0)
    }
    if !left.isEmpty { found.append("\(left.count) values lie in no day") }
    return found
  }

  /// The error in the values of one day; nil: no error.
  private func objection(_ day: Day, _ place: Int, _ values: [Increment]) -> String? {
    let sum = values.reduce(0) { $0 + $1.amount }
    var wanted: Set<Int64> = [0]
    for file in day.files {
      let own = file.isWhole ? [file.total[place]] : [0] + file.served.map { $0.sums[place] }
      wanted = Set(wanted.flatMap { before in own.map { before + $0 } })
    }
    if !wanted.contains(sum) {
      return "\(values.count) values add up to \(sum), and not to \(wanted.sorted().suffix(4))"
    }
    if values.isEmpty, day.files.contains(where: \.isWhole) { return "no part of it is there" }
    if values.count(where: { $0.amount == 0 }) > day.files.count {
      return "a part of 0 is there more than once"
    }
    for value in values {
      guard let end = latest(day, place, value.amount) else { return "\(value.amount) was never added" }
      if value.end > end + day.slack { return "\(value.amount) ends \(value.end - end) µs after it was served" }
    }
    return nil
  }

  /// Time at which a file last exceeded an earlier content by this amount, µs of the hub's clock; nil: never.
  private func latest(_ day: Day, _ place: Int, _ amount: Int64) -> Int64? {
    var latest: Int64?
    for file in day.files {
      var before: Set<Int64> = [0]
      for one in file.served {
        let sum = one.sums[place]
        if amount == 0 ? sum == 0 : before.contains(sum - amount) { latest = max(latest ?? one.at, one.at) }
        before.insert(sum)
      }
    }
    return latest
  }
}
