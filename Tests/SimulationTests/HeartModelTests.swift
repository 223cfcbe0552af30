import Testing

@testable import Simulation
@testable import StrapTwin

@Suite("A simulated heart")
struct HeartModelTests {
  @Test("beats fill the time and agree with the rate, at rest and in exercise")
  func beatsAgreeWithTheRate() {
    var rates: [Double] = []
    for seed: UInt64 in 1...5 {
      var random = SeededRandom(seed: seed)
      var heart = HeartModel(&random)
      var intervals: [UInt16] = []
      var expectedBeats = 0.0
      let seconds = 6 * 3600
      for _ in 0..<seconds {
        heart.advanceOneSecond(&random, intervals: &intervals)
        expectedBeats += heart.rate / 60
        rates.append(heart.rate)
      }
      let beaten = intervals.reduce(0) { $0 + Int($1) }
      // All but the beat under way: an interval is at most 1.05 × 60/38 s.
      #expect(seconds * 1024 - beaten >= 0 && seconds * 1024 - beaten < 1700)
      #expect(abs(Double(intervals.count) / expectedBeats - 1) < 0.01)
      #expect(heart.energy > 0)
    }
    #expect(rates.allSatisfy { (38...205).contains($0) })
    #expect(rates.contains { $0 < 60 } && rates.contains { $0 > 120 })
  }
}
