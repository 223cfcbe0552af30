// A message of a hostile wearable, and the cost of reading it.

import EventLoop
import Glibc

/// The data, and how it is read.
struct HostileCase: Sendable {
  typealias Reading = @LoopActor @Sendable () async throws -> String

  let name: String
  /// Makes the data: its size in bytes, and a function that reads it and returns the result.
  let make: @Sendable () -> (bytes: Int, read: Reading)
}

struct HostileCost: Sendable {
  let bytes: Int
  var outcome = ""
  var turns: UInt64 = 0
  var longest = Duration.zero
  /// kB.
  var (before, peak, after) = (0, 0, 0)

  init(bytes: Int) { self.bytes = bytes }

  func line(_ name: String) -> String {
    let milliseconds = Double(longest.components.attoseconds) * 1e-15 + Double(longest.components.seconds) * 1000
    return
      """
      \(name): \(bytes) bytes, \(outcome), \(turns) turns, longest \(decimals(milliseconds, 2)) ms; \
      +\(peak - before) kB at most, \(after - before) kB after
      """
  }

  static func resident(_ name: String) throws -> Int {
    guard let file = fopen("/proc/self/status", "re") else { throw BenchFailure("no /proc") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("\(name):"), let number = text.split(whereSeparator: \.isWhitespace).dropFirst().first {
        return Int(number) ?? 0
      }
    }
    throw BenchFailure("no \(name)")
  }

  /// The peak counts from now on.
  static func forgetPeak() throws {
    guard let file = fopen("/proc/self/clear_refs", "we") else { throw BenchFailure("no clear_refs") }
    fputs("5", file)
    fclose(file)
  }
}
