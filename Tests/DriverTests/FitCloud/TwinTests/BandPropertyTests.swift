import Bluetooth
import EventLoop
import Foundation
import Health
import Simulation
import Testing

@testable import BandTwin

/// What holds for every life of a band; seeds are new with each run, and printed. `HEARTH_SEED` replays one.
@Suite("A virtual band's life")
struct BandPropertyTests {
  private func fresh(_ name: String) -> UInt64 {
    let replayed = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap { UInt64($0) }
    let seed = replayed ?? UInt64.random(in: .min ... .max)
    print("\(name): seed \(seed)")
    return seed
  }

  private func recorder(_ seed: UInt64, capacity: Int = 150) -> BandRecorder {
    var draw = SeededRandom(seed: seed)
    var model = BandModel()
    model.schedules = [
      .heartRate: BandSchedule(interval: [5, 10, 30][draw.below(3)]),
      .spo2: BandSchedule(start: 60 * draw.below(10), end: 1440 - 60 * draw.below(10), interval: 30),
    ]
    model.hasExtremes = draw.chance(0.5)
    model.hasDistance = draw.chance(0.5)
    model.daysKept = draw.chance(0.3) ? draw.integer(in: 1...7) : nil
    model.otherCapacity = capacity
    let clock = WristClock(
      shown: 1_795_000_000 + Int64(draw.below(1_000_000)), drift: draw.integer(in: -120...120),
      at: Instant(nanoseconds: 1_000_000_000))
    return BandRecorder(
      model, BandLife(seed: draw.next()), clock, now: Instant(nanoseconds: 1_000_000_000), time: VirtualLoop.morning)
  }

