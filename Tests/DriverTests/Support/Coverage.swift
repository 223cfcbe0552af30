// Parts of the vectors that were not compared, topic by topic: a field that no decoder makes, bytes that no encoder
// here writes.

import Foundation
import Synchronization
import Testing

struct Coverage {
  /// By topic, then by part; how many vectors have it.
  private var parts: [String: [String: Int]] = [:]

  /// Of all runners.
  static let ofRun = Mutex(Coverage())
  static let isPrintedAtEnd: Bool = {
    atexit { for line in Coverage.ofRun.withLock({ $0.lines }) { print(line) } }
    return true
  }()

  /// - Parameter part: `field local`, `encoding`, `kind both`.
  mutating func miss(_ topic: String, _ part: String) { parts[topic, default: [:]][part, default: 0] += 1 }

  /// `time/field local`
  var names: Set<String> { Set(parts.flatMap { topic, parts in parts.keys.map { "\(topic)/\($0)" } }) }

  /// A line for each topic that has some.
  var lines: [String] {
    parts.sorted { $0.key < $1.key }.map { topic, parts in
      let all = parts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
      return "not covered: \(topic): \(all.joined(separator: ", "))"
    }
  }

  /// Prints all of it. Our own vectors may have only parts that are known by name; others may have any.
  func tell(isOwn: Bool, known: Set<String>, sourceLocation: SourceLocation = #_sourceLocation) {
    for (topic, parts) in parts {
      for (part, count) in parts { for _ in 0..<count { Attempts.notCovered(topic, part) } }
    }
    guard isOwn else { return }
    let unknown = names.subtracting(known).sorted()
    let covered = known.subtracting(names).sorted()
    #expect(unknown.isEmpty, "not covered, and not known as that: \(unknown)", sourceLocation: sourceLocation)
    #expect(covered.isEmpty, "covered by now: \(covered)", sourceLocation: sourceLocation)
  }
}
