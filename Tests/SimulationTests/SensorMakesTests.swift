import Bluetooth
import EventLoop
import Simulation
import Testing

@testable import StrapTwin

/// Every make of sensor, polite and rude, against a reader that was written from the dossier and not from the twins.
@Suite("Makes of virtual health sensors")
struct SensorMakesTests {
  private static let conduct: SensorConduct = {
    var conduct = SensorConduct.rude
    conduct.lostConfirmations = 0
    return conduct
  }()

  /// Listens to a sensor and holds each value that it delivered against what its ledger says of it.
  @LoopActor
  private func listen<Sensor: HealthTwin>(
    _ loop: any Loop, _ seed: UInt64, _ characteristics: [(BluetoothUUID, UInt8)], for length: Duration,
    _ make: (VirtualWorld) -> Sensor
  ) async throws -> Sensor {
    let world = VirtualWorld(loop: loop, seed: seed)
    let sensor = make(world)
    (sensor as? SpotCheckTwin)?.measureNow()
    let client = try await SensorClient.meet(sensor, try await readyRadio(world))
    for (characteristic, bits) in characteristics where client.has(characteristic) {
      #expect(await client.subscribe(characteristic, bits) == nil)
    }
    if client.has(.recordAccessControlPoint) { await client.write([1, 1], to: .recordAccessControlPoint) }
    let end = loop.now + length
    while loop.now < end {
      try await loop.sleep(for: .seconds(1))
      if let keeping = sensor as? SpotCheckTwin, client.values.count < 2000 { keeping.measureNow() }
    }
    #expect(sensor.ledger.faults.isEmpty && !client.isClosed)
    return sensor
  }

  @LoopActor
  private func check(_ sensor: HealthTwin) {
    var counts: [Worth: Int] = [:]
    for delivery in sensor.ledger.deliveries where delivery.wasDelivered && delivery.worth != .answer {
      counts[delivery.worth, default: 0] += 1
      let read = SensorReader.read(delivery.characteristic, delivery.value)
      #expect((read == nil) == (delivery.worth == .malformed), "\(delivery.characteristic) \(delivery.value)")
      guard let read, [.good, .doubtful, .nothing].contains(delivery.worth) else { continue }
      let told = delivery.facts.map { ($0.quantity, $0.value.approximate) }
      #expect(read.numbers.map(\.0) == told.map(\.0), "\(delivery.value)")
      for (ours, theirs) in zip(told, read.numbers) {
        #expect(abs(ours.1 - theirs.1) <= 1e-9 * max(1, abs(ours.1)), "\(ours) \(theirs)")
      }
      #expect(read.shown == delivery.shown.map(dateTime), "\(delivery.value)")
    }
    #expect((counts[.good] ?? 0) > 20, "\(counts)")
    let isRude = sensor.sensor.conduct.truncated > 0
    // No count of turns is absurd in itself.
    let mayBeAbsurd = isRude && !(sensor is VirtualBikeSensor)
    #expect(((counts[.malformed] ?? 0) > 5) == isRude && (counts[.absurd] != nil) == mayBeAbsurd, "\(counts)")
  }

  @Test("thermometers", arguments: 0..<16)
  func thermometers(_ number: Int) throws {
    try VirtualLoop.run { loop in
      let all: [(BluetoothUUID, UInt8)] = [(.temperatureMeasurement, 2), (.intermediateTemperature, 1)]
      let sensor = try await listen(loop, 800 + UInt64(number), all, for: .seconds(300)) { world in
        world.addThermometer { traits in
          traits.isFahrenheit = number & 1 != 0
          traits.hasTime = number & 2 != 0
          traits.place = number & 4 != 0 ? .inValue(3) : .untold
          traits.hasHundredths = number & 8 != 0
          traits.keeping.isIntermittent = number % 3 == 0
          traits.special = 0.1
          if number % 2 == 1 { traits.sensor.conduct = Self.conduct }
        }
      }
      check(sensor)
      #expect(sensor.ledger.count(.nothing) > 0)
    }
  }

  @Test("cuffs", arguments: 0..<16)
  func cuffs(_ number: Int) throws {
    try VirtualLoop.run { loop in
      let all: [(BluetoothUUID, UInt8)] = [(.bloodPressureMeasurement, 2), (.intermediateCuffPressure, 1)]
      let sensor = try await listen(loop, 820 + UInt64(number), all, for: .seconds(300)) { world in
        world.addCuff { traits in
          traits.isKilopascal = number & 1 != 0
          traits.hasTime = number & 2 != 0
          traits.hasPulse = number & 4 != 0
          traits.user = number & 8 != 0 ? 255 : nil
          traits.hasStatus = number % 3 != 0
          traits.hasIntermediate = number % 5 == 0
          if number % 4 > 1 { traits.sensor.conduct = Self.conduct }
        }
      }
      check(sensor)
      #expect((sensor.ledger.count(.doubtful) > 0) == sensor.traits.hasStatus && sensor.ledger.count(.nothing) > 0)
    }
  }

