// The store against what really happened: every delivered value exactly once, in order, and nothing else.

import Bluetooth
public import EventLoop
import Health
public import RingStore

/// The outcome of comparing a store with the ground truth.
public struct StoreCheck: Sendable {
  /// What is wrong, at most twenty lines.
  public private(set) var violations: [String] = []
  /// Values that are where they should be.
  public private(set) var matched = 0
  /// Values that each kill cost, all within its commit window.
  public private(set) var losses: [(at: Instant, count: Int)] = []
  public var lostToKills: Int { losses.reduce(0) { $0 + $1.count } }
  /// Live values that are in the store by a clock of a moment ago: the hub's clock was stepped there and back, and what
  /// was left of it is below what the store takes for a clock that is slewed. One entry for each such pair of clocks of
  /// a series, with what they differ by, µs.
  public private(set) var slewed: [(what: String, microseconds: Int64, count: Int)] = []
  /// Whole items of wearables that keep data.
  public private(set) var matchedItems = 0
  /// The same for the same content in the same order, over runs and machines (FNV-1a, 64 bits).
  public private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325

  private struct Value {
    var time: Int64
    var value: Int64
    /// When it was delivered, on a clock that nobody steps.
    var at: Instant
    /// The hub may keep it and need not.
    var isOptional = false
    /// It was measured so long before, µs.
    var delay: Int64 = 0

    /// The store keeps live times in whole milliseconds, rounded down, the truth in whole microseconds of the clock.
    /// Both clocks must agree: one was stepped, and what lay between two steps back is there twice by it.
    func matches(_ other: Value) -> Bool {
      value == other.value && differences(other).allSatisfy { (-1...1000).contains($0) }
    }

    /// µs, by both clocks.
    private func differences(_ other: Value) -> [Int64] {
      [other.time - time, (other.at.nanoseconds - at.nanoseconds) / 1000].map { $0 - other.delay + delay }
    }

    /// Civil time less monotonic time, µs.
    var offset: Int64 { time - at.nanoseconds / 1000 }

    /// The store gives chunks one offset between the two clocks, which is within 10 ms for every item (FORMAT.md, "ring
    /// chunks"). One of the two clocks may be off by that then, and the offset is one that the hub's clock really had.
    ///
    /// - Parameter offsets: of what was delivered before.
    func matches(_ other: Value, by offsets: [Int64]) -> Bool {
      let differences = differences(other)
      guard value == other.value, differences.contains(where: { (-1...1000).contains($0) }),
        differences.allSatisfy({ (-10_000...11_000).contains($0) })
      else { return false }
      return offsets.contains { abs($0 - offset) <= 2 }
    }

    /// For people: what a value that looks alike is off by the clock that nobody steps.
    func difference(_ stored: Value) -> String {
      guard value == stored.value, !stored.matches(self) else { return "" }
      return " and \(differences(stored)[1]) us off by the clock that nobody steps"
    }
  }

  /// What the store has of one wearable under one enrolment.
  private struct Kept {
    /// By series.
    var live: [UInt16: [Value]] = [:]
    var items: [[UInt8]] = []
    var fetched = 0
  }

  /// Civil time and the clock that nobody steps align truth and store, value by value.
  ///
  /// - Parameter others: wearables that somebody else judges.
  @LoopActor
  public init(_ samples: [StoredSample], _ hub: SimulatedHub, besides others: [VirtualPeripheral] = []) {
    let addresses = hub.addresses()
    // A wearable that was forgotten and enrolled again has another number; the numbers grow with time.
    var ids: [BluetoothAddress: [WearableID]] = [:]
    for (id, address) in addresses.sorted(by: { $0.key.number < $1.key.number }) {
      ids[address, default: []].append(id)
    }
    var stored: [WearableID: Kept] = [:]
    var next: [RingID: UInt64] = [:]
    // They come in the order of rings: all trainings before all records.
    var own = HubTrainings()
    for sample in samples {
      absorb(sample)
      let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
      let ordinal = next[ring] ?? sample.ordinal
      // An item of many bytes has several places, and is given under its last.
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
        // Both would be held against the same values.
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

  /// Those that were delivered in the time of one enrolment.
  private static func values(_ values: [LiveTruth.Value], _ begin: Instant, _ end: Instant) -> [Value] {
    values.filter { $0.at > begin && $0.at <= end }.map {
      Value(
        time: $0.time.microseconds, value: $0.value, at: $0.at, isOptional: $0.isOptional, delay: $0.delay)
    }
  }

  /// A purge leaves what is in the newest chunk of the journal at that moment, which is the live values of one commit
  /// window, and nothing else.
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
    // A kill costs the tail of what came before it: after the first lost value nothing until the kill may have been
    // kept.
    var lostUntil = Instant(nanoseconds: .min)
    /// What the hub's clock was ahead of the monotonic one by, each once, µs.
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

  /// Whole items, piece by piece: each is something that the wearable held, and none is there twice.
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
