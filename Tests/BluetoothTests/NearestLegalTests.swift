import Bluetooth
import Testing

@Suite("The nearest legal connection parameters")
struct NearestLegalTests {
  @Test("every combination of small, large and absurd numbers becomes legal, and stays what it was if it was legal")
  func allBecomeLegal() {
    let intervals: [UInt16] = [
      0, 5, 6, 7, 12, 24, 40, 79, 80, 81, 160, 360, 363, 364, 400, 800, 3199, 3200, 3201, .max,
    ]
    let latencies: [UInt16] = [0, 1, 4, 10, 30, 100, 498, 499, 500, .max]
    let timeouts: [UInt16] = [0, 9, 10, 42, 100, 400, 600, 1000, 3199, 3200, 3201, .max]
    var illegal = 0
    for minimum in intervals {
      for maximum in intervals {
        for latency in latencies {
          for timeout in timeouts {
            let asked = ConnectionParameters(
              minimumInterval: minimum, maximumInterval: maximum, latency: latency, timeout: timeout)
            let legal = asked.nearestLegal
            #expect(legal.defect == nil, "\(asked)")
            if asked.defect == nil { #expect(legal == asked) } else { illegal += 1 }
            // Never slower than was asked for.
            #expect(legal.maximumInterval <= max(maximum, 6))
          }
        }
      }
    }
    #expect(illegal > 10_000)
  }

  @Test("the published idle profile comes down to 450 ms and keeps latency and timeout")
  func publishedIdle() {
    let published = ConnectionParameters(minimumInterval: 160, maximumInterval: 400, latency: 10, timeout: 1000)
    #expect(published.defect != nil)
    #expect(published.nearestLegal == .idle)
  }

  @Test("latency comes down only if the shortest interval is too long for it")
  func latencyLast() {
    let odd = ConnectionParameters(minimumInterval: 6, maximumInterval: 6, latency: 499, timeout: 10)
    #expect(odd.nearestLegal == ConnectionParameters(minimumInterval: 6, maximumInterval: 6, latency: 5, timeout: 10))
    let slow = ConnectionParameters(minimumInterval: 30, maximumInterval: 50, latency: 4, timeout: 42)
    #expect(
      slow.nearestLegal == ConnectionParameters(minimumInterval: 30, maximumInterval: 33, latency: 4, timeout: 42))
  }
}
