import Foundation
import Reasons
import Testing

@testable import RingStore

/// What a program said, line by line, in words.
private struct Account {
  let lines: [[Substring]]
  let text: String

  init(_ data: Data) {
    text = String(decoding: data, as: UTF8.self)
    // What follows the last line break was cut off by the kill.
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { $0.split(separator: " ") }
  }

  /// Of lines `WORD NAME N` the last N of each name.
  func numbers(_ word: String) -> [String: UInt64] {
    var numbers: [String: UInt64] = [:]
    for line in lines where line.count == 3 && line[0] == word { numbers[String(line[1])] = UInt64(line[2]) }
    return numbers
  }

  /// Of lines `receipt N …` the rest by number.
  var receipts: [UInt64: [Substring]] {
    Dictionary(
      lines.filter { $0.first == "receipt" && $0.count == 5 }.map { (UInt64($0[1]) ?? 0, $0) }, uniquingKeysWith: { $1 }
    )
  }

  func contains(_ word: String) -> Bool { lines.contains { $0.first == word[...] } }
  var complaints: [String] {
    lines.filter { ["broken", "failed"].contains($0.first) }.map { $0.joined(separator: " ") }
  }
}

/// Programs that are killed, and what is asked of their store after each time.
@Suite(.serialized) struct KillTests {
  /// Folder of the package's programs: beside the bundle of the tests.
  static func program(_ name: String) throws -> URL {
    var places = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      places.append(URL(fileURLWithPath: own))
    }
    for place in places {
      var folder = place.deletingLastPathComponent()
      for _ in 0..<4 {
        let candidate = folder.appendingPathComponent(name)
        if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        folder.deleteLastPathComponent()
      }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  /// Starts a program, kills it after the given time unless it is nil, and returns what it said.
  private func account(_ program: URL, _ arguments: [String], killAfter delay: Double?) throws -> Account {
    let child = Process()
    child.executableURL = program
    child.arguments = arguments
    child.environment = ["SWIFT_BACKTRACE": "enable=no"]
    child.standardError = FileHandle.nullDevice
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    let killer = delay.map { delay in
      Thread {
        usleep(UInt32(delay * 1e6))
        Foundation.kill(child.processIdentifier, SIGKILL)
      }
    }
    killer?.start()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    child.waitUntilExit()
    let account = Account(output)
    let ended = delay == nil ? child.terminationReason == .exit : child.terminationReason == .uncaughtSignal
    #expect(ended, "\(program.lastPathComponent) ended with \(child.terminationStatus): \(account.text.suffix(300))")
    return account
  }

  private func raise(_ floor: inout [String: UInt64], _ numbers: [String: UInt64]) {
    floor.merge(numbers) { max($0, $1) }
  }

  private func expect(_ has: [String: UInt64], reaches floor: [String: UInt64], _ round: Int) {
    for (name, number) in floor.sorted(by: { $0.key < $1.key }) where has[name] ?? 0 < number {
      Issue.record("round \(round): \(name) goes to \(has[name] ?? 0), it was \(number) before")
    }
  }

  @Test(
    """
    killed at random moments, a busy store has everything it had called durable, each sample once, and no cursor moved \
    back
    """,
    arguments: [
      (size: 64 << 20, bytes: 4096, rounds: 70), (size: StoreOptions.minimumSize, bytes: 4096, rounds: 90),
      (size: 64 << 20, bytes: 256, rounds: 20),
    ])
  func kill(size: Int, bytes: Int, rounds: Int) throws {
    let scratch = Scratch()
    let program = try Self.program("store-torture")
    var random = SystemRandomNumberGenerator()
    var floor: [String: UInt64] = [:]
    var receipts: [UInt64: [Substring]] = [:]
    var most: [String: UInt64] = [:]
    // Of any round: the next item's count hides it.
    var wasHalfFetched = false
    // A busy machine hits that moment more rarely.
    for round in 0..<3 * rounds where round < rounds || !wasHalfFetched {
      // A store that has grown takes long to look through.
      if round % 30 == 0 {
        try? FileManager.default.removeItem(atPath: scratch.store)
        (floor, receipts) = ([:], [:])
        if size == StoreOptions.minimumSize {
          raise(
            &floor,
            try account(program, ["run", scratch.store, String(size), String(bytes), "0", "fill"], killAfter: nil)
              .numbers("durable"))
        }
      }
      // Killed somewhere between its first moments and what follows some hundred commits.
      let delay = Double.random(in: 0.005...(round % 30 == 0 ? 0.8 : 0.25), using: &random)
      let work = try account(
        program, ["run", scratch.store, String(size), String(bytes), String(round)], killAfter: delay)
      #expect(work.complaints == [])
      if let opened = work.lines.first(where: { $0.first == "open" })?.last.flatMap({ UInt64($0) }) {
        #expect(opened == floor["live"] ?? 0, "samples did not go on where they were")
      }
      raise(&floor, work.numbers("durable"))
      receipts.merge(work.receipts) { $1 }

      let check = try account(program, ["check", scratch.store], killAfter: nil)
      #expect(check.complaints == [], "round \(round)")
      let has = check.numbers("has")
      expect(has, reaches: floor, round)
      for (number, line) in check.receipts {
        if let given = receipts[number], given != line {
          Issue.record("receipt \(number) was given as \(given), and is kept as \(line)")
        }
      }
      raise(&floor, has)
      raise(&most, has)
      if has.contains(where: { $0.key.hasPrefix("staged-") && $0.value % 1_000_000 > 0 }) { wasHalfFetched = true }
    }
    #expect(most["live"] ?? 0 > 500, "the program was never given time to write anything")
    #expect(most["receipts"] ?? 0 > 5 && most["exported"] ?? 0 > 0, "hardly anything was fetched or exported: \(most)")
    #expect(wasHalfFetched, "no item was ever half fetched")
    if size == StoreOptions.minimumSize {
      #expect(most["evicted"] ?? 0 > 0, "the store was never filled: nothing was proven about eviction")
    }
  }

  @Test("killed at random moments, the daemon among simulated wearables leaves a clean store that goes on from there")
  func daemon() throws {
    let scratch = Scratch()
    let (daemon, torture) = (try Self.program("hearth-sim"), try Self.program("store-torture"))
    let configuration = scratch.path + "/hearth.yaml"
    try """
    enroll:
      mode: all
    store:
      path: \(scratch.store)
      commit:
        every: 100ms
    control:
      socket: \(scratch.path)/hearth.sock
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    var random = SystemRandomNumberGenerator()
    var floor: [String: UInt64] = [:]
    for round in 0..<20 {
      // Straps have to join first, which takes one after the other a second or two, on a busy machine more.
      let delay = floor.values.allSatisfy({ $0 == 0 }) ? 6 : Double.random(in: 0.2...1.8, using: &random)
      _ = try account(
        daemon,
        ["serve", "--config", configuration, "--population", "straps", "--wearables", "30", "--seed", String(round)],
        killAfter: delay)
      let check = try account(torture, ["check", scratch.store, "--plain"], killAfter: nil)
      #expect(check.complaints == [], "round \(round)")
      expect(check.numbers("has"), reaches: floor, round)
      raise(&floor, check.numbers("has"))
    }
    #expect(
      floor.values.max() ?? 0 > 0 && floor.contains { $0.key.hasPrefix("ring-") }, "the daemon stored nothing: \(floor)"
    )
  }
}
