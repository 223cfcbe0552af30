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
  /// Values that a kill cost, all within its commit window.
  public private(set) var lostToKills = 0
  /// Whole items of wearables that keep data.
  public private(set) var matchedItems = 0
  /// The same for the same content in the same order, over runs and machines (FNV-1a, 64 bits).
  public private(set) var contentHash: UInt64 = 0xCBF2_9CE4_8422_2325

  private struct Value {
    var time: Int64
    var value: Int64
    /// When it was delivered; only of the truth.
    var at = Instant(nanoseconds: 0)

    /// The store keeps live times in whole milliseconds, rounded down, the truth in whole microseconds of the clock.
    func matches(_ other: Value) -> Bool { value == other.value && (-1...1000).contains(other.time - time) }
  }

  /// The wall clock aligns truth and store. If it is stepped, what waits for the disk at that moment must be there before.
  @LoopActor
  public init(_ samples: [StoredSample], _ hub: SimulatedHub) {
    let addresses = hub.addresses()
    // A wearable that was forgotten and enrolled again has another number; the numbers grow with time.
    var ids: [BluetoothAddress: [WearableID]] = [:]
    for (id, address) in addresses.sorted(by: { $0.key.number < $1.key.number }) { ids[address, default: []].append(id) }
    var stored: [WearableID: [UInt16: [Value]]] = [:]
    var next: [RingID: UInt64] = [:]
    var raw: [WearableID: [[UInt8]]] = [:]
    for sample in samples {
      absorb(sample)
      let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
      let ordinal = next[ring] ?? sample.ordinal
      // An item of many bytes has several places, and is given under its last.
      if sample.series.layout.hasBytes ? sample.ordinal < ordinal : sample.ordinal != ordinal { report("ring \(ring): ordinal \(sample.ordinal), \(ordinal) was next") }
      next[ring] = sample.ordinal + 1
      if sample.series == .raw { raw[sample.wearable, default: []].append(sample.bytes) }
      stored[sample.wearable, default: [:]][sample.series.id, default: []].append(Value(time: sample.time.microseconds, value: sample.value))
    }
    for strap in hub.world.straps {
      var series: [UInt16: [Value]] = [:]
      var isPurged = false
      for id in ids[strap.address] ?? [] {
        for (kind, values) in stored.removeValue(forKey: id) ?? [:] { series[kind, default: []] += values }
        if hub.watch.purged.contains(id) { isPurged = true }
      }
      if !strap.hasExactTruth || isPurged { continue }
      let expected = Self.expectation(strap.truth)
      for kind in Series.all {
        compare(expected[kind.id] ?? [], series[kind.id] ?? [], "\(strap.traits.name) \(kind.name)", isBattery: kind == .battery, strap.truth, hub.watch)
      }
    }
    for wearable in hub.world.peripherals where wearable.isOwedVisits {
      for id in ids[wearable.address] ?? [] {
        stored[id] = nil
        compare(wearable.everHeld, raw[id] ?? [], wearable.label)
      }
    }
    if !stored.isEmpty { report("\(stored.count) wearables in the store that nobody wears") }
  }

  /// What the store owes a strap, by the rules of the Heart Rate Service and not by the driver's code: without contact, or at 0 bpm, rate
  /// and intervals are no measurement; an energy counter at its end says nothing.
  private static func expectation(_ truth: GroundTruth) -> [UInt16: [Value]] {
    var rates: [Value] = [], intervals: [Value] = [], energies: [Value] = []
    for entry in truth.entries {
      let time = entry.time.microseconds, at = entry.at
      if entry.hasEnergy, entry.energy != 65_535 { energies.append(Value(time: time, value: Int64(entry.energy), at: at)) }
      guard entry.hasContact, entry.rate > 0 else { continue }
      rates.append(Value(time: time, value: Int64(entry.rate), at: at))
      for interval in truth.intervals(of: entry) { intervals.append(Value(time: time, value: Int64(interval), at: at)) }
    }
    let batteries = truth.batteries.map { Value(time: $0.time.microseconds, value: Int64($0.percent), at: $0.at) }
    return [Series.heartRate.id: rates, Series.rrInterval.id: intervals, Series.energyExpended.id: energies, Series.battery.id: batteries]
  }

  @LoopActor
  private mutating func compare(_ expected: [Value], _ stored: [Value], _ what: String, isBattery: Bool, _ truth: GroundTruth, _ watch: HubWatch) {
    var next = stored.startIndex
    // A kill costs the tail of what came before it: after the first lost value nothing until the kill may have been kept.
    var lostUntil = Instant(nanoseconds: .min)
    for (index, value) in expected.enumerated() {
      if next < stored.endIndex, stored[next].matches(value) {
        next += 1
        matched += 1
        if value.at <= lostUntil { report("\(what): \(value.value) at \(value.time) was kept, and an earlier one was not") }
      } else if isBattery, truth.batteries[index].wasRead {
        continue  // a read may also be the hub's proof that a link lives, and need not be kept
      } else if let kill = watch.kills.first(where: { value.at <= $0.at && $0.at - value.at <= $0.window }) {
        lostToKills += 1
        lostUntil = kill.at
      } else {
        let found = next < stored.endIndex ? "\(stored[next].value) at \(stored[next].time)" : "the end"
        return report("\(what): \(value.value) at \(value.time) was delivered (no. \(index) of \(expected.count)), the store has \(found)")
      }
    }
    if next < stored.endIndex { report("\(what): the store has \(stored[next].value) at \(stored[next].time), which was never delivered") }
  }

  /// Whole items, piece by piece: each is something that the wearable held, and none is there twice.
  private mutating func compare(_ held: [HeldContent], _ pieces: [[UInt8]], _ what: String) {
    var taken = held.map { content in content.map { _ in false } }
    var position = 0
    while position < pieces.count {
      guard let match = RawItems.match(pieces[position...], held, taken) else {
        let isDoubled = RawItems.match(pieces[position...], held, held.map { content in content.map { _ in false } }) != nil
        return report("\(what): \(pieces[position].count) bytes in the store (piece \(position)) \(isDoubled ? "are there twice" : "were never held")")
      }
      for part in match.parts { taken[match.content][part] = true }
      position += match.pieces
      matchedItems += 1
    }
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
