// Everything that a virtual Moyoung band claims to store, read by an independent reader, and properties of it over
// fresh seeds.

import EventLoop
import Health
import Simulation
import Testing

@testable import BandTwin

/// What one round of questions brought, by the band's clock.
struct TwinReading {
  /// By shown seconds.
  var rates: [Int64: Int64] = [:]
  /// Questions that were not answered.
  var unanswered = 0

  static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
    Array(bytes).reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  @LoopActor
  static func all(_ bench: TwinBench) async throws -> TwinReading {
    var reading = TwinReading()
    for index: UInt8 in 0..<8 {
      let today = bench.band.memory.today
      guard let answer = try await bench.payload(.askFiveMinuteRates, [index]), answer.count == 73,
        answer[0] == index, bench.band.memory.today == today
      else {
        reading.unanswered += 1
        continue
      }
      let start = (today - Int64(index / 4)) * 86_400 + Int64(index % 4) * 6 * 3600
      for (slot, rate) in answer.dropFirst().enumerated() where rate > 0 {
        reading.rates[start + Int64(slot) * 300] = Int64(rate)
      }
    }
    for index: UInt8 in 0..<20 {
      let today = bench.band.memory.today
      guard let answer = try await bench.payload(.askMinuteRates, [index]), answer.count == 73, answer[0] == index,
        bench.band.memory.today == today
      else {
        reading.unanswered += 1
        continue
      }
      for (minute, rate) in answer.dropFirst().enumerated() where rate > 0 {
        reading.rates[today * 86_400 + (Int64(index) * 72 + Int64(minute)) * 60] = Int64(rate)
      }
    }
    return reading
  }
}

@Suite("A virtual Moyoung band of any seed")
struct TwinPropertyTests {
  static let seeds: [UInt64] = {
    var system = SystemRandomNumberGenerator()
    let seeds = (0..<6).map { _ in UInt64.random(in: 1...UInt64(UInt32.max), using: &system) }
    print("Moyoung twin: seeds \(seeds)")
    return seeds
  }()

  @Test("sends only what it measured, and everything that it holds", arguments: seeds)
  func truthful(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      var draw = SeededRandom(seed: seed)
      let make = MoyoungMake.number(draw.below(30))
      var traits = BandTraits(seed: seed, each: 0.2)
      traits.wrongChecksums = 0
      traits.lostAcknowledgements = 0
      let bench = try await TwinBench(loop, seed: seed, make, traits: traits)
      for _ in 0..<4 {
        try await loop.sleep(for: draw.duration(in: .seconds(3600)...(.seconds(2 * 86_400))))
        try await bench.connect(mtu: [23, 100, 247][draw.below(3)])
        // The first frame may not be heard.
        _ = try await bench.payload(.askVersion)
        if draw.chance(0.5) { try await bench.setTime(offset: draw.chance(0.3) ? 7200 : 3600) }
        let began = loop.now
        let reading = try await TwinReading.all(bench)
        let truth = bench.band.groundTruth
        var strange = 0
        for (shown, rate) in reading.rates {
          let isMeasured = truth.contains { $0.shown == shown && $0.value == rate && $0.series == .heartRate }
          if !isMeasured { strange += 1 }
        }
        #expect(strange == 0, "\(seed)")
        // What was measured meanwhile may lie in a part that was told before.
        let held = truth.filter {
          $0.series == .heartRate && $0.recordedAt < began && $0.goneAt == nil && bench.band.holds($0.number)
        }
        var untold = 0
        // Rates of a training come by another command, until a host has taken them.
        let ofTraining = Set(bench.band.memory.trainingRates?.rates.compactMap { $0?.item } ?? [])
        for item in held where !ofTraining.contains(item.number) && reading.rates[item.shown] != item.value {
          untold += 1
        }
        #expect(reading.unanswered > 0 || untold == 0, "\(seed): \(untold) of \(held.count)")
        let lost = truth.count { $0.goneAt == nil && !bench.band.holds($0.number) }
        #expect(lost == 0, "\(seed): nobody holds them")
        try await bench.hangUp()
        try await loop.sleep(for: .seconds(3))
      }
    }
  }

  @Test("loses only what its queue loses: a reply is whole or not sent", arguments: seeds)
  func lossy(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      var faults = FaultPlan()
      faults.lostNotification = 0.05
      let bench = try await TwinBench(
        loop, seed: seed, faults: faults, MoyoungMake.number(Int(seed % 30)).withTroubles(0.1))
      try await loop.sleep(for: .seconds(86_400))
      try await bench.connect()
      _ = try await TwinReading.all(bench)
      try await loop.sleep(for: .seconds(30))
      let deliveries = bench.band.ledger.deliveries
      #expect(deliveries.allSatisfy { $0.fate != .underWay }, "\(seed)")
      #expect(deliveries.contains { $0.fate == .delivered }, "\(seed)")
      let whole = TwinBench.frames(bench.pieces).count { $0[4] == 53 || $0[4] == 54 }
      #expect(whole >= deliveries.count { $0.fate == .delivered }, "\(seed)")
    }
  }
}
