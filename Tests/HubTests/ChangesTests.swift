import EventLoop
import Testing

@testable import Hub

@Suite("Changes")
struct ChangesTests {
  @Test("what people are shown is reported once a turn, and everything else at once")
  func turns() throws {
    try VirtualLoop.run { loop in
      let changes = Changes(loop)
      var told: [String] = []
      changes.listen { told.append("\($0)") }
      changes.raise(.shown)
      changes.raise(.shown)
      changes.raise(.lane)
      #expect(told == ["lane"])
      try await loop.sleep(for: .milliseconds(1))
      #expect(told == ["lane", "shown"])
      changes.raise(.shown)
      changes.settle()
      #expect(told == ["lane", "shown", "shown"])
      try await loop.sleep(for: .milliseconds(1))
      #expect(told.count == 3, "what was told is not told again")
    }
  }
}
