// Compares the store with what Polar's twins measured in recordings, exercises and days: every value once, at its time,
// for its wearer.

import EventLoop
import Health
import PolarTwin
import RingStore
import Simulation

/// Judges one wearable and series at a time, window by window, so that a month needs no more memory than a day.
@LoopActor
struct PolarJudge {
  /// Violations, at most twenty.
  private(set) var violations: [String] = []
  /// Histories of the clocks, for wearables that have one.
  private(set) var accounts: [String] = []
  /// Values that are at their place.
  private(set) var matched = 0
  /// Largest error of values with a knowable time, ns.
  private(set) var worstError: Int64 = 0
  /// Values of unknowable time; most are at their place all the same.
  private(set) var doubtful = 0
  /// Reasons why some of these are not: one excuse for each clock that others set, or that was lost.
  private(set) var excuses: [PolarExcuse] = []
  /// Values before a clock's first reading, with unknown drift, further off than others may be; the largest error, ns.
  private(set) var early = 0
  private(set) var worstEarly: Int64 = 0
  private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Some 1.2 million values at the fastest rate of a recording, and as many at one a second, ns.
  private static func window(_ series: Series) -> Int64 {
    if case .waveform = series.layout { return 6 * 3600 * 1_000_000_000 }
    return 14 * 86_400 * 1_000_000_000
  }

  private let hub: SimulatedHub
  private let wallSteps: [(at: Instant, total: Int64)]
  /// Smallest and largest total step of the hub's clock, µs.
  private let wallTotals: ClosedRange<Int64>
  private let hubEnds: [Instant]

  /// - Parameter ends: times at which the hub was killed or stopped, in the order of time.
  init(_ hub: SimulatedHub, _ wallSteps: [(at: Instant, total: Int64)], hubEnded ends: [Instant]) {
    self.hub = hub
    hubEnds = ends
    self.wallSteps = wallSteps
    let totals = wallSteps.map(\.total)
    wallTotals = (totals.min() ?? 0)...(totals.max() ?? 0)
  }

  /// A wearable, with its wearers and their start.
  struct Subject {
    let name: String
    let wearable: WearableID
    let worn: [(from: Instant, wearer: WearerID?)]
    /// Time before which the drift of the wearable's clock was unknown, ns.
    let firstRead: Int64
    /// Index of its first excuse among all.
    let excuses: Int
  }

  mutating func judge(_ guest: PolarGuest, _ worn: [(from: Instant, wearer: WearerID?)]) async throws {
    guard let wearable = hub.store.wearables.first(where: { $0.name == guest.name })?.id else {
      return report("\(guest.name) is not enrolled any more")
    }
    let truth = PolarTruth(guest.twin, today: guest.twin.today, wallSteps, hubEnded: hubEnds)
    // A strap's clock is never read: names contain the hub's own time.
    let firstRead =
      (guest.twin.traits.model == .h10 ? guest.twin.firstLinkAt : guest.twin.clockReadings.first)?.nanoseconds ?? .max
    let subject = Subject(
      name: guest.name, wearable: wearable, worn: worn, firstRead: firstRead, excuses: excuses.count)
    excuses += truth.doubts.spans.map { PolarExcuse(guest.name, $0, since: wallSteps[0].at) }
    let before = violations.count
    for series in Series.all where series != .raw && series != .battery && !PolarSums.series.contains(series) {
      try await compare(truth, series, subject)
    }
    try await compareSums(PolarSums(guest.twin, truth, wallSteps, firstRead: firstRead), subject)
    excuses.removeAll { $0.values == 0 }
    if violations.count > before {
      accounts += ["\(guest.name):"] + truth.doubts.account(of: guest.twin, since: wallSteps[0].at)
    }
  }

  // MARK: Windows

  /// Results for one series.
  private struct Tally {
    var stored = 0, wanted = 0
    /// `refusable`: possibly refused as future ones; `falselySure`: with an unknowable time that the store marks as
    /// sure.
    var missing = 0, strange = 0, others = 0, refusable = 0, falselySure = 0
    var example = ""
    /// Times that a lost clock gave, by value, µs.
    var given: [Int64: [Int64]] = [:]
  }

