import EventLoop
import Testing

@testable import hearth_sim

@Suite("Seeds that were never run before")
struct FreshSeedTests {
  @Test("are asked for by their number")
  func asked() {
    #expect(FreshSeeds("fresh:2000")?.count == 2000)
    for none in ["fresh", "fresh:", "fresh:0", "fresh:-1", "fresh:1000001", "stale:5", "fresh:5:6", "5"] {
      #expect(FreshSeeds(none) == nil, "\(none)")
    }
  }

  @Test("give worlds of every population, with the faults of a gym and with all of them, the same for the same seed")
  func drawn() {
    let worlds = (1...400).map { FreshSeeds.draw(UInt64($0)) }
    let kinds: [(HearthSim.Population, HearthSim.FaultChoice)] = [
      (.mixed, .gym), (.mixed, .all), (.polar, .gym), (.polar, .all), (.ward, .gym),
      (.ward, .all),
    ]
    for (population, faults) in kinds {
      #expect(worlds.count { $0.population == population && $0.faults == faults } > 20)
    }
    #expect(
      worlds.allSatisfy {
        (2...40).contains($0.wearables)
          && ($0.population != .mixed ? (1...7).contains($0.days) : (200...5000).contains($0.visits))
      })
    #expect(
      zip(worlds, 1...400).allSatisfy {
        TrialReport(options: $0).replay == TrialReport(options: FreshSeeds.draw(UInt64($1))).replay
      })
  }

  @Test("give days of bands if these are wanted, half of them days on which clocks change") func bands() {
    let worlds = (1...100).map { FreshSeeds.draw(UInt64($0), bands: true) }
    #expect(worlds.allSatisfy { $0.population == .bands && $0.days == 1 && (3...16).contains($0.wearables) })
    let moved = worlds.filter { $0.from != nil }
    #expect((30...70).contains(moved.count) && Set(moved.map(\.zone)).count == 3)
    #expect(
      moved.allSatisfy { world in
        let offsets = [0, 1].map { world.rules.offset(at: world.morning.microseconds + $0 * 86_400_000_000) }
        return offsets[0] != offsets[1]
      })
  }

  @Test("that fail are listed at the end, with the lines that replay them")
  func failed() {
    var sum = FreshSum()
    #expect(sum.note("5 visits, 7 samples\nsum: 5 7 1 100 9 2 4 0 3\n", nil, "a") == ": 5 visits, 7 samples")
    #expect(sum.note("seed 1: odd\n", "exit status 1", "hearth-sim --seed 1") == ": FAILED: exit status 1\nseed 1: odd")
    _ = sum.note("5 visits, 7 samples\nsum: 5 7 1 100 9 2 4 0 3 1 8\n", nil, "b")
    #expect(sum.runs == 3 && sum.inARow == 1 && sum.failed == ["hearth-sim --seed 1"])
    let text = sum.text(seconds: 3)
    #expect(
      text.hasPrefix("3 new seeds in 3 s: 10 visits, 14 samples, 2 kills, 6 live")
        && text.hasSuffix("1 OF 3 FAILED, 1 in a row without a violation since; replay:\n  hearth-sim --seed 1"))
    #expect(
      sum.objections.isEmpty
        && text.contains("1 commands crossed a beginning on the air; 8 live values are by a clock of a moment ago"))
  }

  @Test("excuse no more than one in twenty of all values")
  func excused() {
    var sum = FreshSum()
    _ = sum.note("sum: 1 1 0 100000000 0 9 5000000 0 0", nil, "a")
    #expect(sum.objections.isEmpty)
    _ = sum.note("sum: 1 1 0 0 0 9 1 0 0", nil, "b")
    #expect(sum.objections == ["5000001 of 100000000 values are excused: more than one in twenty"])
  }
}
