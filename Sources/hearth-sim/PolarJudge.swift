// What the store has of recordings, exercises and days, against what Polar's twins measured: every value once, at its time, under who wore it.

import EventLoop
import Health
import PolarTwin
import RingStore
import Simulation

/// Looks at one wearable and series at a time, from window to window, so that a month of them needs no more memory than a day.
@LoopActor
struct PolarJudge {
  /// At most twenty.
  private(set) var violations: [String] = []
  /// Values that are where they should be.
  private(set) var matched = 0
  /// Of those whose time can be known, ns.
  private(set) var worstError: Int64 = 0
  /// Values whose time nobody can know, and the furthest that one of them is off, ns.
  private(set) var doubtful = 0
  private(set) var worstDoubtful: Int64 = 0
  private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// How far a fetched value's time may be from when it was measured, ns.
  static let bound: Int64 = 100_000_000
  /// Of a clock that was not read yet, parts per million.
  static let unknownDrift: Int64 = 25
  /// Some 1.2 million values at the fastest that anything is recorded, and as many at one a second, ns.
  private static func window(_ series: Series) -> Int64 {
    if case .waveform = series.layout { return 6 * 3600 * 1_000_000_000 }
    return 14 * 86_400 * 1_000_000_000
  }

  private let hub: SimulatedHub
  private let wallSteps: [(at: Instant, total: Int64)]
  /// What the hub's clock was ever stepped by, µs.
  private let wallTotals: ClosedRange<Int64>
  private let hubEnds: [Instant]

  /// - Parameter ends: when the hub was killed or stopped, in the order of time.
  init(_ hub: SimulatedHub, _ wallSteps: [(at: Instant, total: Int64)], hubEnded ends: [Instant]) {
    self.hub = hub
    hubEnds = ends
    self.wallSteps = wallSteps
    let totals = wallSteps.map(\.total)
    wallTotals = (totals.min() ?? 0)...(totals.max() ?? 0)
  }

  /// One wearable, and who wore it from when on.
  struct Subject {
    let name: String
    let wearable: WearableID
    let worn: [(from: Instant, wearer: WearerID?)]
    /// Before it nobody knew how fast the wearable's clock goes, ns.
    let firstRead: Int64
  }

  mutating func judge(_ guest: PolarGuest, _ worn: [(from: Instant, wearer: WearerID?)]) async throws {
    guard let wearable = hub.store.wearables.first(where: { $0.name == guest.name })?.id else { return report("\(guest.name) is not enrolled any more") }
    let truth = PolarTruth(guest.twin, today: guest.twin.today, hubEnded: hubEnds)
    // A strap's clock is never read: the hub's own is in the names.
    let firstRead = (guest.twin.traits.model == .h10 ? guest.twin.firstLinkAt : guest.twin.clockReadings.first)?.nanoseconds ?? .max
    let subject = Subject(name: guest.name, wearable: wearable, worn: worn, firstRead: firstRead)
    for series in Series.all where series != .raw && series != .battery { try await compare(truth, series, subject) }
  }

  // MARK: Windows

  private struct Stored {
    /// µs of the hub's clock.
    let time: Int64
    let value: Int64
    var isTaken = false
  }

  /// What was read of one series and may still be somebody's, in the order of time.
  private struct Pool {
    var stored: [Stored] = []
    /// Of the steps of the hub's clock the last one by which a value was found.
    var step = 0
    /// How many were dropped before the first.
    private(set) var dropped = 0
    /// Whose those are that are taken, by how many came before them; only where a value may be in more than one place.
    var owners: [Int: TrueValue] = [:]

    mutating func take(_ place: Int, for value: TrueValue, mayMove: Bool) {
      stored[place].isTaken = true
      if mayMove { owners[dropped + place] = value }
    }

    mutating func dropFirst(_ count: Int) {
      for place in 0..<count where !owners.isEmpty { owners[dropped + place] = nil }
      stored.removeFirst(count)
      dropped += count
    }
  }

  /// What was found out about one series.
  private struct Tally {
    var stored = 0, wanted = 0
    var missing = 0, strange = 0, others = 0
    var example = ""
  }

  private mutating func compare(_ truth: PolarTruth, _ series: Series, _ subject: Subject) async throws {
    var tally = Tally()
    var pool = Pool()
    /// Everything before is in the pool, or was dropped; nil: nothing was read.
    var readUntil: WallTime?
    /// Loose values, which choose when all others have what is theirs.
    var waiting: [TrueValue] = []
    let span = truth.span(of: series.id) ?? 0..<0
    var start = span.lowerBound
    while start < span.upperBound {
      let end = min(start + Self.window(series), span.upperBound), isLast = end == span.upperBound
      let values = truth.values(of: series.id, in: start..<end)
      let reach = values.map { $0.to + bound($0, subject) }.max().map { WallTime(microseconds: $0 / 1000 + wallTotals.upperBound + 1) }
      if isLast || reach.map({ reach in readUntil.map { $0 < reach } ?? true }) ?? false {
        let until = isLast ? nil : reach
        pool.stored += try await read(subject.wearable, series, from: readUntil, to: until, &tally)
        readUntil = until
      }
      for value in values where !value.isLoose { settle(value, &pool, subject, &tally) }
      waiting += values.filter(\.isLoose)
      let ripe = waiting.prefix { isLast || $0.to + bound($0, subject) < start }.count
      for value in waiting.prefix(ripe) { settle(value, &pool, subject, &tally) }
      waiting.removeFirst(ripe)
      // What nobody behind this can claim was never measured.
      let next = min(end - slack(at: end, subject), waiting.map { $0.from - bound($0, subject) }.min() ?? .max)
      drop(&pool, before: next / 1000 - truth.doubts.most / 1000 + wallTotals.lowerBound, &tally)
      start = end
    }
    if span.isEmpty { pool.stored = try await read(subject.wearable, series, from: nil, to: nil, &tally) }
    drop(&pool, before: .max, &tally)
    report(tally, "\(subject.name) \(series.name)")
  }

