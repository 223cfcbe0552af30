import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Vitals
import Wearable

@testable import Hub

@Suite("Measurements of vital signs that are refused, or fail")
struct SessionTroubleTests {
  @Test("what cannot be measured is refused before anything begins, with its number")
  func refusals() throws {
    try withStraps(2) { house, _ in
      @LoopActor func refused(_ name: String = "recorder-0", seconds: Int = 60, person: String? = nil) async throws
        -> HearthError
      {
        let ear = SessionEar()
        ear.begin(house, name, seconds: seconds, person: person)
        try await house.wait(.seconds(1)) { ear.isOver }
        #expect(ear.opened == nil && ear.states.isEmpty && ear.result == nil)
        return try #require(ear.error)
      }
      #expect(try await refused("nobody").reason == .noSuchWearable)
      #expect(try await refused(person: "nobody").reason == .noSuchWearer)
      for seconds in [0, 19, 181, -1, .max] {
        let error = try await refused(seconds: seconds)
        #expect(error.reason == .controlBadParameter && error.detail.contains("7002"))
      }
      _ = try await house.hearth.addWearer("Anna")
      _ = try await house.hearth.assign("recorder-0", to: "Anna", from: nil)
      _ = try await house.hearth.assign("recorder-1", to: "Anna", from: nil)
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(3)) { ear.state == .processing }
      #expect(ear.opened?.person == "Anna")
      let same = try await refused()
      #expect(same.reason == .requestUntimely && same.detail.contains("7009"))
      let person = try await refused("recorder-1")
      #expect(person.reason == .requestUntimely && person.detail.contains("recorder-0"))
      #expect(house.hearth.sessions.isBusy(house.hearth.registry.all[1]))
      // Another person may be measured by the other one, at the same time.
      _ = try await house.hearth.addWearer("Bert")
      let other = SessionEar()
      other.begin(house, "recorder-1", person: "Bert")
      try await house.wait(.seconds(80)) { ear.isOver && other.isOver }
      let numbers = try ["Anna", "Bert"].map { "\(try house.hearth.wearerNumber(of: $0).number)" }
      #expect(ear.records.first?.person == numbers[0] && other.records.first?.person == numbers[1])
      #expect(try await house.records().count == 2)
      await house.hearth.stop()
      #expect(try await refused().reason == .requestNotDone)
    }
  }

  @Test("what measures by order alone is refused, saying how it is measured; by order and at once is refused as well")
  func byOrder() throws {
    try inHouse(bandDriver(RecorderBand())) { house, _ in
      house.start()
      try await house.wait { try house.visits().contains { $0.laneOutcome == VisitOutcome.done.rawValue } }
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.error?.reason == .requestUnsupported)
      #expect(ear.error?.detail.contains("hearth measure recorder-0 heart_rate") == true)
    }
  }

  @Test("a link lost in the middle: 8007, no result; the session waits for its sensor, is ready again, and ends")
  func lost() throws {
    try withStraps { house, _ in
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(60)) { ear.values.count == 30 }
      house.twins[0].bearer?.cut(.linkLost)
      try await house.wait(.seconds(1)) { ear.state == .initializing }
      #expect(ear.notices == ["+8007"])
      try await house.wait(.seconds(5)) { ear.isOver }
      let way: [SessionState] = [.processing, .stopping, .initializing, .ready, .terminating, .terminated]
      #expect(Array(ear.states.suffix(6)) == way && ear.notices == ["+8007", "-8007"])
      #expect(ear.records.isEmpty && ear.result?.record == nil && ear.result?.code == .sensorDisconnected)
      #expect(ear.result?.trouble?.reason == .linkLost && ear.result?.trouble?.detail.contains("8007") == true)
      #expect(try await house.records().isEmpty && house.wearable.link != nil)
    }
  }

  @Test("a sensor that does not come back in a minute is waited for no longer")
  func gone() throws {
    try withStraps { house, _ in
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(60)) { ear.values.count == 10 }
      house.radio.isQuiet = true
      house.twins[0].bearer?.cut(.linkLost)
      try await house.pass(.seconds(58))
      #expect(ear.state == .initializing)
      try await house.wait(.seconds(5)) { ear.isOver }
      #expect(ear.result?.code == .sensorDisconnected && Array(ear.states.suffix(2)) == [.terminating, .terminated])
    }
  }

  @Test("a sensor that is not heard is waited for a minute: 8003")
  func timedOut() throws {
    try withStraps { house, _ in
      house.radio.isQuiet = true
      house.twins[0].bearer?.cut(.linkLost)
      try await house.pass(.seconds(40))
      let ear = SessionEar()
      ear.begin(house)
      try await house.pass(.seconds(59))
      #expect(!ear.isOver)
      try await house.wait(.seconds(2)) { ear.isOver }
      #expect(ear.states == [.initializing, .terminating, .terminated] && ear.notices == ["+8003"])
      #expect(ear.result?.trouble?.reason == .failedToEstablish && ear.result?.code == .connectionTimedOut)
    }
  }

  @Test("a strap that is not worn is reported so while it is waited for, and measured when it is")
  func notWorn() throws {
    try withStraps { house, straps in
      straps[0].contact = 1
      try await house.pass(.seconds(2))
      let ear = SessionEar()
      ear.begin(house, seconds: 20)
      try await house.wait(.seconds(6)) { ear.notices == ["+8501"] }
      try await house.pass(.seconds(20))
      straps[0].contact = 2
      try await house.wait(.seconds(40)) { ear.isOver }
      #expect(ear.notices == ["+8501", "-8501"] && ear.records.count == 1)
      straps[0].contact = 1
      try await house.pass(.seconds(2))
      let never = SessionEar()
      never.begin(house, seconds: 20)
      try await house.wait(.seconds(62)) { never.isOver }
      #expect(never.notices == ["+8501", "+8003"] && never.result?.code == .connectionTimedOut)
      #expect(never.result?.trouble?.detail.contains("8501") == true)
    }
  }

  @Test("a sensor that comes within that minute is measured")
  func comes() throws {
    try withStraps { house, _ in
      house.radio.isQuiet = true
      house.twins[0].bearer?.cut(.linkLost)
      try await house.pass(.seconds(100))
      let ear = SessionEar()
      ear.begin(house, seconds: 20)
      try await house.pass(.seconds(30))
      house.radio.isQuiet = false
      try await house.wait(.seconds(60)) { ear.isOver }
      #expect(ear.records.count == 1 && ear.states == SessionEar.whole)
    }
  }

  @Test("the hub is stopped in the middle: the session ends through its states, and no record is stored")
  func hubStopped() throws {
    try withStraps(2) { house, _ in
      let ears = [SessionEar(), SessionEar()]
      ears[0].begin(house)
      try await house.wait(.seconds(60)) { ears[0].values.count == 30 }
      ears[1].begin(house, "recorder-1")
      try await house.wait(.seconds(60)) { ears[1].values.count == 5 }
      await house.hearth.stop()
      #expect(ears.allSatisfy { $0.isOver && $0.states == SessionEar.whole && $0.records.isEmpty })
      #expect(try await house.records().isEmpty)
    }
  }

  @Test("a wearable that is forgotten is measured no longer")
  func forgotten() throws {
    try withStraps { house, _ in
      let ear = SessionEar()
      ear.begin(house)
      try await house.wait(.seconds(60)) { ear.values.count == 10 }
      _ = try await house.hearth.forget("recorder-0")
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.states == SessionEar.whole && ear.records.isEmpty)
    }
  }

  @Test("battery, clock and adapter are reported as they are; a clock that is set in the measurement too")
  func conditions() throws {
    try withStraps { house, _ in
      house.wearable.noteBattery(15, house.hearth.context)
      house.loop.wallIsTrusted = false
      let ear = SessionEar()
      ear.begin(house, seconds: 30)
      try await house.wait(.seconds(60)) { ear.values.count == 5 }
      #expect(ear.notices == ["+14", "+17"])
      house.loop.wallIsTrusted = true
      try await house.pass(.seconds(2))
      house.loop.stepWall(by: .seconds(30))
      try await house.wait(.seconds(60)) { ear.isOver }
      #expect(ear.notices == ["+14", "+17", "-17", "+17", "-17"])
      let record = try #require(ear.records.first)
      #expect(record.actual == 30_000_000 && record.end - record.start == 60_000_000)
    }
  }

  @Test("whatever happens to twenty straps, no session hangs, results come once, and never after an error")
  func chance() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("sessions of twenty straps: seed \(seed)")
    try withStraps(20) { house, straps in
      var random = SplitMix64(seed: seed)
      var ears: [SessionEar] = []
      for _ in 0..<5 {
        let round = straps.indices.map { _ in SessionEar() }
        for (number, ear) in round.enumerated() {
          ear.begin(house, "recorder-\(number)", seconds: Int.random(in: 20...60, using: &random))
        }
        let end = house.loop.now + .seconds(300)
        while !round.allSatisfy(\.isOver), house.loop.now < end {
          let number = straps.indices.randomElement(using: &random) ?? 0
          switch Int.random(in: 0..<12, using: &random) {
          case 0...1: house.twins[number].bearer?.cut(.linkLost)
          case 2: straps[number].contact = 1
          case 3...5: straps[number].contact = 2
          case 6: round[number].isThere = false
          case 7: try? house.hearth.stopVitals("recorder-\(number)")
          default: break
          }
          try await house.pass(.milliseconds(Int64.random(in: 100...2000, using: &random)))
        }
        for ear in round {
          #expect(ear.isOver && ear.error == nil && ear.state == .terminated, "seed \(seed)")
          #expect((ear.result?.record == nil) == ear.records.isEmpty)
          #expect((ear.result?.record == nil) == (ear.result?.trouble != nil))
          #expect(ear.result?.code == nil || ear.records.isEmpty)
        }
        ears += round
      }
      let told = ears.flatMap(\.records).map(\.session).sorted()
      let stored = try await house.records().map(\.session).sorted()
      #expect(told == stored && Set(told).count == told.count && !told.isEmpty, "seed \(seed)")
      let taps = house.hearth.registry.all.flatMap(\.live.taps)
      #expect(house.hearth.registry.all.allSatisfy { !$0.lane.measuring.isAny } && !taps.contains { $0 is VitalsTap })
    }
  }
}