  private mutating func compare(_ truth: PolarTruth, _ series: Series, _ subject: Subject) async throws {
    var tally = Tally()
    tally.refusable = try PolarExcuse.refused(series, of: subject.wearable, hub)
    var pool = PolarPool(wallSteps, firstRead: subject.firstRead)
    /// Time before which everything is in the pool, or was dropped; nil: not yet read.
    var readUntil: WallTime?
    /// Loose values, with several possible places, which choose after all others.
    var waiting: [GroundTruthValue] = []
    let span = truth.span(of: series.id) ?? 0..<0
    var start = span.lowerBound
    while start < span.upperBound {
      let end = min(start + Self.window(series), span.upperBound)
      let isLast = end == span.upperBound
      let values = truth.values(of: series.id, in: start..<end)
      let reach = values.map { $0.to + pool.reach($0) }.max().map {
        WallTime(microseconds: $0 / 1000 + wallTotals.upperBound + 1)
      }
      if isLast || reach.map({ reach in readUntil.map { $0 < reach } ?? true }) ?? false {
        let until = isLast ? nil : reach
        pool.append(try await read(subject.wearable, series, from: readUntil, to: until, &tally))
        readUntil = until
      }
      for value in values where !value.isLoose { settle(value, &pool, subject, truth.doubts, &tally) }
      waiting += values.filter(\.isLoose)
      let ripe = waiting.prefix { isLast || $0.to + pool.reach($0) < start }.count
      for value in waiting.prefix(ripe) { settle(value, &pool, subject, truth.doubts, &tally) }
      waiting.removeFirst(ripe)
      // A stored value before this time that is still free was never measured.
      let next = min(end - pool.slack(at: end), waiting.map { $0.from - pool.bound($0) }.min() ?? .max)
      tally.strange += pool.drop(before: next / 1000 - truth.doubts.most / 1000 + wallTotals.lowerBound)
      start = end
    }
    if span.isEmpty { pool.append(try await read(subject.wearable, series, from: nil, to: nil, &tally)) }
    tally.strange += pool.drop(before: .max) + tally.given.values.reduce(0) { $0 + $1.count }
    report(tally, "\(subject.name) \(series.name)")
  }

  /// Reads fetched values, in the order of time.
  private mutating func read(
    _ wearable: WearableID, _ series: Series, from: WallTime?, to: WallTime?, _ tally: inout Tally
  ) async throws -> [StoredValue] {
    var stored: [StoredValue] = []
    var given: [StoredValue] = []
    // A waveform is found by the time of its first value.
    let lead: Int64 = 600_000_000
    let session = try await hub.store.export(
      SampleQuery(
        wearables: [wearable], series: [series], since: from.map { WallTime(microseconds: $0.microseconds - lead) },
        until: to))
    // Years before any measurement of the run.
    let lostBefore = wallTotals.lowerBound - 31_536_000_000_000
    func keep(_ time: Int64, _ value: Int64, isSure: Bool) {
      if let from, time < from.microseconds { return }
      if let to, time >= to.microseconds { return }
      if time < lostBefore {
        tally.given[value, default: []].append(time)
        tally.falselySure += isSure ? 1 : 0
        given.append(StoredValue(time: time, value: value))
      } else {
        stored.append(StoredValue(time: time, value: value, isSure: isSure))
      }
    }
    while let page = try await session.next(limit: 10_000) {
      for sample in page.samples where sample.origin == .fetched {
        let time = sample.time.microseconds
        guard case .waveform(let components) = series.layout else {
          keep(time, folded(sample.values.isEmpty ? [sample.value] : sample.values), isSure: sample.clockTrusted)
          continue
        }
        guard
          let wave = Waveform(
            start: time, period: sample.values[0], count: sample.values[1], encoding: sample.values[2],
            bytes: sample.bytes),
          let numbers = wave.numbers(components: components.count)
        else {
          report("\(series.name): an invalid waveform")
          continue
        }
        for index in 0..<wave.count {
          let own = numbers[index * components.count..<(index + 1) * components.count]
          keep(wave.time(of: index), folded(own.lazy.map { Int64($0) }), isSure: sample.clockTrusted)
        }
      }
    }
    given.sort { ($0.time, $0.value) < ($1.time, $1.value) }
    stored.sort { ($0.time, $0.value) < ($1.time, $1.value) }
    for sample in [given, stored].joined() { absorb(sample) }
    tally.stored += given.count + stored.count
    return stored
  }

  // MARK: Sums

  private mutating func compareSums(_ sums: PolarSums, _ subject: Subject) async throws {
    for series in PolarSums.series {
      var stored: [PolarSums.Increment] = []
      let session = try await hub.store.export(SampleQuery(wearables: [subject.wearable], series: [series]))
      while let page = try await session.next(limit: 10_000) {
        for sample in page.samples where sample.origin == .fetched && sample.values.count == 2 {
          stored.append(
            PolarSums.Increment(time: sample.time.microseconds, length: sample.values[0], amount: sample.values[1]))
        }
      }
      stored.sort { ($0.time, $0.length, $0.amount) < ($1.time, $1.length, $1.amount) }
      for sample in stored {
        absorb(StoredValue(time: sample.time, value: folded([sample.length, sample.amount])))
      }
      let objections = sums.objections(series, stored)
      for objection in objections { report("\(subject.name) \(series.name): \(objection)") }
      if objections.isEmpty { matched += stored.count }
    }
  }