  private func drop(_ pool: inout Pool, before time: Int64, _ tally: inout Tally) {
    let count = pool.stored.firstIndex { $0.time >= time } ?? pool.stored.count
    tally.strange += pool.stored[..<count].count { !$0.isTaken }
    pool.dropFirst(count)
  }

  /// What was fetched, in the order of time.
  private mutating func read(_ wearable: WearableID, _ series: Series, from: WallTime?, to: WallTime?, _ tally: inout Tally) async throws -> [Stored] {
    var stored: [Stored] = []
    // A waveform is found by the time of its first value.
    let lead: Int64 = 600_000_000
    let session = try await hub.store.export(SampleQuery(wearables: [wearable], series: [series], since: from.map { WallTime(microseconds: $0.microseconds - lead) }, until: to))
    func keep(_ time: Int64, _ value: Int64) {
      if let from, time < from.microseconds { return }
      if let to, time >= to.microseconds { return }
      stored.append(Stored(time: time, value: value))
    }
    while let page = try await session.next(limit: 10_000) {
      for sample in page.samples where sample.origin == .fetched {
        let time = sample.time.microseconds
        guard case .waveform(let components) = series.layout else {
          keep(time, folded(sample.values.isEmpty ? [sample.value] : sample.values))
          continue
        }
        guard let wave = Waveform(start: time, period: sample.values[0], count: sample.values[1], encoding: sample.values[2], bytes: sample.bytes),
          let numbers = wave.numbers(components: components.count)
        else {
          report("\(series.name): a waveform that is none")
          continue
        }
        for index in 0..<wave.count {
          keep(wave.time(of: index), folded(numbers[index * components.count..<(index + 1) * components.count].lazy.map { Int64($0) }))
        }
      }
    }
    stored.sort { ($0.time, $0.value) < ($1.time, $1.value) }
    for sample in stored { absorb(sample) }
    tally.stored += stored.count
    return stored
  }

  // MARK: Values

  private mutating func settle(_ value: TrueValue, _ pool: inout Pool, _ subject: Subject, _ tally: inout Tally) {
    tally.wanted += 1
    guard let place = claim(value, &pool, subject, tally) else {
      if tally.missing == 0 { tally.example = "measured at \(value.from / 1_000_000_000) s, \(nearest(value, pool.stored))" }
      tally.missing += 1
      return
    }
    matched += 1
    let error = error(value, pool.stored[place])
    if value.doubt > 0 {
      doubtful += 1
      worstDoubtful = max(worstDoubtful, error)
    } else if value.from >= subject.firstRead {
      worstError = max(worstError, error)
    }
    if !isRightWearer(value, pool.stored[place], subject) { tally.others += 1 }
  }

  /// Finds a place for a value. Where the hub's clock was stepped, or somebody else set the wearable's, those who came before may have to move.
  private func claim(_ value: TrueValue, _ pool: inout Pool, _ subject: Subject, _ tally: Tally) -> Int? {
    let mayMove = wallSteps.count > 1 || value.doubt > 0
    if let (free, step) = places(of: value, pool, subject).free {
      pool.take(free, for: value, mayMove: mayMove)
      pool.step = step
      return free
    }
    return mayMove && tally.missing < Self.searched ? makeRoom(for: value, &pool, subject) : nil
  }

  /// Values that nothing is found for are looked for so thoroughly up to this many of a series; then something is wrong anyway.
  private static let searched = 200
  /// Places that are looked at for one of them.
  private static let breadth = 8192

  /// Some who have a place move to another one, the fewest there are (a shortest augmenting path).
  private func makeRoom(for value: TrueValue, _ pool: inout Pool, _ subject: Subject) -> Int? {
    /// Taken places, and who wants them: the owner of an earlier one of these, or the value itself (-1).
    var asked: [(place: Int, from: Int)] = []
    var seen: Set<Int> = []
    func ask(_ places: [Int], from: Int) { for place in places where asked.count < Self.breadth && seen.insert(place).inserted { asked.append((place, from)) } }
    ask(places(of: value, pool, subject).taken, from: -1)
    var next = 0
    while next < asked.count {
      let (place, _) = asked[next]
      if let owner = pool.owners[pool.dropped + place] {
        let (other, taken) = places(of: owner, pool, subject)
        if var free = other?.place {
          var step = next
          // Everybody moves on to what the one behind gave up.
          while step >= 0 {
            let (given, from) = asked[step]
            if let mover = pool.owners[pool.dropped + given] { pool.take(free, for: mover, mayMove: true) }
            (free, step) = (given, from)
          }
          pool.take(free, for: value, mayMove: true)
          return free
        }
        ask(taken, from: next)
      }
      next += 1
    }
    return nil
  }