  private let day = Duration.seconds(86_400)
  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test("is the same at every look")
  func looking() {
    let seed = fresh("looking")
    var once = recorder(seed)
    var often = recorder(seed)
    once.advance(to: start + day * 9)
    var draw = SeededRandom(seed: seed &+ 1)
    var at = start
    while at < start + day * 9 {
      at = min(start + day * 9, at + draw.duration(in: .zero ... .seconds(20_000)))
      often.advance(to: at)
    }
    #expect(once.items.count > 500 && once.items.count == often.items.count)
    #expect(
      zip(once.items, often.items).allSatisfy {
        $0.shown == $1.shown && $0.values == $1.values && $0.at == $1.at && $0.goneAt == $1.goneAt
      })
  }

  @Test("is recorded in the order of time, within its memory, and what memory lost it lost oldest first")
  func bounds() {
    for _ in 0..<10 {
      let seed = fresh("bounds")
      var band = recorder(seed, capacity: 40)
      var draw = SeededRandom(seed: seed &+ 2)
      for round in 1...12 {
        let now = start + .seconds(86_400 * round)
        band.advance(to: now)
        #expect(band.memories.values.allSatisfy { $0.numbers.count <= $0.capacity })
        switch draw.below(5) {
        case 0: band.loseClock(at: now)
        case 1: band.setClock(1_796_000_000 + Int64(round) * 86_400, at: now)
        case 2: band.setClock(band.clock.seconds(at: now) + Int64(draw.integer(in: -400...400)), at: now)
        case 3: band.forget(Set(band.held.suffix(30).map(\.number)), at: now)
        default: band.setSchedule(BandSchedule(interval: 15), of: .heartRate, at: now)
        }
      }
      let items = band.items
      #expect(items.indices.allSatisfy { items[$0].number == $0 + 1 })
      #expect(zip(items, items.dropFirst()).allSatisfy { $0.recordedAt <= $1.recordedAt })
      #expect(items.allSatisfy { $0.at <= $0.recordedAt && $0.recordedAt <= $0.goneAt ?? $0.recordedAt })
      #expect(items.allSatisfy { ($0.goneAt == nil) == ($0.end == nil) })
      #expect(band.overwritten == items.count { $0.end == .overwritten } && band.overwritten > 0)
      for (bin, memory) in band.memories {
        let own = items.filter { BandBin($0.series, isManual: $0.isManual, kind: $0.kind) == bin }
        #expect(memory.numbers == own.filter { $0.goneAt == nil }.map(\.number))
        // Shown times of one stretch of the clock ascend strictly.
        for stretch in Set(own.map(\.stretch)) where bin.kind == .normal {
          let shown = own.filter { $0.stretch == stretch }.map(\.shown)
          #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 }, "\(seed) \(bin)")
        }
      }
    }
  }

  @Test("has true times that its clock's drift explains")
  func clocks() {
    let seed = fresh("clocks")
    var band = recorder(seed)
    band.advance(to: start + day * 5)
    let first = band.items.first { $0.series == .heartRate && $0.kind == .normal }
    let last = band.items.last { $0.series == .heartRate && $0.kind == .normal }
    guard let first, let last else {
      Issue.record("nothing was measured")
      return
    }
    let shown = Double(last.shown - first.shown)
    let passed = (last.at - first.at).inSeconds
    #expect(abs(shown - passed * (1 + Double(band.clock.drift) / 1e6)) < 0.1)
    #expect(last.time - first.time == .microseconds((last.at.nanoseconds / 1000) - (first.at.nanoseconds / 1000)))
  }

  @Test("has nights of four stages, each unlike the one before, on five minutes")
  func nights() {
    let life = BandLife(seed: fresh("nights"))
    for day in Int64(20_000)..<20_100 {
      let night = life.night(endingOn: day)
      #expect(night.start % 300 == 0 && (21_600...32_400).contains(night.end - night.start))
      #expect(night.stages.allSatisfy { $0.length > 0 && $0.length % 300 == 0 && (1...4).contains($0.stage) })
      #expect(zip(night.stages, night.stages.dropFirst()).allSatisfy { $0.stage != $1.stage })
      #expect(night.end < life.night(endingOn: day + 1).start)
    }
  }

  @Test("is distinguished by quirks that are turned on one by one")
  func quirks() {
    let seed = fresh("quirks")
    for quirk in BandQuirk.allCases {
      let one = BandTraits(seed: seed, [quirk])
      #expect(one.quirks == [quirk])
      let plain = BandTraits()
      let differences: [Bool] = [
        one.takesBytes != plain.takesBytes, one.pace != plain.pace, one.ignoresFirstFrame, one.wrongChecksums > 0,
        one.lostAcknowledgements > 0, one.isResetAfter != nil, one.isBoundByPhoneAfter != nil,
        one.cancelsBindings > 0, one.ignoresBindings > 0, one.battery < 10, one.clockDrift != 0,
        one.losesTimeAfter != nil, one.zone != plain.zone, one.isSetByPhone != nil,
      ]
      #expect(differences.count == BandQuirk.allCases.count)
      #expect(differences.indices.filter { differences[$0] } == [quirk.rawValue])
    }
  }

  @Test("is fetched by an honest host without loss, and never forgotten before its verdict")
  func verdicts() throws {
    let seed = fresh("verdicts")
    try VirtualLoop.run { loop in
      let (world, radio) = try await bandWorld(loop, seed)
      let bands = world.addFitClouds(4) { traits in
        if traits.isOldGeneration { traits = FitCloudTraits() }
        traits.capacity = 300
      }
      var draw = SeededRandom(seed: seed &+ 3)
      for band in bands {
        var stored: Set<Int> = []
        band.onConfirmed = { items in
          #expect(items.allSatisfy { stored.contains($0.number) }, "confirmed before it was stored")
        }
        for round in 0..<6 {
          try await loop.sleep(for: draw.duration(in: .seconds(3600) ... .seconds(2 * 86_400)))
          let host = try await FitCloudHost.meet(band, radio)
          let result = round == 0 ? try await host.bind() : try await host.ask(3, 0x13, FitCloudHost.user)?.first
          #expect(result == 0)
          for type: UInt8 in [1, 2, 3, 4, 6, 131, 132] {
            guard try await host.fetch(type) != nil, let delivery = band.ledger.deliveries.last,
              delivery.fate == .delivered
            else { continue }
            let isKept = draw.chance(0.7)
            if isKept { stored.formUnion(delivery.items) }
            try await host.say(5, 0x20, [isKept ? 0 : 1], wait: .milliseconds(500))
          }
          // Long enough for all of them, so that data overwritten meanwhile do not count as its fault.
          try await loop.sleep(for: .seconds(300))
          host.close()
        }
        let items = band.recorder.items
        let forgotten = Set(items.filter { $0.end == .confirmed }.map(\.number))
        #expect(forgotten.isSubset(of: band.ledger.confirmed.keys))
        // A full memory may have overwritten what was on its way while the host took its time to say that it has it.
        for number in band.ledger.confirmed.keys where !forgotten.contains(number) {
          #expect(band.recorder.item(number).end == .overwritten)
        }
        #expect(Set(band.ledger.confirmed.keys).isSubset(of: stored))
        let kinds: Set<Series> = [.steps, .sleepStage, .heartRate, .spo2, .respirationRate]
        let owed = band.owed(linkedFor: .seconds(300)).filter { kinds.contains($0.series) && $0.kind == .normal }
        // What was fetched and refused each time is owed all the same.
        let missing = Set(owed.map(\.number)).subtracting(band.ledger.delivered).sorted()
        #expect(missing.isEmpty)
        #expect(band.ledger.faults.isEmpty)
      }
    }
  }

  @Test("in a world of many is the same for the same seed")
  func worlds() throws {
    let seed = fresh("worlds")
    let lives = try (0..<2).map { _ in
      try VirtualLoop.run { loop in
        let (world, _) = try await bandWorld(loop, seed)
        let bands = world.addFitClouds(12, quirks: 0.2)
        try await loop.sleep(for: .seconds(3 * 86_400))
        return bands.map { band in
          band.catchUp()
          return "\(band.label) \(band.traits.quirks.count) \(band.recorder.items.count) \(band.recorder.overwritten)"
        }
      }
    }
    #expect(lives[0] == lives[1] && Set(lives[0]).count == 12)
  }
}