  // MARK: Values

  private mutating func settle(
    _ value: GroundTruthValue, _ pool: inout PolarPool, _ subject: Subject, _ doubts: PolarDoubts, _ tally: inout Tally
  ) {
    if !value.isOptional { tally.wanted += 1 }
    // First a value at exactly the time that its clock showed: with doubt it could take another one's place.
    if claimGiven(value, doubts, subject, &tally) { return }
    guard let place = pool.claim(value) else {
      if value.isOptional { return }
      if value.isInDoubt, tally.refusable > 0 {
        tally.refusable -= 1
        return excuses[subject.excuses + Int(value.inDoubt.span)].noteRefused()
      }
      if tally.missing == 0 {
        tally.example = "measured at \(PolarExcuse.seconds(value.from, since: wallSteps[0].at)), \(pool.nearest(value))"
      }
      tally.missing += 1
      return
    }
    matched += 1
    if pool[place].isSure, doubts.isUnknowable(value) { tally.falselySure += 1 }
    let error = pool.error(value, at: place)
    if value.isInDoubt {
      doubtful += 1
      if error > pool.slack(at: value.from) { excuses[subject.excuses + Int(value.inDoubt.span)].note(error) }
    } else if value.from >= subject.firstRead {
      worstError = max(worstError, error)
    } else if error > PolarPool.bound {
      early += 1
      worstEarly = max(worstEarly, error)
    }
    if !isRightWearer(value, pool[place], pool.reach(value), subject) { tally.others += 1 }
  }

  /// Whether it is stored at the time of its wearable's clock, which was lost twice. Then its wearer cannot be known
  /// either.
  private mutating func claimGiven(
    _ value: GroundTruthValue, _ doubts: PolarDoubts, _ subject: Subject, _ tally: inout Tally
  ) -> Bool {
    guard let shown = doubts.given(value), let times = tally.given[value.value] else { return false }
    let zone = Int64(hub.options.hub.timeZone.offset(at: value.from / 1000 + wallSteps[0].total)) * 1_000_000
    let isIts = { (time: Int64) in [0, zone].contains { abs(time + $0 - shown) <= PolarPool.bound / 1000 } }
    guard let place = times.firstIndex(where: isIts) else { return false }
    tally.given[value.value]?.remove(at: place)
    matched += 1
    doubtful += 1
    excuses[subject.excuses + Int(value.inDoubt.span)].noteGiven()
    return true
  }

  /// Near a change of wearers it may belong to either, within its time's error and the steps of the hub's clock.
  private func isRightWearer(_ value: GroundTruthValue, _ stored: StoredValue, _ bound: Int64, _ subject: Subject)
    -> Bool
  {
    let kept = hub.store.wearer(of: subject.wearable, at: WallTime(microseconds: stored.time))
    let slack = bound + (wallTotals.upperBound - wallTotals.lowerBound) * 1000 + (value.to - value.from)
    func wearer(at moment: Int64) -> WearerID? { subject.worn.last { $0.from.nanoseconds <= moment }?.wearer }
    return wearer(at: value.from) == kept || wearer(at: value.from - slack) == kept
      || wearer(at: value.to + slack) == kept
  }

  // MARK: Saying it

  private mutating func report(_ tally: Tally, _ what: String) {
    if tally.missing > 0 {
      report(
        """
        \(what): \(tally.missing) of \(tally.wanted) values are not in the store at their time (\(tally.stored) are \
        there); the first was \(tally.example)
        """
      )
    } else if tally.strange > 0 {
      report("\(what): \(tally.strange) of \(tally.stored) values in the store were never measured, or are there twice")
    }
    if tally.falselySure > 0 {
      report("\(what): \(tally.falselySure) values have the time of a lost clock, and are said to be sure")
    }
    if tally.others > 0 { report("\(what): \(tally.others) values are under another wearer") }
  }

  private mutating func report(_ what: String) {
    if violations.count < HubWatch.violationLimit { violations.append(what) }
  }

  private mutating func absorb(_ sample: StoredValue) {
    for word in [sample.time, sample.value] {
      contentHash = (contentHash ^ UInt64(bitPattern: word)) &* 0x100_0000_01B3
    }
  }
}
