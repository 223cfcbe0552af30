// Check of trainings that the hub itself detected from live heart rates. No wearable sent them, so they are checked for
// consistency.

import EventLoop
import Health
import RingStore
import Vitals

/// Checks the hub's own items in a store: each training exists once, with its record, and does not overlap another of
/// its wearable.
struct HubTrainings {
  private struct Training {
    let at: Instant
    let time: WallTime
    var length: Duration?
  }

  private var all: [WearableID: [Training]] = [:]

  /// Whether the hub itself made the sample; no wearable sends such series live.
  static func isHubs(_ sample: StoredSample) -> Bool {
    sample.way == .live && (sample.series == .training || sample.series == .measurement)
  }

  mutating func add(_ sample: StoredSample) {
    if sample.series == .training {
      all[sample.wearable, default: []].append(Training(at: sample.monotonic, time: sample.time, length: nil))
    } else if sample.value == TrainingRecord.kind, let record = try? TrainingRecord(sample.bytes) {
      // Ring chunks store a time to 10 ms.
      let place = all[sample.wearable]?.lastIndex {
        $0.length == nil && ($0.time - sample.time) <= .milliseconds(20) && (sample.time - $0.time) <= .milliseconds(20)
      }
      if let place { all[sample.wearable]?[place].length = .microseconds(record.length) }
    }
  }

  /// - Parameter kills: number of kills of the hub: each may at worst come between a training and its record.
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
