import EventLoop
import Health
import Hub
import Simulation
import StrapTwin
import Testing

@Suite("Health sensors among the whole hub")
struct SensorHouseTests {
  /// What a store keeps of an oximeter: whole percents, tenths of a beat, hundredths of the index.
  private static func oximetry(_ fact: Fact, _ delivery: Delivery) -> (kind: Series, value: Int64)? {
    switch fact.quantity {
    case .oxygenSaturation: (.spo2, fact.value.rounded())
    case .pulseRate: (.pulseRate, fact.value.rounded(scale: 10))
    case .pulseAmplitude: (.pulseAmplitudeIndex, fact.value.rounded(scale: 100))
    case .battery: (.battery, fact.value.rounded())
    default: nil
    }
  }

  @Test("a sensor's ledger and the store agree, value by value", arguments: [false, true])
  func agreement(_ isRude: Bool) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 950)
      let sensor = world.addSpotOximeter { traits in
        traits.hasContinuous = true
        traits.recording.isRecording = false
        guard isRude else { return }
        traits.sensor.conduct.truncated = 0.2
        traits.sensor.conduct.wrongFlags = 0.2
        traits.sensor.conduct.trailing = 0.2
        traits.sensor.conduct.hangsUpAfter = 300
      }
      sensor.expectation = Self.oximetry
      let hub = SimulatedHub(world)
      try await hub.start(enrolling: [("oximeter", sensor, "heart-rate", "oximeter")])
      try await loop.sleep(for: .seconds(1800))
      #expect(isRude ? sensor.ledger.links > 3 : sensor.isHeard)
      #expect((sensor.ledger.count(.malformed) > 100) == isRude)
      await hub.stop()
      try await judge(hub, "SensorHouseTests")
      let verdict = SensorVerdict(expects: { delivery in
        delivery.facts.compactMap { Self.oximetry($0, delivery) }.map { (kind: $0.kind, values: [$0.value]) }
      })
      #expect(try await verdict.judge(hub, sensor) > 2000)
      #expect(sensor.ledger.faults.isEmpty)
    }
  }

  @Test("a ward around it costs a hub no value, whatever of it the hub serves")
  func ward() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: seedFromEnvironment ?? 951, faults: .gym)
      let ward = world.addWard(beds: 4, .gym, conduct: .rude)
      let hub = SimulatedHub(world)
      try await hub.start(
        enrolling: ward.oximeters.enumerated().map { ("oximeter-\($0.offset)", $0.element, "heart-rate", "oximeter") })
      try await loop.sleep(for: .seconds(10_800))
      await hub.stop()
      try await judge(hub, "SensorHouseTests")
      #expect(ward.sensors.allSatisfy { $0.ledger.links == 0 })
    }
  }
}
