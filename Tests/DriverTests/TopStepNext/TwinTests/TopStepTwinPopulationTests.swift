import EventLoop
import Foundation
import Health
import Simulation
import Testing

@testable import BandTwin
@testable import DriverTestSupport

/// Bands of fresh seeds with all faults: the data of their memory arrive unchanged, unless a fault hid them.
@Suite("A population of simulated bands of the new platform")
struct TopStepTwinPopulationTests {
  /// `HEARTH_SEED` is one seed, `HEARTH_SEEDS` how many fresh ones: six, of two seconds each, if neither is told.
  @Test("a patient host gets all that a band holds, whatever goes wrong on the way")
  func everything() throws {
    let environment = ProcessInfo.processInfo.environment
    let replayed = environment["HEARTH_SEED"].flatMap { UInt64($0) }
    let count = environment["HEARTH_SEEDS"].flatMap { Int($0) } ?? 6
    let seeds = replayed.map { [$0] } ?? (0..<count).map { _ in UInt64.random(in: 0 ... .max) }
    print("next population: seeds \(seeds)")
    for seed in seeds { try Self.judge(seed) }
  }

  @Test(
    "what was dated by a phone that set the clock five hours ahead is held, and sent to a central that asks that far")
  func setAhead() throws { try Self.judge(7_104_975_875_463_936_111) }

  @Test(
    "a band that lost its time has that of the telephone that sets it afterwards",
    arguments: [583_684_405_866_373_775, 9_179_784_822_976_699_010] as [UInt64])
  func setAfterLoss(_ seed: UInt64) throws { try Self.judge(seed) }

  private static func traits(_ seed: UInt64) -> TopStepTraits {
    var quirks = SeededRandom(seed: seed)
    let those = Set(BandQuirk.allCases.filter { _ in quirks.chance(0.3) })
    return TopStepTraits(seed: seed, those, each: 0.3)
  }

  /// A host that asks ten times for each kind, over as many links as it takes.
  static func judge(_ seed: UInt64) throws {
    try VirtualLoop.run { loop in
      var traits = traits(seed)
      // No host gets into these, or hears the end of them.
      traits.owner.result = nil
      traits.band.battery = max(traits.band.battery, 80)
      traits.band.isBoundByPhoneAfter = nil
      let bench = try await TopStepTwinBench(loop, seed: seed, traits)
      // A connection event more than it wants.
      if traits.band.pace > .zero { bench.pace = traits.band.pace + .milliseconds(40) }
      try await loop.sleep(for: .seconds(4 * 86_400))
      try await bench.connect()
      for _ in 0..<8 where !bench.band.isLoggedIn { _ = try await bench.bind() }
      try #require(bench.band.isLoggedIn, "seed \(seed): \(bench.band.log.auths.map(\.result))")
      for kind in TopStepKind.allCases where bench.band.hasSensor(kind) {
        @LoopActor func truth() -> [ToldItem] { bench.truth(kind).filter { !bench.isFiller($0, kind) } }
        var told: [ToldItem]?
        for _ in 0..<12 {
          guard let (result, days) = try await bench.sync(kind), result != 127 else { continue }
          told = ToldItem.all(kind, days).filter { !bench.isFiller($0, kind) }
          // A day with a lost frame is requested again.
          if told == truth() { break }
        }
        #expect(told == truth(), "seed \(seed), \(kind)")
      }
      #expect(bench.band.log.faults.isEmpty, "seed \(seed)")
      let owed = bench.band.owed(linkedFor: .zero)
      #expect(owed.count > 200, "seed \(seed)")
      let delivered = bench.band.ledger.delivered
      #expect(owed.allSatisfy { delivered.contains($0.number) }, "seed \(seed)")
    }
  }

  @Test("one seed is one band, sent in the same bytes")
  func replay() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("next replay: seed \(seed)")
    func once() throws -> [[UInt8]] {
      try VirtualLoop.run { loop in
        var traits = Self.traits(seed)
        traits.owner.user = TopStepTwinBench.user
        let bench = try await TopStepTwinBench(loop, seed: seed, traits)
        try await loop.sleep(for: .seconds(2 * 86_400))
        try await bench.connect()
        _ = try await bench.login()
        for kind in TopStepKind.allCases { _ = try await bench.sync(kind) }
        return bench.pieces
      }
    }
    let first = try once()
    #expect(try first == once() && !first.isEmpty)
  }

  @Test("many bands are made from one seed, each another")
  func many() throws {
    try VirtualLoop.run { loop in
      let world = VirtualWorld(loop: loop, seed: 5)
      let bands = world.addNextBands(20, quirks: 0.2)
      #expect(Set(bands.map(\.next.serial)).count == 20)
      #expect(Set(bands.map(\.address)).count == 20 && bands.contains { !$0.next.owner.asksWearer })
    }
  }
}
