import Simulation
import Testing

@Suite("Seeded chance")
struct SeededRandomTests {
  @Test("the generator gives the published sequence of SplitMix64")
  func publishedSequence() {
    // The reference implementation's first outputs for seed 1234567 (S. Vigna, splitmix64.c).
    var random = SeededRandom(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }

  @Test("a stream is the same however much was drawn before, and unlike its neighbours")
  func streamsAreStable() {
    var random = SeededRandom(seed: 5)
    var before = random.split(3)
    for _ in 0..<100 { _ = random.next() }
    var after = random.split(3)
    var neighbour = random.split(4)
    let values = (0..<50).map { _ in before.next() }
    #expect(values == (0..<50).map { _ in after.next() })
    #expect(values != (0..<50).map { _ in neighbour.next() })
  }

  @Test("draws stay in their bounds and reach them")
  func bounds() {
    var random = SeededRandom(seed: 6)
    var seen: Set<Int> = []
    for _ in 0..<1000 {
      let value = random.integer(in: -2...2)
      #expect((-2...2).contains(value))
      seen.insert(value)
      #expect((0..<1).contains(random.fraction()))
      #expect((-1...1).contains(random.noise()))
      #expect((.seconds(1)...(.seconds(2))).contains(random.duration(in: .seconds(1)...(.seconds(2)))))
    }
    #expect(seen.count == 5)
    let hits = (0..<10_000).reduce(0) { count, _ in count + (random.chance(0.25) ? 1 : 0) }
    #expect((2300...2700).contains(hits))
  }
}
