import EventLoop
import Foundation
import Health
import Testing

@testable import RingStore

@Suite(.serialized) struct KillTests {
  /// Where the package's programs are built: beside the bundle of the tests.
  private static func program(_ name: String) throws -> String {
    var places = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") { places.append(URL(fileURLWithPath: own)) }
    for place in places {
      var folder = place.deletingLastPathComponent()
      for _ in 0..<4 {
        let candidate = folder.appendingPathComponent(name).path
        if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        folder.deleteLastPathComponent()
      }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  @Test(
    "killed at random moments, the store has everything it had called durable, nothing twice, in order, and goes on",
    arguments: [(size: 256 << 20, bytes: 4096, rounds: 30), (size: 1 << 20, bytes: 4096, rounds: 15), (size: 256 << 20, bytes: 256, rounds: 5)])
  func kill(size: Int, bytes: Int, rounds: Int) throws {
    let scratch = Scratch()
    let program = try Self.program("store-torture")
    var random = SystemRandomNumberGenerator()
    var reached: UInt64 = 0
    var evicted: UInt64 = 0
    for round in 0..<rounds {
      let child = Process()
      child.executableURL = URL(fileURLWithPath: program)
      child.arguments = [scratch.store, String(size), String(bytes), String(round)]
      child.environment = ["SWIFT_BACKTRACE": "enable=no"]
      let pipe = Pipe()
      child.standardOutput = pipe
      try child.run()
      // Killed somewhere between its first moments and the commits of a few hundred milliseconds.
      usleep(UInt32.random(in: 5_000...300_000, using: &random))
      #expect(Foundation.kill(child.processIdentifier, SIGKILL) == 0)
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      child.waitUntilExit()
      #expect(child.terminationReason == .uncaughtSignal, "it ended by itself: \(String(decoding: output, as: UTF8.self).suffix(200))")

      let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
      func last(_ word: String) -> UInt64? { lines.last { $0[0] == word }.flatMap { UInt64($0[1]) } }
      if let opened = last("open") { #expect(opened == reached + 1, "numbers did not go on where they were") }

      let durable = last("durable") ?? reached
      let name = last("name")
      (reached, evicted) = try VirtualLoop.run { loop in
        let store = try Store.open(.test(scratch.store, size: size), loop: loop, disk: InlineDiskLane())
        let samples = try store.all(limit: 10_000)
        let end = samples.last?.sequence ?? 0
        #expect(end >= durable, "\(durable) was called durable, the store ends at \(end)")
        #expect(samples.allSatisfy { $0.value == Int64($0.sequence) && $0.wearable.number == UInt32($0.sequence % 7 + 1) })
        let isSeamless = zip(samples, samples.dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence }
        #expect(isSeamless)
        let status = store.status
        #expect(status.samples == UInt64(samples.count))
        #expect(status.samples + status.evictedSamples == end)
        #expect(status.corruptChunks == 0)
        #expect(status.fileBytes <= size)
        if let name { #expect(store.wearables.first?.facts["number"].flatMap { UInt64($0) } ?? 0 >= name) }
        await store.close()
        return (end, status.evictedSamples)
      }
    }
    #expect(reached > 1000, "the program was never given time to write anything")
    if size < 16 << 20 { #expect(evicted > 0, "the store was never filled: nothing was proven about eviction") }
  }
}
