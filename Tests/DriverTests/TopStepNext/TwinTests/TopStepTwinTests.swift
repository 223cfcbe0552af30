import Bluetooth
import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin
@testable import DriverTestSupport

/// Answers of the twin to a host that asks in order, in bytes if those are known.
@Suite("The simulated band of the new platform")
struct TopStepTwinTests {
  @Test("it advertises its service and has a place to write to and one that notifies")
  func database() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop)
      let data = bench.band.advertisingData.withUnsafeBytes { AdvertisingData($0) }
      #expect(data.services == [BluetoothUUID(high: 0x0000_01FF_3C17_D293, low: 0x8E48_14FE_2E4D_A212)])
      try await bench.connect()
      #expect(bench.band.commandHandle != nil && bench.band.answerHandle != nil)
    }
  }

  @Test("a bind is answered when its wearer presses the button, with no bytes the first time")
  func firstBind() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop)
      try await bench.connect()
      let asked = loop.now
      let frame = TopStepWireFrame(3, 1, sequence: 6, bench.who())
      let answer = try #require(try await bench.ask(frame.bytes, for: .seconds(10)))
      #expect(answer.bytes == Array(hexadecimal: "AB030100000000000006"))
      #expect(loop.now - asked > .seconds(4) && bench.band.owner.user == TopStepTwinBench.user)
      #expect(bench.band.ledger.bindings == 1 && bench.band.ledger.links[0].enteredAt != nil)
      #expect(abs(bench.band.log.times[0].shown - bench.band.shown) < 10 && bench.band.zone == 3600)
      try await bench.hangUp()
      try await bench.connect()
      let login = try #require(try await bench.login())
      #expect(login.number(1) == 0 && login.number(2) == 1 && abs(login.number(3) - bench.band.unixTime) < 60)
      #expect(bench.band.log.faults.isEmpty)
    }
  }

  @Test("a bind is answered with each of the codes", arguments: TopStepAuthResult.allCases)
  func refusals(_ result: TopStepAuthResult) throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        switch result {
        case .ok: break
        case .otherUser: traits.owner.user = "somebody else"
        case .cancelled: traits.band.cancelsBindings = 1
        case .timedOut: traits.band.ignoresBindings = 1
        case .okWithoutClassicLink: traits.owner.lacksClassicLink = true
        case .lowBattery: traits.band.battery = 6
        case .resetNeeded: traits.owner.needsResetToRebind = true
        case .resetting: break
        case .unknown: traits.owner.result = .unknown
        }
      }
      if result == .resetNeeded {
        try await bench.connect()
        _ = try await bench.bind()
        #expect(try bench.result(try await bench.ask(3, 3)) == 0)
        try await bench.hangUp()
      }
      if result == .resetting { bench.band.resetByWearer() }
      try await bench.connect()
      #expect(try await bench.bind()?.number(1) == Int64(result.rawValue))
      #expect(bench.band.isLoggedIn == result.isAccepted)
      let last = try #require(bench.frames.last)
      let known: [TopStepAuthResult: String] = [
        .cancelled: "0802", .timedOut: "0803", .resetting: "0806", .unknown: "087F", .lowBattery: "0805",
      ]
      if let bytes = known[result] { #expect(last.payload == Array(hexadecimal: bytes)) }
      // The second time its wearer lets it.
      if result == .cancelled || result == .timedOut { #expect(try await bench.bind()?.number(1) == 0) }
    }
  }

  @Test("a host that asks again while the wearer looks for the button gets one answer, to its last question")
  func repeatedBind() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { $0.band.wearerTakes = .seconds(12) }
      try await bench.connect()
      for sequence in [40, 41, 42] as [UInt16] {
        _ = try await bench.ask(TopStepWireFrame(3, 1, sequence: sequence, bench.who()).bytes, for: .seconds(4))
      }
      try await loop.sleep(for: .seconds(6))
      #expect(bench.frames.map(\.sequence) == [42])
    }
  }

  @Test("a stranger gets its identity, and no more")
  func strangers() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop)
      try await bench.connect()
      #expect(try await bench.ask(3, 9)?.payload.count == 2)
      let told = try #require(try await bench.ask(2, 2))
      let device = try #require(TopStepMessage(told.payload))
      #expect(device.text(1) == "TPB100" && device.bytes(8).count == 8)
      #expect(try await bench.ask(3, 0x11).flatMap { TopStepMessage($0.payload) }?.text(1).count == 17)
      #expect(bench.band.log.faults.isEmpty)
      #expect(try bench.result(try await bench.ask(2, 0x0D)) == 1)
      #expect(try bench.result(try await bench.ask(5, 0x21, [0x10, 0x64, 0x18, 0x01])) == 1)
      #expect(bench.band.log.faults.map(\.fault) == [.askedBeforeLogin, .askedBeforeLogin])
      #expect(try await bench.login()?.number(1) == 1)
    }
  }

  @Test("time, wearer and battery are taken and sent in the bytes of the vectors")
  func environment() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        traits.owner.asksWearer = false
        traits.band.batteryPerHour = 0
      }
      try await bench.connect()
      _ = try await bench.bind()
      for id in ["np-frame-05", "np-frame-06", "np-frame-07"] {
        let vector = try #require(TopStepTwinWireTests.vectors.first { $0.id == id })
        let answer = try #require(try await bench.ask(vector.bytes))
        #expect(answer.payload.isEmpty && answer.sequence == vector.expect?.seq)
      }
      #expect(bench.band.zone == -18_000 && bench.band.owner.weight == 70.5)
      #expect((825_661_815...825_661_820).contains(bench.band.shown))
      bench.band.isCharging = true
      #expect(try await bench.ask(3, 9)?.payload == Array(hexadecimal: "08501001"))
      // 10 m tall.
      #expect(try bench.result(try await bench.ask(3, 4, [0x08, 1, 0x10, 30, 0x18, 0xE8, 0x07])) == 1)
      #expect(try bench.result(try await bench.ask(3, 5, [])) == 1)
      #expect(bench.band.log.faults.map(\.fault) == [.wroteNonsense, .wroteNonsense])
      #expect(bench.frames.contains { $0.command == 3 && $0.key == 0x0A }, "it says that its battery changed")
    }
  }

  @Test("unknown requests are answered with failed, and forbidden ones are noted")
  func unknownKeys() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { $0.owner.user = TopStepTwinBench.user }
      try await bench.connect()
      _ = try await bench.login()
      for (command, key) in [(2, 0x77), (3, 0x66), (5, 0x55), (9, 1), (2, 0x15)] as [(UInt8, UInt8)] {
        #expect(try await bench.ask(command, key)?.payload == [0x08, 0x01])
      }
      #expect(bench.band.log.faults.isEmpty)
      #expect(try await bench.ask(3, 8)?.payload == [0x08, 0x01])
      #expect(try await bench.ask(1, 1) == nil)
      #expect(bench.band.log.faults.map(\.fault) == [.touchedForbidden, .touchedForbidden])
      #expect(bench.band.ledger.faults == [.dangerous(0x0308), .dangerous(0x0101)])
      #expect(bench.band.owner.user != nil)
    }
  }

  // MARK: Settings

  @Test("a setting that is written keeps what no description names, or the host is at fault")
  func unknownFields() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { $0.owner.user = TopStepTwinBench.user }
      try await bench.connect()
      _ = try await bench.login()
      let wanted = try TopStepTwinWireTests.payload("np-frame-30")
      #expect(try await bench.ask(2, 0x0E, wanted)?.payload == [])
      #expect(bench.band.log.faults.map(\.fault) == [.wroteUnread, .lostUnknownFields])
      #expect(bench.band.settings[.heartRate] == wanted)
      let monitor = try #require(bench.band.settings.monitor(.heartRate))
      #expect(monitor.interval == 10 && monitor.end == 1320)
      let schedule = BandSchedule(isOn: true, start: 480, end: 1320, interval: 10)
      #expect(bench.band.recorder.schedules[.heartRate] == schedule)

      // Reads, changes the interval, and leaves all else as it was.
      let before = try #require(try await bench.ask(2, 0x11)).payload
      var changed = TopStepWriter()
      let fields = try #require(TopStepMessage(before)).fields
      for field in fields {
        guard field.number == 1, case .bytes(let bytes) = field.value else {
          changed.append(field)
          continue
        }
        var inner = TopStepWriter()
        let parts = try #require(TopStepMessage(bytes)).fields
        for part in parts where part.number != 4 { inner.append(part) }
        inner.number(4, 20 as Int64)
        changed.message(1, inner.bytes)
      }
      #expect(try await bench.ask(2, 0x12, changed.bytes)?.payload == [])
      #expect(bench.band.log.faults.count == 2)
      // The band does not offer 20 minutes as an interval.
      #expect(bench.band.settings.monitor(.oxygen)?.interval == 30)
      #expect(!TopStepSetting.oxygen.losesUnknown(before, bench.band.settings[.oxygen] ?? []))
      let nonsense = TopStepWriter.make { $0.message(1, [0x08, 1, 0x10, 50, 0x18, 20, 0x20, 5]) }
      #expect(try await bench.ask(2, 0x10, nonsense)?.payload == [0x08, 0x01])
    }
  }

  @Test("a wearer that changes a setting makes the band say so", arguments: [false, true])
  func changedOnTheBand(_ isEmpty: Bool) throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        traits.owner.user = TopStepTwinBench.user
        traits.settings.announcesEmpty = isEmpty
      }
      try await bench.connect()
      _ = try await bench.login()
      for setting in TopStepSetting.allCases {
        bench.band.wearerChanges(setting, to: [0x20, setting.rawValue])
        guard let key = setting.changed else { continue }
        let frame = try #require(try await bench.next(2, key, after: 0))
        #expect(frame.payload == (isEmpty ? [] : [0x20, setting.rawValue]))
      }
      #expect(bench.frames.count == 10)
    }
  }

  // MARK: Live

  @Test("live values come once a second, empty ones first, until the time is over")
  func live() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { $0.owner.user = TopStepTwinBench.user }
      try await bench.connect()
      _ = try await bench.login()
      let start = try #require(TopStepTwinWireTests.vectors.first { $0.id == "np-frame-26" })
      #expect(try await bench.ask(start.bytes)?.payload == [])
      #expect(try await bench.ask(5, 0x30, [0x08, 2, 0x10, 1, 0x18, 10])?.payload == [0x08, 1], "one at a time")
      let end = try #require(try await bench.next(5, 0x31, after: 0, for: .seconds(70)))
      #expect(end.payload.isEmpty)
      let values = bench.frames.filter { $0.command == 5 && $0.key == 0x32 }.map(\.payload)
      #expect(values.count == 60 && values.prefix(3).allSatisfy(\.isEmpty))
      let told = values.dropFirst(3).map { TopStepMessage($0)?.number(2) }
      #expect(told == bench.band.ledger.live.map(\.value) && told.count == 57)
      #expect(bench.band.log.faults.map(\.fault) == [.askedTwiceAtOnce])
      // Stopping what does not run is no fault.
      #expect(try await bench.ask(5, 0x30, [0x08, 1])?.payload == [])
    }
  }

  @Test("a band that is not worn ends a measurement, and one that is left measuring notes it")
  func liveEnds() throws {
    try VirtualLoop.run { loop in
      let bench = try await TopStepTwinBench(loop) { traits in
        traits.owner.user = TopStepTwinBench.user
        traits.stopsLiveAfter = .seconds(5)
      }
      try await bench.connect()
      _ = try await bench.login()
      #expect(try await bench.ask(5, 0x30, [0x08, 4, 0x10, 1, 0x18, 60])?.payload == [])
      #expect(try await bench.next(5, 0x31, after: 0, for: .seconds(8)) != nil)
      // No light under a band without pressure.
      #expect(try await bench.ask(5, 0x30, [0x08, 3, 0x10, 1, 0x18, 60])?.payload == [0x08, 1])
      _ = try await bench.ask(5, 0x30, [0x08, 1, 0x10, 1, 0x18, 60])
      try await bench.hangUp()
      try await loop.sleep(for: .seconds(5))
      #expect(bench.band.log.faults.map(\.fault) == [.leftInTheMiddle] && bench.band.live == nil)
    }
  }
}

extension BandLiveValue {
  fileprivate var value: Int64? { values.first }
}
