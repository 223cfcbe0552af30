import EventLoop
import Health
import Reasons
import Testing
import Wearable

@testable import Hub

@Suite("Live values")
struct LiveValuesTests {
  @Test("a listener to one wearable waits for it; a listener to all waits for none")
  func listens() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let all = try parts.live.subscribe(nil) { _ in }
      #expect(parts.raised.isEmpty && !parts.live.isListened(wearable))
      let one = try parts.live.subscribe("a") { _ in }
      #expect(parts.raised == ["awaited"] && parts.live.isListened(wearable) && parts.lane.isAwaited(wearable))
      parts.live.unsubscribe(one)
      #expect(!parts.live.isListened(wearable))
      parts.live.unsubscribe(all)
      let live = parts.live
      #expect(await refusal { () throws(HearthError) in try live.subscribe("b") { _ in } } == .noSuchWearable)
    }
  }

  @Test("a value that its decoder refuses is counted, and logged with its code at the first, second and fourth time")
  func malformed() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let source = LiveSource(service: 0x180D, characteristic: 0x2A37, mode: .subscribe, isRequired: true)
      for _ in 0..<5 {
        wearable.live.counters.malformed += 1
        parts.live.noteMalformed(wearable, source, .truncated)
      }
      #expect(parts.lines.all.filter { $0.contains("H2005") }.count == 3)
      let odd = try parts.status.wearables.named("a").oddities
      #expect(odd.map(\.what) == ["a value of 2A37 that is truncated, left out"] && odd.map(\.count) == [5])
    }
  }

  @Test("what is left out, or odd, is reported with its reason, and in the log once")
  func odd() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      let intake = parts.live.intake(of: wearable, RecorderDriver())
      intake.events.odd = { [live = parts.live] in live.noteOdd(wearable, $0) }
      #expect(try parts.status.wearables.named("a").oddities.isEmpty)
      for _ in 0..<3 { intake.noteAnomaly("scale: a weight that had not settled, left out") }
      intake.append(Sample(.heartRate, 5000))
      let odd = try parts.status.wearables.named("a").oddities
      let reasons = ["scale: a weight that had not settled, left out", "heart_rate beyond what is possible, left out"]
      #expect(odd.map(\.what) == reasons && odd.map(\.count) == [3, 1])
      #expect(odd.allSatisfy { $0.last == parts.loop.wall })
      #expect(
        reasons.allSatisfy { reason in parts.lines.all.filter { $0.contains("H2159") && $0.contains(reason) }.count == 1
        })
      let counters = wearable.live.counters
      #expect(counters.anomalies == 3 && counters.impossible == 1)
    }
  }
}