  @Test("scales", arguments: 0..<8)
  func scales(_ number: Int) throws {
    try VirtualLoop.run { loop in
      let all: [(BluetoothUUID, UInt8)] = [(.weightMeasurement, 2), (.bodyCompositionMeasurement, 2)]
      let sensor = try await listen(loop, 840 + UInt64(number), all, for: .seconds(300)) { world in
        world.addScale { traits in
          traits.isImperial = number & 1 != 0
          traits.hasTime = number & 2 != 0
          traits.hasBodyMassIndex = number & 4 != 0
          traits.hasWholeComposition = number % 3 != 0
          traits.user = number % 3 == 1 ? nil : 2
          if number % 4 > 1 { traits.sensor.conduct = Self.conduct }
        }
      }
      check(sensor)
    }
  }

  @Test("foot pods and cycling sensors", arguments: 0..<8)
  func movement(_ number: Int) throws {
    try VirtualLoop.run { loop in
      let pod = try await listen(loop, 850 + UInt64(number), [(.runningMeasurement, 1)], for: .seconds(300)) { world in
        world.addFootPod { traits in
          traits.hasStride = number & 1 != 0
          traits.hasDistance = number & 2 != 0
          traits.tellsRunning = number & 4 != 0
          if number % 3 > 0 { traits.sensor.conduct = Self.conduct }
        }
      }
      check(pod)
      let bike = try await listen(loop, 860 + UInt64(number), [(.cyclingMeasurement, 1)], for: .seconds(300)) { world in
        world.addBikeSensor { traits in
          traits.hasWheel = number & 1 != 0
          traits.hasCrank = number & 2 != 0 || number & 1 == 0
          traits.isSilentAtRest = number & 4 != 0
          if number % 3 > 0 { traits.sensor.conduct = Self.conduct }
        }
      }
      check(bike)
    }
  }

  @Test("oximeters with records", arguments: 0..<16)
  func oximeters(_ number: Int) throws {
    try VirtualLoop.run { loop in
      let all: [(BluetoothUUID, UInt8)] = [
        (.recordAccessControlPoint, 2), (.spotCheckMeasurement, 2), (.continuousMeasurement, 1),
      ]
      let sensor = try await listen(loop, 880 + UInt64(number), all, for: .seconds(300)) { world in
        world.addSpotOximeter { traits in
          traits.hasStatus = number & 1 != 0
          traits.hasAmplitude = number & 2 != 0
          traits.hasTime = number & 4 != 0
          traits.isDecimal = number & 8 != 0
          traits.hasContinuous = number % 3 == 0
          traits.sensor.clock.state = number % 5 == 0 ? .unset : .right
          traits.recording.firstRecords = 60
          if number % 4 > 1 { traits.sensor.conduct = Self.conduct }
        }
      }
      check(sensor)
      #expect(sensor.reports.ended == 1 && sensor.recorded.isSuperset(of: Set(1...60)))
    }
  }

  @Test("generic health sensors", arguments: 0..<24)
  func healthSensors(_ number: Int) throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 900 + UInt64(number))
      let sensor = world.addHealthSensor { traits in
        traits.kinds = HealthSensorTraits.Kind.allCases
        traits.time = [.none, .utc, .utcWithOffset, .localWithOffset, .ticks][number % 5]
        traits.segmentSize = [512, 9, 17, 120][number % 4]
        traits.hasEveryField = number % 3 == 0
        traits.indicatesLive = number % 2 == 0
        traits.isMilliseconds = number % 7 == 0
        traits.firstSegment = UInt8(number * 5 % 64)
        traits.liveEvery = 1
        traits.recording.firstRecords = 30
        traits.firstRecord = .max - 10
        if number % 4 > 1 { traits.sensor.conduct = Self.conduct }
      }
      let client = try await SensorClient.meet(sensor, try await readyRadio(world))
      for point in [BluetoothUUID.recordAccessControlPoint, .healthSensorControlPoint, .storedObservation] {
        await client.subscribe(point)
      }
      await client.subscribe(.liveObservation, number % 2 == 0 ? 2 : 1)
      await client.write([7, 1], to: .recordAccessControlPoint)
      try await loop.sleep(for: .seconds(120))
      await client.write([1], to: .healthSensorControlPoint)
      try await loop.sleep(for: .seconds(120))
      let isRude = sensor.sensor.conduct.truncated > 0
      for (characteristic, isStored) in [(BluetoothUUID.storedObservation, true), (.liveObservation, false)] {
        let wholes = ObservationReader.wholes(client.received(characteristic))
        let read = wholes.map { ObservationReader.numbers($0, isStored: isStored) }
        #expect(read.contains { $0 == nil } == isRude)
        let found = read.compactMap(\.self).filter { !$0.isEmpty && $0 != [3000] }
        let sent = sensor.ledger.readings(of: characteristic).map { $0.facts.map(\.value.approximate) }
        #expect(found.count == sent.count && sent.count > 10)
        for (theirs, ours) in zip(found, sent) {
          #expect(theirs.count == ours.count && zip(theirs, ours).allSatisfy { abs($0 - $1) < 1e-6 }, "\(ours)")
        }
      }
      #expect(sensor.reports.ended == 1 && sensor.ledger.faults.isEmpty)
    }
  }
}
