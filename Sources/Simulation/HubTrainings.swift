// Trainings that the hub itself made of live heart rates: no wearable told them, so they are held against each other.

import EventLoop
import Health
import RingStore
import Vitals

/// Holds the hub's own items of a store against what it promises of them: each training is there once, with its record,
/// and none overlaps another of its wearable.
struct HubTrainings {
  private struct Training {
    let at: Instant
    let time: WallTime
    var length: Duration?
  }

  private var all: [WearableID: [Training]] = [:]

  /// What the hub makes itself, and no wearable sends live.
  static func isHubs(_ sample: StoredSample) -> Bool {
    sample.way == .live && (sample.series == .training || sample.series == .measurement)
  }

  mutating func add(_ sample: StoredSample) {
    if sample.series == .training {
      all[sample.wearable, default: []].append(Training(at: sample.monotonic, time: sample.time, length: nil))
    } else if sample.value == EffortRecord.kind, let record = try? EffortRecord(sample.bytes) {
      // Ring chunks keep a time to 10 ms.
      let place = all[sample.wearable]?.lastIndex {
        $0.length == nil && ($0.time - sample.time) <= .milliseconds(20) && (sample.time - $0.time) <= .milliseconds(20)
      }
      if let place { all[sample.wearable]?[place].length = .microseconds(record.length) }
    }
  }

  /// - Parameter kills: when the hub was killed: between a training and its record, at worst.
  func faults(kills: Int) -> [String] {
    var faults: [String] = []
    var bare = 0
    for (wearable, trainings) in all.sorted(by: { $0.key.number < $1.key.number }) {
      bare += trainings.count { $0.length == nil }
      let sorted = trainings.sorted { $0.at < $1.at }
      for (first, second) in zip(sorted, sorted.dropFirst()) {
        if first.at + (first.length ?? .seconds(1)) <= second.at + .milliseconds(20) { continue }
        faults.append("wearable \(wearable.number): the training at \(second.time) lies over the one at \(first.time)")
      }
    }
    if bare > kills { faults.append("\(bare) trainings have no record, after \(kills) kills") }
    return faults
  }
}
