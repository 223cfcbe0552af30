// Comparison of the store with the ground truth: every delivered value exactly once, in order, and no others.

import Bluetooth
public import EventLoop
import Health
public import RingStore

/// Result of comparing a store with the ground truth.
public struct StoreCheck: Sendable {
  /// Violations, at most twenty lines.
  public private(set) var violations: [String] = []
  /// Number of values found as expected.
  public private(set) var matched = 0
  /// Values lost by each kill, all within its commit window.
  public private(set) var losses: [(at: Instant, count: Int)] = []
  /// Number of values lost because the hub was killed.
  public var lostToKills: Int { losses.reduce(0) { $0 + $1.count } }
  /// Live values stored with a slightly old clock offset. The hub's clock was stepped there and back, and the remaining
  /// difference was small enough for the store to take it for slewing. One entry for each such pair of clocks of a
  /// series, with their difference, µs.
  public private(set) var slewed: [(what: String, microseconds: Int64, count: Int)] = []
  /// Whole items of wearables that store data.
  public private(set) var matchedItems = 0
  /// Equal for the same content in the same order, over runs and machines (FNV-1a, 64 bits).
  public private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325

  private struct Value {
    var time: Int64
    var value: Int64
    /// Time of delivery on the monotonic clock.
    var at: Instant
    /// Whether the hub may keep it but need not.
    var isOptional = false
    /// Time between its measurement and its delivery, µs.
    var delay: Int64 = 0

    /// The store has live times in whole milliseconds, rounded down; the truth has whole microseconds of the clock.
    /// Both clocks must agree: when the wall clock was stepped back, times between two steps occur twice on it.
    func matches(_ other: Value) -> Bool {
      value == other.value && differences(other).allSatisfy { (-1...1000).contains($0) }
    }

    /// µs, by both clocks.
    private func differences(_ other: Value) -> [Int64] {
      [other.time - time, (other.at.nanoseconds - at.nanoseconds) / 1000].map { $0 - other.delay + delay }
    }

    /// Wall clock minus monotonic clock, µs.
    var offset: Int64 { time - at.nanoseconds / 1000 }

    /// The store gives each chunk one offset between the two clocks, which is within 10 ms for every item (FORMAT.md,
    /// "ring chunks"). One of the two clocks may be off by that, but the offset must be a real one of the hub's clock.
    ///
    /// - Parameter offsets: offsets of values delivered before.
    func matches(_ other: Value, by offsets: [Int64]) -> Bool {
      let differences = differences(other)
      guard value == other.value, differences.contains(where: { (-1...1000).contains($0) }),
        differences.allSatisfy({ (-10_000...11_000).contains($0) })
      else { return false }
      return offsets.contains { abs($0 - offset) <= 2 }
    }

    /// Text for the report: difference to a similar value, by the monotonic clock.
    func difference(_ stored: Value) -> String {
      guard value == stored.value, !stored.matches(self) else { return "" }
      return " and \(differences(stored)[1]) us off by the clock that nobody steps"
    }
  }

  /// Stored data of one wearable under one enrolment.
  private struct Kept {
    /// Values by series.
    var live: [UInt16: [Value]] = [:]
    var items: [[UInt8]] = []
    var fetched = 0
  }

