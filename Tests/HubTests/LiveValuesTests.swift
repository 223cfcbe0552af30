import EventLoop
import Reasons
import Testing
import Wearable

@testable import Hub

@Suite("Live values")
struct LiveValuesTests {
  @Test("who listens to one wearable waits for it; who listens to all waits for nobody")
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
    }
  }
}
