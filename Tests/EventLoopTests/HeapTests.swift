import Foundation
import Testing

@testable import EventLoop

@Suite("The heap")
struct HeapTests {
  @Test("a process that is kept small has no huge pages")
  func noHugePages() throws {
    Heap.keepSmall()
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("THP_enabled:") })
    #expect(line.split(separator: "\t").last == "0")
  }
}
