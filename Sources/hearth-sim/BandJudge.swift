// Compares the store with what bands measured. Every item that a band's memory held long enough must be there once,
// with its time, its marks and its wearer. There must be no other item.

import BandTwin
import CivilTime
import EventLoop
import Health
import RingStore
import Simulation

/// Judges one band at a time, after the end of a run, or the items of one confirmation.
@LoopActor
struct BandJudge {
  /// Violations, at most twenty.
  private(set) var violations: [String] = []
  var outcome = BandOutcome()
  /// Replaces, for tests of this judge, one of a band's stored values, by its place.
  var tampering: (@LoopActor (Int, BandKept) -> [BandKept])?
  private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// µs by which the time of an item may be off with a correct clock. The clock drifts by up to 120 ppm, 10 s a day, is
  /// set when it is off by 15 s, and sends whole minutes.
  static let bound: Int64 = 120_000_000

  let hub: SimulatedHub
  let wallSteps: [(at: Instant, total: Int64)]
  let zones: [(at: Instant, rules: TimeZoneRules)]
  /// The largest error of the hub's own clock, which the hub may have sent to bands. µs.
  private let spread: Int64
  var reach: Int64 { Self.bound + spread }

  /// Number of times that the hub was stopped, which ends all links.
  private let stops: Int

  init(_ hub: SimulatedHub, _ lives: HubLives) {
    self.hub = hub
    wallSteps = lives.wallSteps
    zones = lives.zones
    stops = lives.ends.count
    let totals = wallSteps.map(\.total)
    spread = (totals.max() ?? 0) - (totals.min() ?? 0)
  }

  /// Series that are not items of a band's memory: live values, raw bytes, and minutes of activity, of which twins have
  /// no truth.
  private static let beside: Set<Series> = [.battery, .raw, .exercise, .activeTime]
  /// Sent as one sum for a day by bands without slots.
  static let sums: [Series] = [.steps, .distance, .calories]

  // MARK: One band

  mutating func judge(
    _ guest: BandGuest, _ presence: BandPresence, after length: Duration,
    _ worn: [(from: Instant, wearer: WearerID?)]
  ) async throws {
    guard let band = guest.band, let family = guest.family else { return }
    guard let wearable = hub.store.wearables.first(where: { $0.name == guest.name })?.id else {
      return report("\(guest.name) is not enrolled any more")
    }
    let confirmed = band.ledger.confirmed
    var owed: [BandExpected] = []
    for item in family.truth(band) {
      guard let told = family.told(band, item) else { continue }
      let isKept = presence.owes(
        item, until: family.hiddenSince(band, item), after: length, band.ledger.links,
        onNewLink: family.isToldOnNewLinks(item))
      let parts = parts(of: item, told, band, isKept: isKept, isConfirmed: confirmed[item.number] != nil)
      owed += parts.map { dated($0, band) }
    }
    let stored = try await read(wearable)
    for sample in stored { absorb(sample) }
    let live = stored.filter { $0.way == .live && !Self.beside.contains($0.series) }
    judge(live: live.map(BandKept.init), band, guest.name)
    var fetched = stored.filter { $0.way != .live && !Self.beside.contains($0.series) }.map(BandKept.init)
    var raw = stored.filter { $0.series == .raw }.map(BandKept.init)
    if let tampering {
      fetched = fetched.enumerated().flatMap { tampering($0.offset, $0.element) }
      raw = raw.enumerated().flatMap { tampering($0.offset, $0.element) }
    }
    judge(raw: raw, band, guest.name)
    outcome.items += fetched.count
    let sums = family.sumsDays ? Self.sums : []
    for series in Set(owed.map(\.series.id) + fetched.map(\.series.id)).sorted() {
      guard let known = Series(id: series) else { continue }
      let (wanted, there) = (
        owed.filter { $0.series == known }, fetched.filter { $0.series == known }
      )
      if known == .sleepStage || known == .sleep {
        judgeSleep(known, owed.filter { $0.series == .sleepStage }, there, guest.name)
      } else if sums.contains(known) {
        judgeSums(known, wanted, there, guest.name, band)
      } else {
        judge(known, wanted, there, guest.name, band, family, wearable, worn)
      }
    }
    let left = band.ledger.faults.count { $0 == .leftDuringSync }
    let faults = band.ledger.faults.filter { $0 != .leftDuringSync || left > stops }
    for fault in faults.prefix(3) { report("\(guest.name): the hub \(fault)") }
  }

