import Foundation
import Testing

@testable import EventLoop

@Suite("How long turns took")
struct TurnHistogramTests {
  @Test(
    "a quantile is never too small, and at most an eighth too large",
    arguments: [1, 7, 8, 9, 63, 64, 999, 1000, 4_999, 65_536, 2_000_000, 66_000_000])
  func precision(microseconds: Int64) {
    var turns = TurnHistogram()
    turns.add(.microseconds(microseconds))
    let said = turns.quantile(0.5)
    #expect(
      said >= .microseconds(microseconds) && said <= .microseconds(microseconds + microseconds / 8 + 1), "\(said)")
  }

  @Test("of a thousand turns, ten of them long, 99 of 100 were short")
  func quantiles() {
    var turns = TurnHistogram()
    #expect(turns.quantile(0.99) == .zero)
    for _ in 0..<990 { turns.add(.microseconds(100)) }
    for _ in 0..<10 { turns.add(.milliseconds(20)) }
    #expect(turns.count == 1000)
    #expect(turns.quantile(0.5) < .microseconds(120) && turns.quantile(0.99) < .microseconds(120))
    #expect(turns.quantile(0.995) >= .milliseconds(20) && turns.quantile(1) < .milliseconds(23))
    // A clock that went back, and a hang of an hour.
    turns.add(.seconds(-1))
    turns.add(.seconds(3600))
    #expect(turns.count == 1002 && turns.quantile(1) >= .seconds(60))
  }

  @Test("the loop counts what keeps others waiting: bodies and resumed tasks together")
  func counted() throws {
    let statistics = try EpollLoop.run { loop in
      try await loop.sleep(for: .milliseconds(5))
      usleep(30_000)
      await Task.yield()
      try await loop.sleep(for: .milliseconds(5))
      return loop.statistics
    }
    #expect(statistics.longestTurn >= .milliseconds(30) && statistics.turns.quantile(1) >= .milliseconds(30))
    #expect(statistics.turns.count >= 3)
  }
}
