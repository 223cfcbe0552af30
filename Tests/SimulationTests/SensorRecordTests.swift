import Bluetooth
import EventLoop
import Simulation
import Testing

@testable import StrapTwin

/// Sensors with records: what their control points take and refuse, and what they give out.
@Suite("Virtual health sensors with records")
struct SensorRecordTests {
  @LoopActor
  private func meet<Sensor: HealthTwin>(
    _ loop: any Loop, _ seed: UInt64, _ make: (VirtualWorld) -> Sensor
  ) async throws -> (Sensor, SensorClient) {
    let world = VirtualWorld(loop: loop, seed: seed)
    let sensor = make(world)
    let radio = try await readyRadio(world)
    return (sensor, try await SensorClient.meet(sensor, radio))
  }

  /// Asks a control point and waits for its word.
  @LoopActor
  private func ask(
    _ client: SensorClient, _ value: [UInt8], _ loop: any Loop, _ point: BluetoothUUID = .recordAccessControlPoint,
    for length: Duration = .seconds(2)
  ) async throws -> [UInt8]? {
    let before = client.received(point).count
    if let error = await client.write(value, to: point) { return [0xEE, error] }
    try await loop.sleep(for: length)
    let all = client.received(point)
    return all.count > before ? all.last : nil
  }

  @Test("spot-checks are counted, reported all, again on demand, and deleted only at the hub's own fault")
  func spotChecks() throws {
    try VirtualLoop.run { loop in
      let (sensor, client) = try await meet(loop, 70) { world in
        world.addSpotOximeter { traits in
          traits.recording.firstRecords = 7
          traits.recording.recordsEvery = .seconds(5000)...(.seconds(5001))
          traits.sensor.clock.state = .wrong(by: .seconds(600))
        }
      }
      #expect(await client.read(.oximeterFeatures) == hexBytes("4F00 8063 600800"))
      #expect(try await ask(client, [1, 1], loop) == [0xEE, 0xFD])
      await client.subscribe(.recordAccessControlPoint)
      #expect(try await ask(client, [4, 1], loop) == [5, 0, 7, 0])
      #expect(try await ask(client, [1, 1], loop) == [0xEE, 0xFD])
      await client.subscribe(.spotCheckMeasurement)
      #expect(try await ask(client, [1, 1], loop, for: .seconds(5)) == [6, 0, 1, 1])
      #expect(client.received(.spotCheckMeasurement).count == 7)
      let told = sensor.ledger.readings(worth: [.good, .doubtful, .nothing])
      #expect(told.map(\.reading) == Array(1...7) && told.allSatisfy(\.isStored))
      #expect(zip(told, told.dropFirst()).allSatisfy { $1.takenAt - $0.takenAt == .seconds(300) })
      // The clock is fast by ten minutes.
      let (wall, now) = (loop.wall.microseconds, loop.now)
      let offsets = told.map { ($0.shown ?? 0) - wall + (now - $0.takenAt).wholeNanoseconds / 1000 }
      #expect(offsets == Array(repeating: 600_000_000, count: 7))
      #expect(try await ask(client, [1, 3, 1, 0, 0, 0, 0], loop) == [6, 0, 1, 4])
      #expect(try await ask(client, [9, 1], loop) == [6, 0, 9, 2])
      #expect(try await ask(client, [3, 0], loop) == [6, 0, 3, 1])
      #expect(try await ask(client, [1, 1], loop, for: .seconds(5)) == [6, 0, 1, 1])
      #expect(sensor.ledger.repeated == Set(1...7))
      #expect(try await ask(client, [2, 1], loop) == [6, 0, 2, 1] && sensor.recordNumbers.isEmpty)
      #expect(try await ask(client, [1, 1], loop) == [6, 0, 1, 6])
      #expect(
        sensor.ledger.faults == [
          .controlledUnsubscribed, .controlledUnsubscribed, .wroteNonsense, .deletedRecords,
        ])
    }
  }

  @Test("a report can be ended in the middle, without other requests meanwhile")
  func abort() throws {
    try VirtualLoop.run { loop in
      let (sensor, client) = try await meet(loop, 71) { world in
        world.addSpotOximeter { $0.recording.firstRecords = 60 }
      }
      await client.subscribe(.recordAccessControlPoint)
      await client.subscribe(.spotCheckMeasurement)
      #expect(try await ask(client, [1, 1], loop, for: .seconds(1)) == nil)
      #expect(try await ask(client, [4, 1], loop) == [0xEE, 0xFE])
      #expect(try await ask(client, [3, 0], loop) == [6, 0, 3, 1])
      let count = client.received(.spotCheckMeasurement).count
      #expect((5..<60).contains(count) && sensor.reports.aborted == 1)
      try await loop.sleep(for: .seconds(5))
      #expect(client.received(.spotCheckMeasurement).count == count && sensor.ledger.faults == [.askedTwiceAtOnce])
    }
  }

  @Test(
    "observations come live from the hub's word on, in segments, and their counter goes on over its end",
    arguments: [false, true])
  func live(_ hasEveryField: Bool) throws {
    try VirtualLoop.run { loop in
      let (sensor, client) = try await meet(loop, 72) { world in
        world.addHealthSensor { traits in
          traits.kinds = HealthSensorTraits.Kind.allCases
          traits.segmentSize = 16
          traits.firstSegment = 62
          traits.hasEveryField = hasEveryField
          traits.poor = 0
          traits.recording.isRecording = false
        }
      }
      await client.subscribe(.liveObservation, 1)
      await client.subscribe(.healthSensorControlPoint)
      try await loop.sleep(for: .seconds(20))
      #expect(client.received(.liveObservation).isEmpty)
      #expect(try await ask(client, [1], loop, .healthSensorControlPoint) == [0x80])
      try await loop.sleep(for: .seconds(100))
      #expect(try await ask(client, [2], loop, .healthSensorControlPoint) == [0x80])
      #expect(try await ask(client, [2], loop, .healthSensorControlPoint) == [0x82])
      let segments = client.received(.liveObservation)
      #expect(segments.allSatisfy { $0.count <= 17 })
      let counters = segments.map { $0[0] >> 2 }
      #expect(counters.first == 62 && zip(counters, counters.dropFirst()).allSatisfy { ($0 + 1) & 63 == $1 })
      let wholes = put(segments)
      #expect(wholes.count == sensor.ledger.deliveries.filter { $0.reading > 0 }.count)
      #expect(wholes.allSatisfy { Int($0[1]) | Int($0[2]) << 8 == $0.count - 3 })
      #expect(Set(wholes.map { $0[0] }) == [1, 0xFF, 7, 4, 2, 3, 5, 6, 8])
      #expect(sensor.ledger.faults.isEmpty)
    }
  }

  /// Segments back into wholes.
  private func put(_ segments: [[UInt8]]) -> [[UInt8]] {
    var wholes: [[UInt8]] = []
    for segment in segments {
      if segment[0] & 1 != 0 { wholes.append([]) }
      wholes[wholes.count - 1] += segment.dropFirst()
    }
    return wholes
  }

  @Test("records are asked for by number, over the end of the numbers, and say on which timeline they are")
  func stored() throws {
    try VirtualLoop.run { loop in
      let (sensor, client) = try await meet(loop, 73) { world in
        world.addHealthSensor { traits in
          traits.recording.firstRecords = 6
          traits.recording.recordsEvery = .seconds(5000)...(.seconds(5001))
          traits.firstRecord = 40
          traits.poor = 0
          traits.sensor.clock.quarterHours = 4
        }
      }
      await client.subscribe(.recordAccessControlPoint)
      await client.subscribe(.storedObservation)
      #expect(try await ask(client, [4, 1], loop) == [5, 0, 6, 0, 0, 0])
      #expect(try await ask(client, [7, 3, 1, 43, 0, 0, 0], loop) == [8, 0, 3, 0, 0, 0])
      #expect(put(client.received(.storedObservation)).map { $0[0] } == [43, 44, 45])
      #expect(try await ask(client, [4, 4, 1, 41, 0, 0, 0, 42, 0, 0, 0], loop) == [5, 0, 2, 0, 0, 0])
      #expect(try await ask(client, [7, 3, 2, 43, 0, 0, 0], loop) == [6, 0, 7, 9])
      #expect(try await ask(client, [7, 3, 1, 43], loop) == [6, 0, 7, 5])
      #expect(try await ask(client, [7, 3, 1, 90, 0, 0, 0], loop) == [6, 0, 7, 6])
      #expect(try await ask(client, [1, 1], loop) == [6, 0, 1, 2])
      // Time stamp: class, length, flags (with a time and, but for the bundle, a type), type, flags of the time.
      let before = put(client.received(.storedObservation)).map { $0[4] == 0xFF ? $0[9] : $0[13] }
      #expect(before.allSatisfy { $0 == 0x32 })
      #expect(await client.read(.currentElapsedTime)?.count == 11)
      #expect(await client.write(hexBytes("22 87A736310000 06 00"), to: .currentElapsedTime) == nil)
      #expect(await client.read(.currentElapsedTime)?.prefix(7) == hexBytes("32 87A736310000")[...])
      _ = try await ask(client, [7, 6], loop)
      let last = try #require(put(client.received(.storedObservation)).last)
      #expect((last[4] == 0xFF ? last[9] : last[13]) == 0x12, "on a timeline that has ended")
      #expect(sensor.recordNumbers == Array(40...45))
    }
  }

  @Test("everything rude at once: the ledger knows what is malformed, absurd and lost, and records stay")
  func rude() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 74)
      let sensor = world.addHealthSensor { traits in
        traits.sensor.conduct = .rude
        traits.sensor.conduct.miscounts = 2
        traits.sensor.conduct.repeatsRecords = true
        traits.segmentSize = 12
        traits.recording.firstRecords = 40
      }
      let radio = try await readyRadio(world)
      for _ in 0..<20 {
        let client = try await SensorClient.meet(sensor, radio)
        await client.subscribe(.recordAccessControlPoint)
        await client.subscribe(.storedObservation)
        _ = try await ask(client, [4, 1], loop)
        _ = try await ask(client, [7, 1], loop, for: .seconds(60))
        if !client.isClosed { client.close() }
        try await loop.sleep(for: .seconds(3))
      }
      let ledger = sensor.ledger
      #expect(ledger.count(.malformed) > 20 && ledger.count(.absurd) > 5 && ledger.confirmationsLost > 5)
      #expect(sensor.recordNumbers.count >= 40 && !ledger.repeated.isEmpty && ledger.faults.isEmpty)
    }
  }

  @Test("what it refuses, hides and keeps back is answered as the specification says")
  func refusals() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 75)
      let refusing = world.addFootPod { $0.sensor.conduct.refused = [.runningMeasurement] }
      let secret = world.addFootPod { $0.sensor.conduct.demandsEncryption = true }
      let mute = world.addFootPod { $0.sensor.conduct.muteFor = .seconds(12) }
      let leaving = world.addFootPod { $0.sensor.conduct.hangsUpAfter = 4 }
      let radio = try await readyRadio(world)
      let first = try await SensorClient.meet(refusing, radio)
      #expect(await first.subscribe(.runningMeasurement, 1) == 0x03)
      let second = try await SensorClient.meet(secret, radio)
      #expect(await second.subscribe(.runningMeasurement, 1) == 0x05)
      #expect(await second.read(.runningFeature) == nil)
      let third = SensorClient(try await radio.connect(to: mute.address, deadline: loop.now + .seconds(5)))
      #expect(third.bearer.send([0x0A, 0x03, 0x00]))
      try await loop.sleep(for: .seconds(11))
      #expect(mute.ledger.links == 1 && !mute.isHeard)
      let fourth = try await SensorClient.meet(leaving, radio)
      await fourth.subscribe(.runningMeasurement, 1)
      try await loop.sleep(for: .seconds(10))
      #expect(fourth.isClosed && fourth.received(.runningMeasurement).count == 4)
    }
  }

  @Test("a ward has some of each, and the same seed gives the same ward")
  func ward() throws {
    func run() throws -> [[UInt8]] {
      try VirtualLoop.run { loop in
        let world = VirtualWorld(loop: loop, seed: 76)
        let ward = world.addWard(beds: 5)
        #expect(ward.wearables.count == world.peripherals.count && ward.wearables.count == 31)
        #expect(Set(ward.wearables.map(\.label)).count == 31)
        let radio = try await readyRadio(world, slots: 40)
        var clients: [SensorClient] = []
        for pod in ward.footPods {
          let client = try await SensorClient.meet(pod, radio)
          await client.subscribe(.runningMeasurement, 1)
          clients.append(client)
        }
        try await loop.sleep(for: .seconds(900))
        return clients.flatMap { $0.values.map(\.bytes) }
      }
    }
    #expect(try run() == run())
  }
}