  /// - Parameter since: µs since 1970; nil: everything.
  private func read(_ wearable: WearableID, since: Int64? = nil) async throws -> [StoredSample] {
    var samples: [StoredSample] = []
    let session = try await hub.store.export(
      SampleQuery(wearables: [wearable], since: since.map { WallTime(microseconds: $0) }))
    while let page = try await session.next(limit: 10_000) { samples += page.samples }
    return samples
  }

  // MARK: Items one by one

  private mutating func judge(
    _ series: Series, _ owed: [BandExpected], _ stored: [BandKept], _ name: String,
    _ band: VirtualBand, _ family: BandFamily, _ wearable: WearableID,
    _ worn: [(from: Instant, wearer: WearerID?)]
  ) {
    let kept = stored.sorted { $0.time < $1.time }
    let wanted = owed.sorted { $0.trueTime < $1.trueTime }
    // Values that a clock which was set back may have left go to items without another place.
    let spare = Set(
      family.hasPlaces ? kept.indices.filter { place in wanted.contains { isLeft($0, at: kept[place], band) } } : [])
    let choices = wanted.map { places(of: $0, in: kept) }
    var pairs = RecordPairs(choices.map { $0.filter { !spare.contains($0) } }, places: kept.count)
    var spares = RecordPairs(choices.map { $0.filter(spare.contains) }, places: kept.count)
    // Items of a correct clock first: another may have the same numbers by chance, and this time by a wrong clock.
    let isRight = wanted.map { abs($0.trueTime - $0.shownTime) <= reach }
    for (isOptional, right) in [(false, true), (false, false), (true, true), (true, false)] {
      for number in wanted.indices where wanted[number].isOptional == isOptional && isRight[number] == right {
        pairs.place(number)
        if pairs.place(of: number) == nil { spares.place(number) }
      }
    }
    var missing: [BandExpected] = []
    var (falselySure, others) = (0, 0)
    var example = ""
    for (number, item) in wanted.enumerated() {
      guard let place = pairs.place(of: number) ?? spares.place(of: number) else {
        if !item.isOptional, !(family.hasPlaces && isAsBefore(item, wanted)) { missing.append(item) }
        continue
      }
      outcome.matched += 1
      let error = abs(kept[place].time - item.trueTime)
      if error > reach {
        outcome.misdated += 1
        if kept[place].isSure, isSeen(item, band, family) {
          falselySure += 1
          example = "\(describe(item)), kept \((kept[place].time - item.trueTime) / 1_000_000) s off"
        }
      } else {
        outcome.worstError = max(outcome.worstError, error)
        if !isRightWearer(item, kept[place], wearable, worn) { others += 1 }
      }
    }
    let what = "\(name) \(series.name)"
    outcome.wrong += missing.count + falselySure
    if let first = missing.first {
      let same = kept.filter { $0.numbers == first.numbers }.map { $0.time - first.trueTime }
      let nearest =
        same.min { abs($0) < abs($1) }.map { "the same numbers are \($0 / 1_000_000) s off" }
        ?? "no such numbers are there"
      report(
        """
        \(what): \(missing.count) of \(wanted.count { !$0.isOptional }) expected are not there; the first is \
        \(describe(first)); \(nearest)
        """)
    }
    // Each may stay once.
    var left: Set<Int> = []
    let strange = kept.indices.filter { pairs.isFree($0) && spares.isFree($0) }.map { kept[$0] }.filter { kept in
      guard family.hasPlaces,
        let number = wanted.indices.first(where: { !left.contains($0) && isLeft(wanted[$0], at: kept, band) })
      else { return true }
      left.insert(number)
      return false
    }
    outcome.wrong += strange.count
    if let first = strange.first {
      let double = wanted.contains { first.isLike($0) && first.mayBe($0, reach: reach) }
      let alike = wanted.filter { first.isLike($0) }.map { first.time - $0.trueTime }.min { abs($0) < abs($1) }
      report(
        """
        \(what): \(strange.count) of \(kept.count) in the store \
        \(double ? "are there twice" : "were never measured"); the first is \(first.numbers) at \(first.time), \
        \((first.time - wallSteps[0].total) / 1_000_000) s, \(first.isManual ? "manual" : "automatic"), \
        \(first.kind.name), its time \(first.isSure ? "sure" : "unsure"); \
        \(alike.map { "the nearest like it is \($0 / 1_000_000) s off" } ?? "no such value was measured")
        """)
    }
    if falselySure > 0 {
      report("\(what): \(falselySure) are said to be sure of a time that is wrong; one is \(example)")
    }
    if others > 0 { report("\(what): \(others) are under another wearer") }
  }

