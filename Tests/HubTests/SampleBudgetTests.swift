import EventLoop
import Health
import Reasons
import Testing

@testable import Hub

@Suite("What one wearable may bring")
struct SampleBudgetTests {
  private static let share = 150_000_000

  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 5_000_000_000 + Int64(seconds * 1e9)) }

  /// A stream: so many items a second, each of so many values and bytes.
  private struct Stream {
    let series: Series
    let rate: Double
    var values = 1
    var bytes = 0
  }

  /// - Returns: of each stream how many passed; the bytes that were taken.
  private func run(_ streams: [Stream], seconds: Int, share: Int? = Self.share) -> (passed: [Int], used: Int, news: Int)
  {
    var budget = SampleBudget()
    budget.share = share
    var passed = streams.map { _ in 0 }
    var sent = streams.map { _ in 0 }
    var news = 0
    var used = 0
    for tenth in 0..<seconds * 10 {
      let now = at(Double(tenth) / 10)
      for (place, stream) in streams.enumerated() {
        while Double(sent[place]) < Double(tenth + 1) / 10 * stream.rate {
          sent[place] += 1
          let size = SampleBudget.size(stream.values, stream.bytes)
          switch budget.admit(stream.series, size, now: now) {
          case .pass:
            passed[place] += 1
            used += size
          case .tooFast: break
          case .overShare(let isNews): if isNews { news += 1 }
          }
        }
      }
    }
    return (passed, used, news)
  }

  @Test("ten notifications a second with 254 intervals each bring five intervals a second, and four rates")
  func flood() {
    let hour = run([Stream(series: .heartRate, rate: 10), Stream(series: .rrInterval, rate: 2540)], seconds: 3600)
    // The bucket of half a minute, and then what a heart can give.
    let (rates, intervals) = (4 * 3600, 5 * 3600)
    #expect((rates...rates + 121).contains(hour.passed[0]), "\(hour.passed)")
    #expect((intervals...intervals + 151).contains(hour.passed[1]), "\(hour.passed)")
    // 36 bytes a second against 8.3 kB: 3.1 MB a day, a five-hundredth of the store.
    #expect(hour.used * 24 < 3_300_000 && hour.news == 0, "\(hour.used)")
  }

  @Test("a strap that streams all it has for a day stays within its share, without loss")
  func heavy() {
    // ECG 130 Hz in blocks of 73 samples of 3 bytes, acceleration 200 Hz in blocks of 36 samples of 6 bytes.
    let streams = [
      Stream(series: .heartRate, rate: 1), Stream(series: .rrInterval, rate: 3),
      Stream(series: .ecg, rate: 130.0 / 73, values: 3, bytes: 219),
      Stream(series: .acc, rate: 200.0 / 36, values: 3, bytes: 216),
    ]
    let hour = run(streams, seconds: 3600)
    #expect(zip(hour.passed, streams).allSatisfy { abs(Double($0) - $1.rate * 3600) <= 2 }, "\(hour.passed)")
    #expect((130_000_000..<Self.share).contains(hour.used * 24), "\(hour.used * 24)")
  }

  @Test("insoles that stream as fast as their link lets them bring less than half a share in a day")
  func insoles() {
    let streams = [
      Stream(series: .footPressure, rate: 20, values: 16), Stream(series: .orientation, rate: 20, values: 8),
    ]
    let hour = run(streams, seconds: 3600)
    #expect(hour.passed == [72_000, 72_000] && hour.used * 24 < 100_000_000, "\(hour.used * 24)")
  }

  @Test("what a link held back for half a minute passes at once, and no more")
  func gust() {
    var budget = SampleBudget()
    var passed = 0
    for _ in 0..<1000 { if case .pass = budget.admit(.rrInterval, 4, now: at(0)) { passed += 1 } }
    #expect(passed == 150)
    if case .pass = budget.admit(.heartRate, 4, now: at(0)) {} else { Issue.record("another series waits for it") }
  }

  @Test("bytes beyond the share are dropped until the day is over, and that is said once a day")
  func share() {
    let block = Stream(series: .ppg, rate: 10, values: 3, bytes: 1000)
    let day = run([block], seconds: 86_400, share: 1_000_000)
    #expect(day.used <= 1_000_000 && day.used > 990_000 && day.news == 1)
    var budget = SampleBudget()
    budget.share = 10_000
    for _ in 0..<20 { _ = budget.admit(.ppg, 1000, now: at(0)) }
    #expect(budget.fullUntil(at(60)) == at(86_400) && budget.used == 10_000)
    #expect(budget.fullUntil(at(86_400)) == nil)
    if case .pass = budget.admit(.ppg, 1000, now: at(86_401)) {} else { Issue.record("a new day, and nothing passes") }
    #expect(budget.used == 1000)
  }

  @Test("H2147: a wearable that used up its share says so, and until when, and is reported as an event")
  func told() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      var reasons: [Reason] = []
      parts.context.changes.onHappening = {
        if case .shareReached(_, let trouble) = $0 { reasons.append(trouble.reason) }
      }
      wearable.live.budget.share = 1000
      wearable.noteShareReached(parts.context)
      #expect(reasons.isEmpty && wearable.shareTrouble(parts.context) == nil)
      if wearable.live.budget.note(1000, now: parts.loop.now) { wearable.noteShareReached(parts.context) }
      #expect(reasons == [.shareReached])
      #expect(parts.status.wearables.trouble(of: wearable)?.reason == .shareReached)
    }
  }

  @Test("what was fetched counts, is reported once, and what streams then is dropped")
  func fetched() {
    var budget = SampleBudget()
    budget.share = 1000
    #expect(!budget.note(900, now: at(0)) && budget.fullUntil(at(1)) == nil)
    #expect(budget.note(900, now: at(2)) && !budget.note(1, now: at(3)))
    if case .overShare(let isNews) = budget.admit(.heartRate, 4, now: at(4)) {
      #expect(!isNews)
    } else {
      Issue.record("it passes")
    }
    #expect(budget.fullUntil(at(4)) == at(86_400))
  }
}
