// Assignment of stored values to true ones. Each true value gets one that is equal and near enough in time, and earlier
// assignments move if they must.

import EventLoop

/// A value in the store.
struct StoredValue {
  /// µs of the hub's clock.
  let time: Int64
  let value: Int64
  /// Whether the store marks its time as sure.
  let isSure: Bool
  fileprivate(set) var isTaken = false

  init(time: Int64, value: Int64, isSure: Bool = true) { (self.time, self.value, self.isSure) = (time, value, isSure) }
}

/// Stored values of one series that may still be assigned, in the order of time.
struct PolarPool {
  private var stored: [StoredValue] = []
  /// Number of values dropped before the first.
  private var dropped = 0
  /// Owners of assigned values, by index including dropped ones; only if a value may have several places.
  private var owners: [Int: GroundTruthValue] = [:]
  /// Total step of the hub's clock, µs, with start; never empty.
  private let wallSteps: [(at: Instant, total: Int64)]
  /// The step by which a value was last found: values that were measured together were fetched together.
  private var step = 0
  /// Time before which the drift of the wearable's clock was unknown, ns.
  private let firstRead: Int64
  /// Values for which no place could be made.
  private var unfound = 0

  /// Distance that a fetched value's time may be from its measurement, ns: the error of a clock's reading. A reading
  /// counts for the middle between request and answer. Over the slowest link of a visit (100 ms, latency 4) the request
  /// may wait for 500 ms. The answer needs 100 ms more: 200 ms from the middle.
  static let bound: Int64 = 200_000_000
  /// Drift of a clock that was not read yet, parts per million.
  static let unknownDrift: Int64 = 25
  /// Limit of values of a series for which places are made; beyond it there is an error anyway.
  private static let searched = 200
  /// Limit of places that are examined for one of them.
  private static let breadth = 8192

  init(_ wallSteps: [(at: Instant, total: Int64)], firstRead: Int64) {
    (self.wallSteps, self.firstRead) = (wallSteps, firstRead)
  }

  subscript(place: Int) -> StoredValue { stored[place] }

  /// Appends values that are later than all present ones.
  mutating func append(_ read: [StoredValue]) { stored += read }

  /// - Parameter time: µs of the hub's clock.
  /// - Returns: number of values without an owner.
  mutating func drop(before time: Int64) -> Int {
    let count = stored.firstIndex { $0.time >= time } ?? stored.count
    let strange = stored[..<count].count { !$0.isTaken }
    for place in 0..<count where !owners.isEmpty { owners[dropped + place] = nil }
    stored.removeFirst(count)
    dropped += count
    return strange
  }

  // MARK: Bounds

  /// Permitted error: it grows with each second before the first reading.
  func slack(at moment: Int64) -> Int64 {
    let (unread, overflow) = firstRead.subtractingReportingOverflow(moment)
    return Self.bound + (overflow ? 0 : max(0, unread) / 1_000_000 * Self.unknownDrift)
  }

  func bound(_ value: GroundTruthValue) -> Int64 { slack(at: value.from) + value.doubt }

  /// Latest place, relative to its time.
  func reach(_ value: GroundTruthValue) -> Int64 { bound(value) + value.inDoubt.again }

  /// Steps by which a value may be placed: the hub's clock at that time, or as set later, before the value was fetched.
  private func steps(_ value: GroundTruthValue) -> ClosedRange<Int> {
    func last(_ moment: Int64) -> Int { wallSteps.lastIndex { $0.at.nanoseconds <= moment } ?? 0 }
    return value.timedAt.map { last($0)...last($0) } ?? last(value.from)...wallSteps.count - 1
  }

  /// Error of the time of an assigned value, ns.
  func error(_ value: GroundTruthValue, at place: Int) -> Int64 {
    let time = stored[place].time
    let errors = steps(value).map {
      max(0, value.from / 1000 + wallSteps[$0].total - time, time - value.to / 1000 - wallSteps[$0].total)
    }
    return (errors.min() ?? 0) * 1000
  }

  // MARK: Places

