import Bluetooth
import EventLoop
import Simulation
import Testing

@testable import StrapTwin

/// How the twins behave on the air, with a client of a few lines in place of a hub.
@Suite("Virtual health sensors on the air")
struct SensorTwinTests {
  @LoopActor
  private func world(_ loop: any Loop, _ seed: UInt64) async throws -> (VirtualWorld, VirtualRadio) {
    let world = VirtualWorld(loop: loop, seed: seed)
    return (world, try await readyRadio(world, slots: 16))
  }

  /// What the client got is what the ledger says that was delivered, byte by byte and in order.
  @LoopActor
  private func expectAgreement(_ sensor: HealthTwin, _ client: SensorClient) {
    let told = sensor.ledger.deliveries.filter {
      $0.wasDelivered && ($0.characteristic != .batteryLevel || $0.reading > 0)
    }
    #expect(told.map(\.value) == client.values.map(\.bytes))
  }

  @Test("a thermometer measures at the ordered interval, sends the way there and indicates the end of it")
  func thermometer() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await world(loop, 60)
      let sensor = world.addThermometer { traits in
        traits.interval = 60
        traits.place = .fixed(9)
        traits.special = 0.2
        traits.isFahrenheit = true
      }
      let client = try await SensorClient.meet(sensor, radio)
      #expect(await client.read(.temperatureType) == [9])
      #expect(await client.read(.measurementInterval) == [60, 0])
      #expect(await client.write([4, 0], to: .measurementInterval) == 0x80)
      #expect(await client.write([10, 0], to: .measurementInterval) == nil && sensor.interval == 10)
      #expect(await client.subscribe(.temperatureMeasurement) == nil)
      #expect(await client.subscribe(.intermediateTemperature, 1) == nil)
      #expect(await client.subscribe(.measurementInterval) == nil)
      try await loop.sleep(for: .seconds(600))
      sensor.setInterval(0)
      try await loop.sleep(for: .seconds(60))
      #expect((55...60).contains(client.received(.temperatureMeasurement).count))
      #expect(client.received(.intermediateTemperature).count == 3 * client.received(.temperatureMeasurement).count)
      #expect(client.received(.measurementInterval) == [[0, 0]])
      expectAgreement(sensor, client)
      let finals = sensor.ledger.readings(of: .temperatureMeasurement)
      #expect(sensor.ledger.count(.nothing) > 3 && finals.allSatisfy { $0.confirmedAt != nil })
      #expect(finals.allSatisfy { (34.0...42.0).contains($0.fact(.temperature)?.approximate ?? 0) })
      #expect(sensor.ledger.faults == [.wroteNonsense] && sensor.kept.isEmpty)
    }
  }

  @Test("a cuff is silent until it is used, hands over unconfirmed readings, and hangs up ten seconds after")
  func cuff() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await world(loop, 61)
      let sensor = world.addCuff { traits in
        traits.keeping.measurements = 0
        traits.keeping.capacity = 3
        traits.failed = 0
      }
      var heard = 0
      radio.onAdvertisement = { _ in heard += 1 }
      try await loop.sleep(for: .seconds(60))
      #expect(heard == 0)
      for _ in 0..<5 {
        sensor.measureNow()
        try await loop.sleep(for: .seconds(40))
      }
      #expect(heard > 0 && !sensor.isAdvertising)
      // Two of five had no room.
      #expect(sensor.kept == [3, 4, 5] && sensor.ledger.overwritten == [1, 2])
      sensor.measureNow()
      let client = try await SensorClient.meet(sensor, radio)
      #expect(await client.read(.bloodPressureFeature) == [0x1F, 0])
      #expect(await client.subscribe(.bloodPressureMeasurement) == nil)
      let began = loop.now
      while !client.isClosed, loop.now - began < .seconds(60) { try await loop.sleep(for: .milliseconds(100)) }
      #expect((9.5...13).contains((loop.now - began).inSeconds) && sensor.link == nil && !sensor.isAdvertising)
      #expect(client.received(.bloodPressureMeasurement).count == 3)
      expectAgreement(sensor, client)
      #expect(sensor.ledger.confirmed == [4, 5, 6] && sensor.kept.isEmpty && sensor.ledger.faults.isEmpty)
    }
  }

  @Test("what a cuff has no confirmation of it keeps and sends again, whatever is to blame")
  func unconfirmed() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await world(loop, 62)
      let impatient = world.addCuff { $0.keeping.measurements = 0 }
      impatient.measureNow()
      let mute = try await SensorClient.meet(impatient, radio)
      mute.confirms = false
      await mute.subscribe(.bloodPressureMeasurement)
      try await loop.sleep(for: .seconds(40))
      #expect(mute.isClosed && impatient.ledger.faults == [.leftUnconfirmed] && impatient.kept == [1])
      impatient.measureNow()
      let good = try await SensorClient.meet(impatient, radio)
      await good.subscribe(.bloodPressureMeasurement)
      try await loop.sleep(for: .seconds(20))
      #expect(impatient.ledger.repeated == [1] && impatient.ledger.confirmed == [1, 2] && impatient.kept.isEmpty)

      let unlucky = world.addCuff { traits in
        traits.keeping.measurements = 0
        traits.sensor.conduct.lostConfirmations = 1
      }
      unlucky.measureNow()
      let client = try await SensorClient.meet(unlucky, radio)
      await client.subscribe(.bloodPressureMeasurement)
      try await loop.sleep(for: .seconds(5))
      #expect(client.isClosed && unlucky.kept == [1] && unlucky.ledger.confirmationsLost == 1)
      #expect(unlucky.ledger.readings(worth: [.good, .doubtful, .nothing]).map(\.reading) == [1])
    }
  }

  @Test("a foot pod counts over the end of its counter, and stands still between")
  func footPod() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await world(loop, 63)
      let sensor = world.addFootPod { $0.firstDistance = .max - 5000 }
      let client = try await SensorClient.meet(sensor, radio)
      #expect(await client.read(.runningFeature) == [7, 0])
      #expect(await client.read(.sensorLocation) == [1])
      await client.subscribe(.runningMeasurement, 1)
      try await loop.sleep(for: .seconds(1800))
      expectAgreement(sensor, client)
      let distances = sensor.ledger.readings().compactMap { $0.fact(.distance)?.rounded(scale: 10) }
      #expect(distances.count > 1700 && zip(distances, distances.dropFirst()).contains { $1 < $0 })
      #expect((distances.first ?? 0) > 4_294_960_000 && (distances.last ?? .max) < 100_000)
      let speeds = sensor.ledger.readings().compactMap { $0.fact(.speed)?.approximate }
      #expect(speeds.contains(0) && speeds.contains { $0 > 2.5 })
    }
  }

  @Test("a cycling sensor's counters and event times wrap, stop and go on, and give the same rates")
  func bikeSensor() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await world(loop, 64)
      let sensor = world.addBikeSensor { traits in
        traits.firstWheelRevolutions = .max - 20
        traits.firstCrankRevolutions = .max - 20
        traits.firstEvent = 65_000
      }
      let client = try await SensorClient.meet(sensor, radio)
      #expect(await client.read(.cyclingFeature) == [3, 0])
      await client.subscribe(.cyclingMeasurement, 1)
      try await loop.sleep(for: .seconds(1800))
      expectAgreement(sensor, client)
      let turns = sensor.ledger.readings().compactMap { $0.fact(.wheelRevolutions)?.numerator }
      #expect(zip(turns, turns.dropFirst()).contains { $1 < $0 } && zip(turns, turns.dropFirst()).contains { $1 == $0 })
      #expect(sensor.rates.count == turns.count - 1 && sensor.rates.contains { $0.crank == nil })
      let cadences = sensor.rates.compactMap { $0.crank?.approximate }
      #expect(cadences.count > 1000 && cadences.filter { (49...111).contains($0) }.count > cadences.count * 9 / 10)
    }
  }

  @Test("a scale sends weight and body of one weighing")
  func scale() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await world(loop, 65)
      let sensor = world.addScale { $0.keeping.measurements = 0 }
      sensor.measureNow()
      let client = try await SensorClient.meet(sensor, radio)
      #expect(await client.read(.weightFeature) == [0xBF, 0x01, 0, 0])
      #expect(await client.read(.bodyCompositionFeature) == [0xFF, 0xBF, 0x01, 0])
      await client.subscribe(.weightMeasurement)
      await client.subscribe(.bodyCompositionMeasurement)
      try await loop.sleep(for: .seconds(20))
      #expect(client.received(.weightMeasurement).count == 1 && client.received(.bodyCompositionMeasurement).count == 1)
      expectAgreement(sensor, client)
      let weights = sensor.ledger.readings().compactMap { $0.fact(.weight) }
      #expect(weights.count == 2 && weights[0] == weights[1] && (45...130).contains(weights[0].approximate))
      #expect(client.isClosed && sensor.kept.isEmpty)
    }
  }

  @Test("identity, power and time are read, and a clock that is set shows what it was set to")
  func common() throws {
    try VirtualLoop.run { loop in
      let (world, radio) = try await world(loop, 66)
      let sensor = world.addThermometer { traits in
        traits.sensor.hasBatteryStatus = true
        traits.sensor.clock.isServed = true
        traits.sensor.clock.state = .unset
        traits.hasTime = true
        traits.interval = 5
      }
      let client = try await SensorClient.meet(sensor, radio)
      #expect(await client.read(.systemIdentifier)?.count == 8)
      #expect(await client.read(.plugAndPlayIdentifier) == [1, 0xFF, 0xFF, 0x34, 0x12, 0, 1])
      #expect(await client.read(0x2A19) == [77])
      #expect(await client.read(.batteryLevelStatus) == [2, 0xC1, 0, 77])
      #expect(await client.read(.currentTime)?.prefix(4) == [0xD0, 0x07, 1, 1])
      #expect(await client.write(hexBytes("EA070D01071E0F070000"), to: .currentTime) == 0x80)
      #expect(await client.write(hexBytes("EA070301071E0F078001"), to: .currentTime) == nil)
      #expect(await client.read(.currentTime)?.prefix(6) == [0xEA, 0x07, 3, 1, 7, 30])
      await client.subscribe(.temperatureMeasurement)
      await client.subscribe(0x2A19, 1)
      sensor.setBattery(12)
      try await loop.sleep(for: .seconds(12))
      #expect(client.received(0x2A19) == [[12]])
      #expect(client.received(.temperatureMeasurement).first?[5..<9] == [0xEA, 0x07, 3, 1])
      #expect(sensor.ledger.faults == [.wroteNonsense])
      let proofs = sensor.ledger.deliveries.filter { $0.characteristic == 0x2A19 && $0.isStored }
      #expect(proofs.isEmpty)
    }
  }
}
