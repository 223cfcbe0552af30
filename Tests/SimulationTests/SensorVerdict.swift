// Compares a store with the ledger of one health sensor, if values have times of their own, or were stored by the
// sensor.

import EventLoop
import Hub
import RingStore
import Simulation
import StrapTwin
import Testing

@testable import Health

/// How a store is held against the ledger of a sensor.
struct SensorVerdict {
  /// Stored items of one delivery: empty, or an item of each of some series.
  var expects: @LoopActor (Delivery) -> [(kind: Series, values: [Int64])]
  /// How far a stored time may be from when it was measured.
  var tolerance = Duration.seconds(1)
  /// The time of measurement by the wall clock, as far as a hub can know; nil: the true time. A sensor with a wrong,
  /// unreadable clock has no better time than the one that it shows.
  var time: (@LoopActor (Delivery) -> WallTime)?
  /// The hub was killed: what it had not confirmed may be missing.
  var mayMissUnconfirmed = false

  /// Every good measurement that was delivered is in the store once, a doubtful one at most once, and no other values
  /// are in those series.
  @LoopActor
  @discardableResult
  func judge(_ hub: SimulatedHub, _ sensor: HealthTwin, sourceLocation: SourceLocation = #_sourceLocation)
    async throws -> Int
  {
    let mine = Set(hub.addresses().filter { $0.value == sensor.address }.map(\.key))
    var left = try await hub.storedSamples().filter { mine.contains($0.wearable) }
    let readings = sensor.ledger.readings(worth: [.good, .doubtful])
    let confirmed = sensor.ledger.confirmed
    var series: Set<Series> = []
    var (matched, missing) = (0, [String]())
    for delivery in readings {
      let moment = time?(delivery) ?? sensor.time(of: delivery.takenAt)
      for (kind, values) in expects(delivery) {
        series.insert(kind)
        let found = left.firstIndex { sample in
          sample.series == kind && (sample.values.isEmpty ? [sample.value] : sample.values) == values
            && abs((sample.time - moment).inSeconds) <= tolerance.inSeconds
        }
        if let found {
          left.remove(at: found)
          matched += 1
        } else if delivery.worth == .good, !mayMissUnconfirmed || confirmed.contains(delivery.reading) {
          missing.append("\(kind.name) \(values) of \(moment.microseconds) (measurement \(delivery.reading))")
        }
      }
    }
    let extra = left.filter { series.contains($0.series) && $0.series != .battery }.map {
      "\($0.series.name) \($0.values.isEmpty ? [$0.value] : $0.values) of \($0.time.microseconds)"
    }
    #expect(missing.isEmpty, "missing: \(missing.prefix(5)), \(missing.count) in all", sourceLocation: sourceLocation)
    #expect(
      extra.isEmpty, "in the store alone: \(extra.prefix(5)), \(extra.count) in all", sourceLocation: sourceLocation)
    #expect(matched > 0, "nothing was compared", sourceLocation: sourceLocation)
    return matched
  }
}

extension SensorVerdict {
  /// What a store keeps of a cuff: hundredths of a mmHg. The measurement, not the rising pressure before it.
  @LoopActor
  static func pressures(_ delivery: Delivery) -> [(kind: Series, values: [Int64])] {
    guard delivery.characteristic == 0x2A35 else { return [] }
    return delivery.facts.compactMap { fact in
      switch fact.quantity {
      case .systolic: (.systolicPressure, [fact.value.rounded(scale: 100)])
      case .diastolic: (.diastolicPressure, [fact.value.rounded(scale: 100)])
      default: nil
      }
    }
  }
}