  /// Each second before the first reading may be a little more wrong.
  private func slack(at moment: Int64, _ subject: Subject) -> Int64 {
    let (unread, overflow) = subject.firstRead.subtractingReportingOverflow(moment)
    return Self.bound + (overflow ? 0 : max(0, unread) / 1_000_000 * Self.unknownDrift)
  }

  private func bound(_ value: TrueValue, _ subject: Subject) -> Int64 { slack(at: value.from, subject) + value.doubt }

  /// Where a value may be: by the hub's clock as it was then, or was set later, before it was fetched.
  private func steps(_ value: TrueValue) -> ClosedRange<Int> {
    func last(_ moment: Int64) -> Int { wallSteps.lastIndex { $0.at.nanoseconds <= moment } ?? 0 }
    return value.timedAt.map { last($0)...last($0) } ?? last(value.from)...wallSteps.count - 1
  }

  /// Those of the same value within the bound: the earliest that is free, so that each of several alike finds its own, as they come in the order of time; or all that
  /// are taken. What was measured together was fetched together: the step by which the one before was found goes first.
  private func places(of value: TrueValue, _ all: Pool, _ subject: Subject) -> (free: (place: Int, step: Int)?, taken: [Int]) {
    let bound = bound(value, subject) / 1000, pool = all.stored
    var taken: [Int] = []
    let steps = steps(value), first = min(max(all.step, steps.lowerBound), steps.upperBound)
    for turn in 0..<steps.count {
      let step = turn == 0 ? first : steps.lowerBound + turn - (steps.lowerBound + turn <= first ? 1 : 0)
      let (from, to) = (value.from / 1000 + wallSteps[step].total, value.to / 1000 + wallSteps[step].total)
      var (low, high) = (0, pool.count)
      while low < high {
        let middle = (low + high) / 2
        if pool[middle].time < from - bound { low = middle + 1 } else { high = middle }
      }
      while low < pool.count, pool[low].time <= to + bound {
        if pool[low].value == value.value {
          if !pool[low].isTaken { return ((low, step), []) }
          taken.append(low)
        }
        low += 1
      }
    }
    return (nil, taken)
  }

  /// By how much a stored value's time is wrong, ns.
  private func error(_ value: TrueValue, _ stored: Stored) -> Int64 {
    let errors = steps(value).map { max(0, value.from / 1000 + wallSteps[$0].total - stored.time, stored.time - value.to / 1000 - wallSteps[$0].total) }
    return (errors.min() ?? 0) * 1000
  }

  /// Near a change of wearers it may be either's: as near as the time may be wrong, and the hub's own clock was stepped.
  private func isRightWearer(_ value: TrueValue, _ stored: Stored, _ subject: Subject) -> Bool {
    let kept = hub.store.wearer(of: subject.wearable, at: WallTime(microseconds: stored.time))
    let slack = Self.bound + value.doubt + (wallTotals.upperBound - wallTotals.lowerBound) * 1000 + (value.to - value.from)
    func wearer(at moment: Int64) -> WearerID? { subject.worn.last { $0.from.nanoseconds <= moment }?.wearer }
    return wearer(at: value.from) == kept || wearer(at: value.from - slack) == kept || wearer(at: value.to + slack) == kept
  }

  // MARK: Saying it

  /// For people: where the same value is that is nearest in time.
  private func nearest(_ value: TrueValue, _ pool: [Stored]) -> String {
    let wall = value.from / 1000 + (wallSteps.last { $0.at.nanoseconds <= value.from }?.total ?? wallSteps[0].total)
    let same = pool.filter { $0.value == value.value && !$0.isTaken }.min { abs($0.time - wall) < abs($1.time - wall) }
    return same.map { "the same value is \(Double($0.time - wall) / 1_000_000) s off" } ?? "no such value is there"
  }

  private mutating func report(_ tally: Tally, _ what: String) {
    if tally.missing > 0 {
      report("\(what): \(tally.missing) of \(tally.wanted) values are not in the store at their time (\(tally.stored) are there); the first was \(tally.example)")
    } else if tally.strange > 0 {
      report("\(what): \(tally.strange) of \(tally.stored) values in the store were never measured, or are there twice")
    }
    if tally.others > 0 { report("\(what): \(tally.others) values are under another wearer") }
  }

  private mutating func report(_ what: String) {
    if violations.count < HubWatch.violationLimit { violations.append(what) }
  }

  private mutating func absorb(_ sample: Stored) {
    for word in [sample.time, sample.value] { contentHash = (contentHash ^ UInt64(bitPattern: word)) &* 0x100_0000_01B3 }
  }
}
