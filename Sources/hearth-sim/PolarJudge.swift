// The store against what Polar's twins measured: every value once, at its time, under who wore it.

import Bluetooth
import EventLoop
import Health
import PolarTwin
import RingStore
import Simulation

@LoopActor
struct PolarJudge {
  /// At most twenty.
  private(set) var violations: [String] = []
  /// Values that are where they should be.
  private(set) var matched = 0
  /// Those of them that were fetched.
  private(set) var recorded = 0
  private(set) var lostToKills = 0
  /// Of fetched values, nanoseconds.
  private(set) var worstError: Int64 = 0
  private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// How far a fetched value's time may be from when it was measured, ns.
  static let bound: Int64 = 100_000_000
  /// Of a clock that was not read yet, parts per million.
  static let unknownDrift: Int64 = 25
  /// The store keeps live times in whole milliseconds, rounded down, the truth in whole microseconds: µs.
  private static let liveStep: Int64 = 1000

  private let hub: SimulatedHub
  private let wallSteps: [(at: Instant, total: Int64)]

  init(_ hub: SimulatedHub, _ wallSteps: [(at: Instant, total: Int64)]) {
    self.hub = hub
    self.wallSteps = wallSteps
  }

  private struct Stored {
    /// µs of the hub's clock.
    let time: Int64
    let value: Int64
  }

  mutating func judge(_ guest: PolarGuest, _ worn: [(from: Instant, wearer: WearerID?)]) async throws {
    guard let wearable = hub.store.wearables.first(where: { $0.name == guest.name })?.id else { return report("\(guest.name) is not enrolled any more") }
    var truth = PolarTruth(guest.twin, today: guest.twin.today).series
    for series in Series.all where series != .raw && series != .battery {
      let (fetched, live) = try await read(wearable, series)
      compare(truth.removeValue(forKey: series.id) ?? [], fetched, "\(guest.name) \(series.name)", firstRead: guest.twin.firstLinkAt?.nanoseconds ?? .max, wearable, worn)
      if series == .heartRate { compareLive(guest.twin.beats.map { ($0, Int64($0.rate)) }, live, "\(guest.name) live \(series.name)") }
      if series == .rrInterval {
        compareLive(guest.twin.beats.filter { $0.interval > 0 }.map { ($0, Int64($0.interval)) }, live, "\(guest.name) live \(series.name)")
      }
    }
  }

  /// In the order of time; live ones in the order in which they came.
  private mutating func read(_ wearable: WearableID, _ series: Series) async throws -> (fetched: [Stored], live: [Stored]) {
    var fetched: [Stored] = [], live: [Stored] = []
    let session = try await hub.store.export(SampleQuery(wearables: [wearable], series: [series]))
    while let page = try await session.next(limit: 10_000) {
      for sample in page.samples {
        let time = sample.time.microseconds
        guard sample.origin == .fetched else {
          live.append(Stored(time: time, value: sample.value))
          continue
        }
        if case .waveform(let components) = series.layout {
          guard let wave = Waveform(start: time, period: sample.values[0], count: sample.values[1], encoding: sample.values[2], bytes: sample.bytes),
            let numbers = wave.numbers(components: components.count)
          else {
            report("\(series.name): a waveform that is none")
            continue
          }
          for index in 0..<wave.count {
            fetched.append(Stored(time: wave.time(of: index), value: folded(numbers[index * components.count..<(index + 1) * components.count].lazy.map { Int64($0) })))
          }
        } else {
          fetched.append(Stored(time: time, value: folded(sample.values.isEmpty ? [sample.value] : sample.values)))
        }
      }
    }
    for sample in fetched + live { absorb(sample) }
    fetched.sort { ($0.time, $0.value) < ($1.time, $1.value) }
    return (fetched, live)
  }

  // MARK: Fetched

  private mutating func compare(
    _ truth: [TrueValue], _ stored: [Stored], _ what: String, firstRead: Int64, _ wearable: WearableID, _ worn: [(from: Instant, wearer: WearerID?)]
  ) {
    var taken = [Bool](repeating: false, count: stored.count)
    var missing = 0, strange = 0, others = 0
    var example = ""
    for value in truth {
      guard let (place, error) = find(value, stored, taken, firstRead: firstRead) else {
        if missing == 0 { example = "measured at \(value.from / 1_000_000_000) s, \(nearest(value, stored))" }
        missing += 1
        continue
      }
      taken[place] = true
      matched += 1
      recorded += 1
      if value.from >= firstRead { worstError = max(worstError, error) }
      if !isRightWearer(value, stored[place], wearable, worn) { others += 1 }
    }
    strange = taken.count { !$0 }
    if missing > 0 { report("\(what): \(missing) of \(truth.count) values are not in the store at their time (\(stored.count) are there); the first was \(example)") }
    if strange > 0, missing == 0 { report("\(what): \(strange) of \(stored.count) values in the store were never measured, or are there twice") }
    if others > 0 { report("\(what): \(others) values are under another wearer") }
  }

