// Values that the store must contain for a health sensor, from its ledger and the test's conversion of numbers.

import EventLoop
import Health
import Simulation

extension DeliveryLedger {
  @LoopActor
  func liveTruth(by expectation: @LoopActor (Fact, Delivery) -> (kind: Series, value: Int64)?) -> LiveTruth {
    var told: [Series: [LiveTruth.Value]] = [:]
    var seen: Set<UInt64> = []
    var last: Instant?
    for delivery in deliveries where delivery.wasDelivered && [.good, .doubtful].contains(delivery.worth) {
      guard let at = delivery.deliveredAt, let time = delivery.deliveredTime else { continue }
      // A value is sent again if its confirmation was lost.
      if delivery.reading > 0, !seen.insert(delivery.reading).inserted { continue }
      if delivery.reading > 0 { last = at }
      let isProof = delivery.reading == 0 && delivery.isStored
      for fact in delivery.facts {
        guard let (kind, value) = expectation(fact, delivery) else { continue }
        told[kind, default: []].append(LiveTruth.Value(time: time, at: at, value: value, isOptional: isProof))
      }
    }
    let series = told.sorted { $0.key.id < $1.key.id }.map { (kind: $0.key, values: $0.value) }
    return LiveTruth(all: series, lastAt: last)
  }
}
