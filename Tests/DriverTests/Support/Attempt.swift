// Reading of vectors of any origin: parts that cannot be read or compared are reported, and the run continues.

import Testing

/// An element of a list that is read even if other elements cannot be.
struct Attempt<Content: Decodable>: Decodable {
  let content: Content?
  let why: String

  init(from decoder: any Decoder) {
    do { (content, why) = (try Content(from: decoder), "") } catch { (content, why) = (nil, "\(error)") }
  }
}

enum Attempts {
  /// The elements that could be read; the others are printed.
  static func read<Content>(_ attempts: [Attempt<Content>], _ file: String) -> [Content] {
    for (index, attempt) in attempts.enumerated() where attempt.content == nil {
      notCovered(file, "entries that cannot be read")
      print("\(file), number \(index): \(attempt.why)")
    }
    return attempts.compactMap(\.content)
  }

  /// Notes a part of a topic's vectors that is not compared; all of them are printed at the end of the run.
  ///
  /// - Parameter part: a field, an encoding, a kind; the same of several vectors is counted.
  static func notCovered(_ topic: String, _ part: String) {
    Coverage.ofRun.withLock { $0.miss(topic, part) }
    _ = Coverage.isPrintedAtEnd
  }
}

/// A number of a vector that is too large for its type.
struct DoesNotFit: Error, CustomStringConvertible {
  let description: String
}

extension FixedWidthInteger {
  /// - Throws: `DoesNotFit`: numbers of vectors are not our own invariants.
  init(vector number: some BinaryInteger) throws {
    guard let value = Self(exactly: number) else { throw DoesNotFit(description: "\(number) is no \(Self.self)") }
    self = value
  }

  init(vector number: Double) throws {
    guard let value = Self(exactly: number) else { throw DoesNotFit(description: "\(number) is no \(Self.self)") }
    self = value
  }
}