  /// For people: where the same value is that is nearest in time.
  private func nearest(_ value: TrueValue, _ stored: [Stored]) -> String {
    let wall = value.from / 1000 + offset(at: value.from)
    let same = stored.filter { $0.value == value.value }.min { abs($0.time - wall) < abs($1.time - wall) }
    return same.map { "the same value is \(Double($0.time - wall) / 1_000_000) s off" } ?? "no such value is there"
  }

  private func offset(at moment: Int64) -> Int64 { wallSteps.last { $0.at.nanoseconds <= moment }?.total ?? wallSteps[0].total }

  /// The one of the same value whose time is nearest within the bound: by the hub's clock as it was then, or was set later, before it was fetched.
  ///
  /// - Parameter firstRead: before it nobody knew how fast the wearable's clock goes; each second further back may be a little more wrong.
  private func find(_ value: TrueValue, _ stored: [Stored], _ taken: [Bool], firstRead: Int64) -> (place: Int, error: Int64)? {
    let bound = (Self.bound + max(0, firstRead - value.from) / 1_000_000 * Self.unknownDrift) / 1000
    var best: (place: Int, error: Int64)?
    // A strap's exercise is timed by the clock as it was when it began.
    let first = max(0, (wallSteps.lastIndex { $0.at.nanoseconds <= value.from } ?? 0) - 1)
    for step in wallSteps[first...] {
      let (from, to) = (value.from / 1000 + step.total, value.to / 1000 + step.total)
      var (low, high) = (0, stored.count)
      while low < high {
        let middle = (low + high) / 2
        if stored[middle].time < from - bound { low = middle + 1 } else { high = middle }
      }
      while low < stored.count, stored[low].time <= to + bound {
        let time = stored[low].time
        if stored[low].value == value.value, !taken[low] {
          let error = max(0, from - time, time - to) * 1000
          if best.map({ error < $0.error }) ?? true { best = (low, error) }
        }
        low += 1
      }
      if best != nil { return best }
    }
    return best
  }

  /// Near a change of wearers it may be either's: as near as the time may be wrong, and the hub's own clock was stepped.
  private func isRightWearer(_ value: TrueValue, _ stored: Stored, _ wearable: WearableID, _ worn: [(from: Instant, wearer: WearerID?)]) -> Bool {
    let kept = hub.store.wearer(of: wearable, at: WallTime(microseconds: stored.time))
    let totals = wallSteps.map(\.total)
    let slack = Self.bound + ((totals.max() ?? 0) - (totals.min() ?? 0)) * 1000 + (value.to - value.from)
    func wearer(at moment: Int64) -> WearerID? { worn.last { $0.from.nanoseconds <= moment }?.wearer }
    return [value.from - slack, value.from, value.to + slack].contains { wearer(at: $0) == kept }
  }

  // MARK: Live

  /// What reached the hub, in that order; a kill costs the end of what came before it.
  private mutating func compareLive(_ beats: [(beat: PolarBeat, value: Int64)], _ stored: [Stored], _ what: String) {
    var next = stored.startIndex
    for (beat, value) in beats {
      let time = beat.wall.microseconds
      if next < stored.endIndex, stored[next].value == value, (-1...Self.liveStep).contains(time - stored[next].time) {
        next += 1
        matched += 1
      } else if hub.watch.kills.contains(where: { beat.at <= $0.at && $0.at - beat.at <= $0.window }) {
        lostToKills += 1
      } else {
        let found = next < stored.endIndex ? "\(stored[next].value) at \(stored[next].time)" : "the end"
        return report("\(what): \(value) at \(time) was delivered, the store has \(found)")
      }
    }
    if next < stored.endIndex { report("\(what): the store has \(stored.count - next) values that were never delivered") }
  }

  private mutating func report(_ what: String) {
    if violations.count < HubWatch.violationLimit { violations.append(what) }
  }

  private mutating func absorb(_ sample: Stored) {
    for word in [sample.time, sample.value] { contentHash = (contentHash ^ UInt64(bitPattern: word)) &* 0x100_0000_01B3 }
  }
}