  /// The nearest to the truth first.
  private func places(of owed: BandExpected, in kept: [BandKept]) -> [Int] {
    var found: [Int] = []
    let (right, shown) = (owed.trueTime...owed.trueTime, owed.shownTime...owed.shownTime)
    for range in owed.isDateable ? [right, shown] : [owed.estimates] {
      var low = 0
      var high = kept.count
      while low < high {
        let middle = (low + high) / 2
        if kept[middle].time < range.lowerBound - reach { low = middle + 1 } else { high = middle }
      }
      while low < kept.count, kept[low].time <= range.upperBound + reach {
        if kept[low].isLike(owed), kept[low].mayBe(owed, reach: reach), !found.contains(low) { found.append(low) }
        low += 1
      }
    }
    return found.sorted { abs(kept[$0].time - owed.trueTime) < abs(kept[$1].time - owed.trueTime) }
  }

  private func isRightWearer(
    _ item: BandExpected, _ kept: BandKept, _ wearable: WearableID,
    _ worn: [(from: Instant, wearer: WearerID?)]
  ) -> Bool {
    let stored = hub.store.wearer(of: wearable, at: WallTime(microseconds: kept.time))
    return [-reach, 0, reach].contains { slack in
      let moment = item.item.at + .microseconds(slack)
      return worn.last { $0.from <= moment }?.wearer == stored
    }
  }

  func describe(_ owed: BandExpected) -> String {
    let at = (owed.item.at - wallSteps[0].at).inSeconds
    return """
      \(owed.numbers) measured at \(Int(at)) s, \(owed.isManual ? "manual" : "automatic"), \(owed.kind.name), recorded \
      at \(Int((owed.item.recordedAt - wallSteps[0].at).inSeconds)) s, \
      gone at \(owed.item.goneAt.map { "\(Int(($0 - wallSteps[0].at).inSeconds)) s" } ?? "no time")
      """
  }

  // MARK: Confirmations

  /// Checks that items which the hub confirmed are durable at that moment, as the band deletes them now.
  ///
  /// - Returns: the missing item.
  func unconfirmed(_ items: [BandItem], of guest: BandGuest) async throws -> String? {
    guard let band = guest.band, let family = guest.family,
      let wearable = hub.store.wearables.first(where: { $0.name == guest.name })?.id
    else { return nil }
    let earliest = items.map { min($0.shown * 1_000_000, $0.at.nanoseconds / 1000 + total(at: $0.at)) }.min() ?? 0
    let stored = try await read(wearable, since: earliest - 3 * 86_400_000_000).filter { $0.way != .live }.map(
      BandKept.init)
    var absent: [BandExpected] = []
    for item in items {
      guard let told = family.told(band, item), item.series != .sleepStage,
        !(family.sumsDays && Self.sums.contains(item.series))
      else { continue }
      let parts = parts(of: item, told, band, isKept: true, isConfirmed: true).map { dated($0, band) }
      absent += parts.filter { owed in
        !owed.isOptional && !stored.contains { $0.isLike(owed) && $0.mayBe(owed, reach: reach) }
      }
    }
    return absent.first.map {
      "\(absent.count) confirmed items are not in the store; the first is \(describe($0))"
    }
  }

  // MARK: Saying it

  mutating func report(_ what: String) {
    if violations.count < HubWatch.violationLimit { violations.append(what) }
  }

  private mutating func absorb(_ sample: StoredSample) {
    for word in [sample.time.microseconds, sample.value] {
      contentHash = (contentHash ^ UInt64(bitPattern: word)) &* 0x100_0000_01B3
    }
  }
}
