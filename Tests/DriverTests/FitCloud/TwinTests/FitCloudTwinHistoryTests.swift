import Bluetooth
import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin

@Suite("The memory of the virtual FitCloud band")
struct FitCloudTwinHistoryTests {
  /// A band that was bound, and worn for so long since.
  @LoopActor
  private func worn(
    _ loop: any Loop, _ seed: UInt64, for length: Duration, _ traits: FitCloudTraits = FitCloudTraits(),
    adjust: (inout FitCloudTraits) -> Void = { _ in }
  ) async throws -> (band: VirtualFitCloud, radio: VirtualRadio, host: FitCloudHost) {
    let (world, radio) = try await bandWorld(loop, seed)
    let band = world.addFitCloud(.always, traits, adjust: adjust)
    let first = try await FitCloudHost.meet(band, radio)
    #expect(try await first.bind() == 0)
    first.close()
    try await loop.sleep(for: length)
    let host = try await FitCloudHost.meet(band, radio)
    #expect(try await host.ask(3, 0x13, FitCloudHost.user) == [0])
    return (band, radio, host)
  }

  /// What a transfer of one kind said against what the ground truth holds of it.
  @LoopActor
  private func expectTruth(_ band: VirtualFitCloud, _ host: FitCloudHost, _ type: UInt8, _ bin: BandBin, size: Int = 1)
    async throws
  {
    let fetched = try #require(try await host.fetch(type))
    #expect(fetched.total == fetched.bytes.count)
    let delivery = try #require(band.ledger.deliveries.last)
    let items = delivery.items.map(band.recorder.item)
    let read = try samples(fetched.bytes, size: size)
    #expect(!items.isEmpty && read.map(\.shown) == items.map(\.shown), "\(bin)")
    let scale: Int64 = bin.series == .systolicPressure ? 100 : 1
    let values = items.map { item in
      size == 2 && item.values.count == 1
        ? FitCloudWire.big(UInt16(item.value)) : item.values.map { UInt8($0 / scale) }
    }
    #expect(read.map(\.value) == values)
    #expect(delivery.fate == .delivered && delivery.verdict == nil)
  }

  @Test("comes over the air as it was recorded, kind by kind")
  func kinds() throws {
    try VirtualLoop.run { loop in
      let (band, _, host) = try await worn(loop, 20, for: .seconds(2 * 86_400)) { $0.habits.manualPerDay = 12 }
      try await expectTruth(band, host, 3, BandBin(.heartRate))
      try await expectTruth(band, host, 4, BandBin(.spo2))
      try await expectTruth(band, host, 6, BandBin(.respirationRate))
      try await expectTruth(band, host, 5, BandBin(.systolicPressure), size: 2)
      try await expectTruth(band, host, 1, BandBin(.steps), size: 2)
      try await expectTruth(band, host, 131, BandBin(.heartRate, isManual: true))
      try await expectTruth(band, host, 132, BandBin(.spo2, isManual: true))
      try await expectTruth(band, host, 254, BandBin(.heartRate, kind: .resting))
      #expect(band.ledger.faults.isEmpty)
    }
  }

  @Test("of a night is its stages in slots of five minutes")
  func sleep() throws {
    try VirtualLoop.run { loop in
      let (band, _, host) = try await worn(loop, 21, for: .seconds(2 * 86_400))
      let fetched = try #require(try await host.fetch(2))
      let read = try samples(fetched.bytes)
      let items = try #require(band.ledger.deliveries.last).items.map(band.recorder.item)
      let codes: [Int64: UInt8] = [1: 3, 2: 4, 3: 2, 4: 1]
      let slots = items.flatMap { item in
        (0..<item.length.wholeNanoseconds / 300_000_000_000).map { (item.shown + $0 * 300, codes[item.value]) }
      }
      #expect(read.map(\.shown) == slots.map(\.0) && read.map { $0.value.first } == slots.map(\.1))
      #expect(read.count > 70 * 2 && Set(read.map { $0.value[0] }) == [1, 2, 3, 4])
    }
  }

