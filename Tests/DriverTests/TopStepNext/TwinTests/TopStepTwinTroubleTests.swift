import Bluetooth
import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin
@testable import DriverTestSupport

/// What goes wrong with the twin, one thing at a time.
@Suite("Accidents of the simulated band of the new platform")
struct TopStepTwinTroubleTests {
  @LoopActor private static func bench(
    _ loop: any Loop, days: Int = 3, _ adjust: (inout TopStepTraits) -> Void = { _ in }
  ) async throws -> TopStepTwinBench {
    var traits = TopStepTraits()
    traits.owner.user = TopStepTwinBench.user
    adjust(&traits)
    let bench = try await TopStepTwinBench(loop, traits)
    try await loop.sleep(for: .seconds(days * 86_400))
    try await bench.connect()
    return bench
  }

  @Test("it is deaf to the first frame of each link")
  func deaf() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.band.ignoresFirstFrame = true }
      #expect(try await bench.login() == nil)
      #expect(try await bench.login()?.number(1) == 0)
      #expect(bench.band.log.ignored == 1)
    }
  }

  @Test("every frame has a wrong checksum, and is not counted as delivered")
  func wrongChecksums() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.band.wrongChecksums = 1 }
      #expect(try await bench.login() == nil)
      #expect(bench.corrupt == 1 && bench.band.isLoggedIn)
      #expect(bench.band.log.sent.allSatisfy { !$0.isIntact && $0.deliveredAt != nil && !$0.wasDelivered })
    }
  }

  @Test("a host with a wrong checksum gets no answer")
  func hostChecksum() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { _ in }
      var bytes = TopStepWireFrame(3, 2, sequence: 1, bench.who()).bytes
      bytes[6] ^= 1
      #expect(try await bench.ask(bytes) == nil)
      #expect(bench.band.log.faults.map(\.fault) == [.sentNonsense])
    }
  }

  @Test("a piece of each frame is lost on the way")
  func lostPieces() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.air.lostPiece = 1 }
      #expect(try await bench.login() == nil)
      #expect(bench.frames.isEmpty && bench.band.log.sent.count == 1 && !bench.band.log.sent[0].wasDelivered)
    }
  }

  @Test("each frame comes twice, the second time flagged as a repeat")
  func doubled() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.air.doubled = 1 }
      _ = try await bench.login()
      let (result, days) = try #require(try await bench.sync(.heartRate))
      try await bench.loop.sleep(for: .seconds(1))
      #expect(result == 0 && days.count >= 5)
      #expect(bench.frames.filter { $0.flags == 0x02 }.count * 2 == bench.frames.count)
      #expect(ToldItem.all(.heartRate, days) == bench.truth(.heartRate))
    }
  }

  @Test("a day comes in fragments with an unknown flag")
  func fragments() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.air.fragmentSize = 200 }
      _ = try await bench.login()
      _ = try await bench.sync(.heartRate)
      let parts = bench.frames.filter { $0.flags == 0x04 }
      #expect(parts.count > 3 && parts.allSatisfy { $0.payload.count <= 208 })
      let first = try #require(parts.first)
      #expect(Array(first.payload[4..<8]) == [0, 0, 0, 0] && Array(parts[1].payload[4..<8]) == [0, 0, 0, 1])
      let total = first.payload[0..<4].reduce(0) { $0 << 8 | Int($1) }
      let whole = parts.prefix((total + 199) / 200).flatMap { $0.payload.dropFirst(8) }
      #expect(whole.count == total && TopStepMessage(whole) != nil)
    }
  }

  @Test("pieces grow with the MTU after a login, if the band does that")
  func pieces() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.air.pieces = .wholeMTUOnceKnown }
      try await bench.hangUp()
      try await bench.connect(mtu: 185)
      _ = try await bench.login()
      _ = try await bench.sync(.heartRate)
      #expect(bench.pieces.map(\.count).max() == 182)
    }
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { _ in }
      try await bench.hangUp()
      try await bench.connect(mtu: 185)
      _ = try await bench.login()
      _ = try await bench.sync(.heartRate)
      #expect(bench.pieces.map(\.count).max() == 20)
    }
  }

  @Test("a band of small pieces drops a long one, one of a slow pace those that come too soon")
  func picky() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.band.takesBytes = 20 }
      let frame = TopStepWireFrame(3, 2, sequence: 1, bench.who())
      try await bench.write(frame.bytes, size: 100)
      try await bench.loop.sleep(for: .seconds(5))
      #expect(bench.frames.isEmpty && bench.band.log.faults.map(\.fault) == [.sentLongPiece])
      #expect(try await bench.login()?.number(1) == 0)
    }
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) {
        ($0.band.pace, $0.band.statedPace) = (.milliseconds(60), .milliseconds(60))
      }
      #expect(try await bench.login() == nil)
      #expect(bench.band.ledger.faults.contains(.pieceTooSoon))
    }
  }

  @Test("an answer has a number of the band's own, if the band does that")
  func sequences() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.air.echoesSequence = false }
      let answers = [try await bench.ask(3, 9), try await bench.ask(3, 9)].map { $0?.sequence }
      #expect(answers == [1, 2])
    }
  }

  @Test("a phone takes it, and a login says that it has another owner")
  func phone() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop, days: 1) { $0.band.isBoundByPhoneAfter = .seconds(100) }
      #expect(try await bench.login()?.number(1) == 1)
      #expect(bench.frames.last?.payload.prefix(2) == [0x08, 0x01])
      #expect(try await bench.bind()?.number(1) == 1)
    }
  }

  @Test("a reset takes owner, settings and memory, and the truth says until when it was there")
  func reset() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { _ in }
      _ = try await bench.login()
      bench.band.wearerChanges(.raiseToWake, to: [0x08, 1, 0x10, 5])
      let held = bench.band.recorder.held.count
      bench.band.resetByWearer()
      let reset = bench.loop.now
      #expect(held > 500 && bench.band.recorder.held.isEmpty && bench.band.owner.user == nil)
      let gone = bench.band.recorder.items.filter { $0.end == .reset }
      #expect(gone.count == held && gone.allSatisfy { $0.goneAt == reset })
      #expect(bench.band.settings[.raiseToWake] == [0x08, 1])
      try await bench.loop.sleep(for: .seconds(30))
      try await bench.connect()
      #expect(try await bench.login()?.number(1) == 1)
      #expect(try await bench.bind()?.number(1) == 0)
      #expect(try await bench.sync(.sleep)?.result == 1)
    }
  }

  @Test("its memory keeps so many days, and the oldest are overwritten")
  func overwritten() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop, days: 10) { $0.daysKept = 3 }
      _ = try await bench.login()
      let days = try #require(try await bench.sync(.stress)?.days)
      #expect(days.count == 3)
      let lost = bench.band.recorder.items.filter { $0.end == .overwritten }
      #expect(lost.count > 500 && lost.allSatisfy { $0.goneAt != nil })
      #expect(Set(lost.map(\.number)).isDisjoint(with: bench.band.ledger.delivered))
    }
  }

  @Test("sleep in minutes sums up to less than an hour of seconds, over a span of a night")
  func minutes() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.days.sleepInMinutes = true }
      _ = try await bench.login()
      let days = try #require(try await bench.sync(.sleep)?.days)
      for day in days {
        let items = day.messages(2)
        let first = try #require(items.first)
        let last = try #require(items.last)
        #expect(items.reduce(0) { $0 + $1.number(2) } < 3600 && last.number(1) - first.number(1) > 3600)
      }
      #expect(ToldItem.all(.sleep, days) == bench.truth(.sleep))
    }
  }

  @Test("the highest value comes first or last", arguments: [false, true])
  func extremes(_ isHighestFirst: Bool) throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.days.tellsHighestFirst = isHighestFirst }
      _ = try await bench.login()
      let day = try #require(try await bench.sync(.oxygen)?.days.dropFirst().first)
      let marked = day.messages(5).map { $0.number(2) }
      #expect(marked.count == 2 && (marked[0] > marked[1]) == isHighestFirst)
    }
  }

  @Test("a band of light under it reports pressure, and its truth names it")
  func opticalPressure() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.days.hasOpticalPressure = true }
      _ = try await bench.login()
      let days = try #require(try await bench.sync(.pressure)?.days)
      #expect(days.allSatisfy { $0.bytes(4).count == 576 } && bench.band.next.days.hasOpticalPressure)
      #expect(ToldItem.all(.pressure, days) == bench.truth(.pressure))
      #expect(try await bench.ask(5, 0x30, [0x08, 3, 0x10, 1, 0x18, 10])?.payload == [])
      try await bench.loop.sleep(for: .seconds(12))
      #expect(bench.band.ledger.live.count == 7 && bench.band.ledger.live.allSatisfy { $0.values.count == 2 })
    }
  }

  @Test("a sync that stalls never comes to its end, and a new one is let begin")
  func stall() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.days.stallsAfter = 1 }
      _ = try await bench.login()
      #expect(try await bench.sync(.heartRate) == nil)
      #expect(bench.band.log.syncs[0].days.count == 1 && bench.band.log.syncs[0].endFrame == nil)
      #expect(try await bench.sync(.stress) == nil)
      #expect(bench.band.log.faults.isEmpty)
    }
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.days.failedStart = 1 }
      _ = try await bench.login()
      #expect(try await bench.sync(.heartRate)?.result == 127)
    }
  }

  @Test("a clock that lost its time reports times of the year 2000, until it is set")
  func lostTime() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop, days: 2) { $0.band.losesTimeAfter = .seconds(86_400) }
      #expect(bench.band.shown < 2 * 86_400)
      _ = try await bench.login()
      #expect(abs(bench.band.unixTime - bench.loop.wall.microseconds / 1_000_000) < 5)
      let days = try #require(try await bench.sync(.heartRate)).days
      let items = ToldItem.all(.heartRate, days)
      #expect(items.contains { $0.time < 2 * 86_400 } && items.contains { $0.time > 800_000_000 })
      #expect(items == bench.truth(.heartRate))
      let unset = bench.band.recorder.items.filter { !$0.isClockSet }
      #expect(!unset.isEmpty && unset.allSatisfy { bench.band.told($0) < 2 * 86_400 })
    }
  }

  @Test("an answer has an unneeded flag")
  func flags() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.air.answerFlags = 0x80 }
      #expect(try await bench.ask(3, 9)?.flags == 0x80)
    }
  }

  @Test("a zone that changes moves midnights, and no item")
  func zones() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop)
      for zone in [7200, -18_000, 19_800, 3600] as [Int64] {
        _ = try await bench.login()
        #expect(try await bench.ask(3, 5, bench.time(zone: zone))?.payload == [])
        for kind in TopStepKind.allCases where kind != .pressure {
          let days = try #require(try await bench.sync(kind)?.days)
          #expect(ToldItem.all(kind, days) == bench.truth(kind), "\(kind) at \(zone)")
          if kind == .heartRate { #expect(days.allSatisfy { ($0.number(1) + zone) % 86_400 == 0 }) }
        }
        try await bench.hangUp()
        try await loop.sleep(for: .seconds(86_400))
        try await bench.connect()
      }
      // The clock was two seconds ahead at first.
      for item in bench.band.recorder.held {
        let told = (bench.band.told(item) + VirtualTopStepBand.epoch) * 1_000_000
        #expect(abs(told - item.time.microseconds) < 4_000_000, "\(item)")
      }
    }
  }

  @Test("stages of a night with a change of zone begin at the end of the one before")
  func nightOfTwoZones() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop)
      _ = try await bench.login()
      #expect(try await bench.ask(3, 5, bench.time(zone: 3600))?.payload == [])
      let today = (bench.band.shown + VirtualTopStepBand.epoch) / 86_400
      let night = bench.band.recorder.life.night(endingOn: today + 1)
      // 20 s before the second stage, by the zone of the next hour.
      let second = night.start + night.stages[0].length - 7200 - VirtualTopStepBand.epoch
      try await loop.sleep(for: .seconds(second - 20 - bench.band.shown))
      #expect(try await bench.ask(3, 5, bench.time(zone: 7200))?.payload == [])
      try await loop.sleep(for: .seconds(3600))
      // A hub with a stepped clock puts that of the band on, by less than a stage.
      #expect(try await bench.ask(3, 5, bench.time(zone: 7200, ahead: 85))?.payload == [])
      try await loop.sleep(for: .seconds(12 * 3600))
      bench.band.catchUp()
      let stages = bench.band.recorder.held(BandBin(.sleepStage)).filter { $0.shown >= night.start }
      #expect(stages.count == night.stages.count - 1)
      for (one, next) in zip(stages, stages.dropFirst()) {
        #expect(bench.band.told(next) == bench.band.told(one) + one.length.components.seconds, "\(next)")
      }
    }
  }

  @Test("what frames said can be forgotten, and what became of them stays")
  func forget() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop)
      _ = try await bench.login()
      _ = try await bench.sync(.sleep)
      let count = bench.band.log.sent.count
      bench.band.log.forget(before: loop.now)
      #expect(bench.band.log.sent.count == count && bench.band.log.sent.allSatisfy { $0.items.isEmpty })
      _ = try await bench.sync(.sleep)
      #expect(bench.band.log.syncs.allSatisfy { bench.band.log.isWhole($0) })
      #expect(bench.band.log.sent.contains { !$0.items.isEmpty })
    }
  }

  @Test("slots of today that are still to come are filled with invented values")
  func future() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { $0.days.fillsFuture = 0xFF }
      _ = try await bench.login()
      let days = try #require(try await bench.sync(.heartRate)?.days)
      let items = ToldItem.all(.heartRate, days)
      let future = items.filter { $0.time > bench.band.shown }
      #expect(future.count > 50 && future.allSatisfy { $0.values == [255] })
      #expect(items.filter { $0.time <= bench.band.shown } == bench.truth(.heartRate))
    }
  }

  @Test("a frame with a broken first copy and a whole second one has arrived")
  func secondCopy() throws {
    try VirtualLoop.run { loop in
      let bench = try await Self.bench(loop) { traits in
        traits.band.wrongChecksums = 1
        traits.air.doubled = 1
      }
      _ = try await bench.login()
      let days = try #require(try await bench.sync(.heartRate)?.days)
      try await loop.sleep(for: .seconds(1))
      #expect(bench.corrupt > 3 && bench.corrupt == bench.frames.count)
      let record = try #require(bench.band.log.syncs.last)
      #expect(bench.band.log.isWhole(record) && record.days.count == days.count)
      #expect(bench.band.ledger.deliveries.allSatisfy { $0.fate == .delivered })
    }
  }
}