  /// Wall clock and monotonic clock align truth and store, value by value.
  ///
  /// - Parameter others: wearables that are checked elsewhere.
  @LoopActor
  public init(_ samples: [StoredSample], _ hub: SimulatedHub, besides others: [VirtualPeripheral] = []) {
    let addresses = hub.addresses()
    // A wearable that was removed and enrolled again has another number; the numbers grow with time.
    var ids: [BluetoothAddress: [WearableID]] = [:]
    for (id, address) in addresses.sorted(by: { $0.key.number < $1.key.number }) {
      ids[address, default: []].append(id)
    }
    var stored: [WearableID: Kept] = [:]
    var next: [RingID: UInt64] = [:]
    // Samples come in the order of rings: all trainings before all records.
    var own = HubTrainings()
    for sample in samples {
      absorb(sample)
      let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
      let ordinal = next[ring] ?? sample.ordinal
      // An item of many bytes has several ordinals, and is listed under the last one.
      if sample.series.layout.hasBytes ? sample.ordinal < ordinal : sample.ordinal != ordinal {
        report("ring \(ring): ordinal \(sample.ordinal), \(ordinal) was next")
      }
      next[ring] = sample.ordinal + 1
      if sample.series == .raw { stored[sample.wearable, default: Kept()].items.append(sample.bytes) }
      if HubTrainings.isHubs(sample) {
        own.add(sample)
        if stored[sample.wearable] == nil { stored[sample.wearable] = Kept() }
      } else if sample.way == .live {
        let value = Value(time: sample.time.microseconds, value: sample.value, at: sample.monotonic)
        stored[sample.wearable, default: Kept()].live[sample.series.id, default: []].append(value)
      } else {
        stored[sample.wearable, default: Kept()].fetched += 1
      }
    }
    for fault in own.faults(kills: hub.watch.kills.count) { report(fault) }
    for wearable in hub.world.peripherals where wearable.isJudged && !wearable.isSpoiled {
      let truth = wearable.liveTruth
      var begin = Instant(nanoseconds: .min)
      let enrolments = ids[wearable.address] ?? []
      for (id, next) in zip(enrolments, enrolments.dropFirst().map(Optional.some) + [nil]) {
        let kept = stored.removeValue(forKey: id) ?? Kept()
        let end = hub.watch.forgotten[id] ?? Instant(nanoseconds: .max)
        // Otherwise both enrolments would be compared with the same values.
        if next != nil, hub.watch.forgotten[id] == nil {
          report("\(wearable.label) was enrolled twice, and nobody noted when it was forgotten")
        }
        if hub.watch.purged.contains(id) {
          comparePurged(kept, wearable.label, hub.options.commitEvery)
        } else if let truth, truth.isAll {
          if kept.fetched > 0 { report("\(wearable.label): \(kept.fetched) values that nobody can have fetched") }
          for kind in Series.all {
            let values = truth.series.first { $0.kind == kind }?.values ?? []
            compare(
              Self.values(values, begin, end), kept.live[kind.id] ?? [], "\(wearable.label) \(kind.name)", hub.watch)
          }
        } else if wearable.isOwedVisits {
          compare(wearable.everHeld, kept.items, wearable.label)
          for (kind, values) in truth?.series ?? [] {
            compare(
              Self.values(values, begin, end), kept.live[kind.id] ?? [], "\(wearable.label) \(kind.name)", hub.watch)
          }
        }
        begin = end
      }
      if let last = truth?.lastAt, last > begin { report("\(wearable.label) was listened to, and was not enrolled") }
    }
    for wearable in others + hub.world.peripherals.filter(\.isSpoiled) {
      for id in ids[wearable.address] ?? [] { stored.removeValue(forKey: id) }
    }
    if !stored.isEmpty { report("\(stored.count) wearables in the store that nobody wears") }
  }

  /// Values delivered during one enrolment.
  private static func values(_ values: [LiveTruth.Value], _ begin: Instant, _ end: Instant) -> [Value] {
    values.filter { $0.at > begin && $0.at <= end }.map {
      Value(
        time: $0.time.microseconds, value: $0.value, at: $0.at, isOptional: $0.isOptional, delay: $0.delay)
    }
  }

  /// A purge leaves the newest chunk of the journal, with live values of one commit window, and no other data.
  private mutating func comparePurged(_ kept: Kept, _ what: String, _ window: Duration) {
    if kept.fetched > 0 { report("\(what) was purged, and the store has \(kept.fetched) values that were fetched") }
    let left = Series.all.flatMap { kept.live[$0.id] ?? [] }.map(\.at)
    if let first = left.min(), let last = left.max(), last - first > window {
      report("\(what) was purged, and the store has \(left.count) live values")
    }
  }