  @Test("is deleted when the host has it, and kept when it says no, is silent or hangs up")
  func verdicts() throws {
    try VirtualLoop.run { loop in
      let (band, radio, host) = try await worn(loop, 22, for: .seconds(86_400))
      let bin = BandBin(.heartRate)
      let held = band.recorder.held(bin).map(\.number)
      var asked: [Int] = []
      band.onConfirmed = { asked += $0.map(\.number) }
      _ = try await host.fetch(3)
      try await host.write(hex("AB000006C5CB0008050020000101"))
      try await loop.sleep(for: .seconds(1))
      #expect(band.recorder.held(bin).map(\.number).starts(with: held) && band.ledger.confirmed.isEmpty)
      // No verdict is sent, and another type is requested.
      _ = try await host.fetch(3)
      _ = try await host.fetch(4)
      try await host.say(5, 0x20, [1])
      #expect(band.recorder.held(bin).map(\.number).starts(with: held))
      // The host disconnects in the middle.
      host.acknowledges = false
      try await host.say(5, 0x01, [3], wait: .milliseconds(300))
      host.close()
      try await loop.sleep(for: .seconds(5))
      #expect(band.ledger.faults == [.leftDuringSync] && band.recorder.held(bin).map(\.number).starts(with: held))
      #expect(band.ledger.deliveries.last?.fate == .lost)
      let again = try await FitCloudHost.meet(band, radio)
      #expect(try await again.ask(3, 0x13, FitCloudHost.user) == [0])
      _ = try await again.fetch(3)
      #expect(asked.isEmpty)
      // What comes meanwhile is not forgotten with it.
      try await loop.sleep(for: .seconds(1200))
      try await again.say(5, 0x20, [0])
      let sent = try #require(band.ledger.deliveries.last).items
      #expect(asked == sent && Set(held).isSubset(of: sent) && band.ledger.confirmed.count == sent.count)
      let left = band.recorder.held(bin)
      #expect(!left.isEmpty && left.allSatisfy { !sent.contains($0.number) })
      #expect(sent.allSatisfy { band.recorder.item($0).end == .confirmed })
      // Twice is once.
      try await again.say(5, 0x20, [0])
      #expect(band.recorder.held(bin).map(\.number).starts(with: left.map(\.number)))
    }
  }

  @Test("reports sizes and today's totals, and that unknown kinds are empty")
  func sizes() throws {
    try VirtualLoop.run { loop in
      let (band, _, host) = try await worn(loop, 23, for: .seconds(43_200))
      let size = try #require(try await host.ask(5, 0x05, [3]))
      let fetched = try #require(try await host.fetch(3))
      #expect(size == [3] + FitCloudWire.big(UInt32(fetched.bytes.count)))
      let totals = try #require(try await host.ask(5, 0x21))
      let steps = totals.prefix(4).reduce(0) { $0 << 8 | Int64($1) }
      let today = band.recorder.clock.seconds(at: loop.now) / 86_400
      let counted = band.recorder.items.filter { $0.series == .steps && $0.shown / 86_400 == today }.map(\.value)
      #expect(totals.count == 24 && steps == counted.reduce(0, +) && steps > 0)
      #expect(try #require(try await host.fetch(19)) == ([], 0))
    }
  }

  @Test("is the same whatever the frames are cut like, and has one day more if it is broken")
  func cuts() throws {
    for (bytes, isCut) in [(20, true), (497, true), (60, false), (497, false)] {
      try VirtualLoop.run { loop in
        let (band, _, host) = try await worn(loop, 24, for: .seconds(86_400)) { traits in
          traits.frameBytes = bytes
          traits.cutsRecords = isCut
          traits.breaksAtMidnight = !isCut
          traits.usesMTU = isCut
          traits.tellsOfTomorrow = bytes == 60
          traits.firstNumber = .max - 1
        }
        let fetched = try #require(try await host.fetch(3))
        let read = try samples(fetched.bytes).map(\.shown)
        let now = band.recorder.clock.seconds(at: loop.now)
        let shown = try #require(band.ledger.deliveries.last).items.map { band.recorder.item($0).shown }
        #expect(read.filter { $0 <= now } == shown && read.contains { $0 > now } == (bytes == 60))
        #expect(band.ledger.faults.isEmpty)
      }
    }
  }

  @Test("of a band with every kind of noise on its line arrives whole")
  func noise() throws {
    for quirk in [BandQuirk.wrongChecksums, .losesAcknowledgements, .drifts, .isFromElsewhere, .smallPieces] {
      var traits = FitCloudTraits()
      traits.band = BandTraits(seed: 7, [quirk])
      if quirk == .wrongChecksums { traits.band.wrongChecksums = 0.2 }
      try VirtualLoop.run { [traits] loop in
        let (band, _, host) = try await worn(loop, 25, for: .seconds(86_400), traits)
        try await expectTruth(band, host, 3, BandBin(.heartRate))
        #expect((band.repeats > 0) == (quirk == .wrongChecksums))
      }
    }
  }

  @Test("is gone when its wearer resets it, and its owner with it")
  func reset() throws {
    try VirtualLoop.run { loop in
      let (band, radio, host) = try await worn(loop, 26, for: .seconds(43_200))
      _ = try await host.fetch(3)
      band.resetByWearer()
      try await loop.sleep(for: .seconds(5))
      #expect(host.isClosed && band.recorder.held(BandBin(.heartRate)).isEmpty && !band.recorder.clock.isSet)
      let again = try await FitCloudHost.meet(band, radio)
      #expect(try await again.ask(3, 0x13, FitCloudHost.user) == [1])
      #expect(try await again.bind() == 0)
      try await loop.sleep(for: .seconds(3600))
      #expect(band.recorder.held(BandBin(.heartRate)).allSatisfy { !$0.isClockSet && $0.shown < 946_800_000 })
      band.bindByPhone()
      try await loop.sleep(for: .seconds(5))
      let third = try await FitCloudHost.meet(band, radio)
      #expect(try await third.ask(3, 0x13, FitCloudHost.user) == [1])
      #expect(try await third.bind() == 5)
    }
  }
}