  /// Finds a place for a value; nil: there is no place. If the hub's clock was stepped, or others set the wearable's,
  /// earlier assignments may have to move.
  mutating func claim(_ value: GroundTruthValue) -> Int? {
    let mayMove = wallSteps.count > 1 || value.isInDoubt
    if let (free, step) = places(of: value).free {
      take(free, for: value, mayMove: mayMove)
      self.step = step
      return free
    }
    guard mayMove, unfound < Self.searched else { return nil }
    let place = makeRoom(for: value)
    if place == nil { unfound += 1 }
    return place
  }

  private mutating func take(_ place: Int, for value: GroundTruthValue, mayMove: Bool) {
    stored[place].isTaken = true
    if mayMove { owners[dropped + place] = value }
  }

  /// Moves as few assignments as possible to other places (a shortest augmenting path).
  private mutating func makeRoom(for value: GroundTruthValue) -> Int? {
    /// Taken places, and the claimant of each: the owner of an earlier one of these, or the value itself (-1).
    var asked: [(place: Int, from: Int)] = []
    var seen: Set<Int> = []
    func ask(_ places: [Int], from: Int) {
      for place in places where asked.count < Self.breadth && seen.insert(place).inserted {
        asked.append((place, from))
      }
    }
    ask(places(of: value).taken, from: -1)
    var next = 0
    while next < asked.count {
      if let owner = owners[dropped + asked[next].place] {
        let (other, taken) = places(of: owner)
        if let free = other?.place { return moveOn(along: asked, from: next, to: free, value) }
        ask(taken, from: next)
      }
      next += 1
    }
    return nil
  }

  /// Each takes the place that the next one gives up; the value takes the last one.
  private mutating func moveOn(
    along asked: [(place: Int, from: Int)], from last: Int, to free: Int, _ value: GroundTruthValue
  )
    -> Int
  {
    var (free, step) = (free, last)
    while step >= 0 {
      let (given, from) = asked[step]
      if let mover = owners[dropped + given] { take(free, for: mover, mayMove: true) }
      (free, step) = (given, from)
    }
    take(free, for: value, mayMove: true)
    return free
  }

  /// Places of the same value within the bound. The earliest free one, as equal values come in the order of time and
  /// each must find its own; or all taken ones.
  private func places(of value: GroundTruthValue) -> (free: (place: Int, step: Int)?, taken: [Int]) {
    let bound = bound(value) / 1000
    var taken: [Int] = []
    let steps = steps(value)
    let first = min(max(step, steps.lowerBound), steps.upperBound)
    func free(at step: Int) -> Int? {
      free(at: step, 0) ?? (value.inDoubt.again > 0 ? free(at: step, value.inDoubt.again / 1000) : nil)
    }
    func free(at step: Int, _ later: Int64) -> Int? {
      let (from, to) = (
        value.from / 1000 + wallSteps[step].total + later, value.to / 1000 + wallSteps[step].total + later
      )
      var (low, high) = (0, stored.count)
      while low < high {
        let middle = (low + high) / 2
        if stored[middle].time < from - bound { low = middle + 1 } else { high = middle }
      }
      while low < stored.count, stored[low].time <= to + bound {
        if stored[low].value == value.value {
          if !stored[low].isTaken { return low }
          taken.append(low)
        }
        low += 1
      }
      return nil
    }
    if let place = free(at: first) { return ((place, first), []) }
    for step in steps where step != first {
      if let place = free(at: step) { return ((place, step), []) }
    }
    return (nil, taken)
  }

  /// Describes for people the nearest place in time with the same value.
  func nearest(_ value: GroundTruthValue) -> String {
    let wall = value.from / 1000 + (wallSteps.last { $0.at.nanoseconds <= value.from }?.total ?? wallSteps[0].total)
    let same = stored.filter { $0.value == value.value && !$0.isTaken }.min {
      abs($0.time - wall) < abs($1.time - wall)
    }
    return same.map { "the same value is \(Double($0.time - wall) / 1_000_000) s off" } ?? "no such value is there"
  }
}