  @LoopActor
  private mutating func compare(_ expected: [Value], _ stored: [Value], _ what: String, _ watch: HubWatch) {
    var next = stored.startIndex
    // A kill costs the last values before it: after the first lost value no later one may be stored until the kill.
    var lostUntil = Instant(nanoseconds: .min)
    /// Distinct offsets of the hub's clock to the monotonic one, µs.
    var offsets: [Int64] = []
    for (index, value) in expected.enumerated() {
      if offsets.last.map({ abs($0 - value.offset) > 1 }) ?? true { offsets.append(value.offset) }
      let isExact = next < stored.endIndex && stored[next].matches(value)
      if isExact || next < stored.endIndex && stored[next].matches(value, by: offsets) {
        if !isExact { note(slewed: what, by: stored[next].offset - value.offset) }
        next += 1
        matched += 1
        if value.at <= lostUntil {
          report("\(what): \(value.value) at \(value.time) was kept, and an earlier one was not")
        }
      } else if value.isOptional {
        continue
      } else if let kill = watch.kills.first(where: { value.at <= $0.at && $0.at - value.at <= $0.window }) {
        if let place = losses.firstIndex(where: { $0.at == kill.at }) {
          losses[place].count += 1
        } else {
          losses.append((kill.at, 1))
        }
        lostUntil = kill.at
      } else {
        let found =
          next < stored.endIndex
          ? "\(stored[next].value) at \(stored[next].time)\(value.difference(stored[next]))" : "the end"
        return report(
          """
          \(what): \(value.value) at \(value.time) was delivered (no. \(index) of \(expected.count)), the store has \
          \(found)
          """
        )
      }
    }
    if next < stored.endIndex {
      report("\(what): the store has \(stored[next].value) at \(stored[next].time), which was never delivered")
    }
  }

  /// Whole items, piece by piece: each must have been on the wearable, and may occur only once.
  private mutating func compare(_ held: [HeldContent], _ pieces: [[UInt8]], _ what: String) {
    var taken = held.map { content in content.map { _ in false } }
    var position = 0
    while position < pieces.count {
      guard let match = RawItems.match(pieces[position...], held, taken) else {
        let isDoubled =
          RawItems.match(pieces[position...], held, held.map { content in content.map { _ in false } }) != nil
        return report(
          """
          \(what): \(pieces[position].count) bytes in the store (piece \(position)) \
          \(isDoubled ? "are there twice" : "were never held")
          """
        )
      }
      for part in match.parts { taken[match.content][part] = true }
      position += match.pieces
      matchedItems += 1
    }
  }

  private mutating func note(slewed what: String, by microseconds: Int64) {
    guard let last = slewed.last, last.what == what, abs(last.microseconds - microseconds) <= 2 else {
      return slewed.append((what, microseconds, 1))
    }
    slewed[slewed.count - 1].count += 1
  }

  private mutating func report(_ what: String) {
    if violations.count < HubWatch.violationLimit { violations.append(what) }
  }

  private mutating func absorb(_ sample: StoredSample) {
    absorb(UInt64(sample.wearable.number))
    absorb(UInt64(sample.series.id))
    absorb(UInt64(bitPattern: sample.value))
    absorb(UInt64(bitPattern: sample.time.microseconds))
    absorb(UInt64(bitPattern: sample.monotonic.nanoseconds))
    absorb(sample.ordinal)
    absorb(UInt64(sample.origin.rawValue))
    for byte in sample.bytes { contentHash = (contentHash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  private mutating func absorb(_ value: UInt64) {
    var value = value
    for _ in 0..<8 {
      contentHash = (contentHash ^ value & 0xFF) &* 0x100_0000_01B3
      value >>= 8
    }
  }
}
