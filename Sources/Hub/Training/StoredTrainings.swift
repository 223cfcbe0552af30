// A training as it is stored.

import EventLoop
import Health
import Reasons
import RingStore
import Vitals

extension HubContext {
  /// Writes a training at its begin.
  func store(_ summary: TrainingResult, of wearable: EnrolledWearable) {
    func whole(_ value: Double?) -> Int64 { Int64((value ?? 0).rounded()) }
    let values: [Int64] = [
      0, 0, summary.active / 1_000_000, 0, whole(summary.kilocalories), whole(summary.meanRate),
      Int64(summary.highestRate ?? 0),
    ]
    let flags = SampleFlags(origin: .live, isManual: summary.origin == .ordered)
    let begin = Instant(microseconds: summary.begin)
    let record = TrainingRecord(summary).bytes
    do throws(HearthError) {
      try store.append(.training, values, of: wearable.id, flags: flags, at: begin)
      try store.append(
        .measurement, [TrainingRecord.kind], record, of: wearable.id, flags: flags, at: begin)
    } catch { logger.error("\(error)") }
  }
}
