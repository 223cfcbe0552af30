// Reading vectors that may come from anywhere: what cannot be read or compared is said, and ends nothing.

import Testing

/// One element of a list whose other elements are read all the same.
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
      notCompared("\(file), number \(index): \(attempt.why)")
    }
    return attempts.compactMap(\.content)
  }

  /// Says what of the vectors was held against nothing.
  static func notCompared(_ what: String) { print("not compared: \(what)") }
}

/// A number of a vector that does not fit where it belongs.
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
