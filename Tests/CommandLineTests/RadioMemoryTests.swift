import Foundation
import Testing

@testable import hearthd

@Suite("What the radio remembers over a restart")
struct RadioMemoryTests {
  @Test("a static address is made once for each place, has two top bits of 1, and is the same at the next start")
  func staticAddresses() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("radio-memory-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("store").path
    let memory = RadioMemory(storePath: store)
    let second = try #require(memory.staticAddress(1))
    let first = try #require(memory.staticAddress(0))
    #expect(first != second && first >> 46 == 3 && second >> 46 == 3)
    let again = RadioMemory(storePath: store)
    #expect(again.staticAddress(0) == first && again.staticAddress(1) == second)
    #expect(again.staticAddress(-1) == nil && again.staticAddress(64) == nil)
    // What is no such address is made again.
    try "not\nffffffffffff\n1\n".write(
      to: folder.appendingPathComponent("radio-static"), atomically: true, encoding: .utf8)
    #expect(try #require(again.staticAddress(0)) >> 46 == 3)
    #expect(RadioMemory(storePath: "/proc/none/store").staticAddress(0) == nil, "it cannot be written")
  }
}
