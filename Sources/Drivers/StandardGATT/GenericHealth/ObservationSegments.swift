// Observations of a generic health sensor come in segments: one machine puts them together.

import Wearable

/// Generic Health Sensor Service 1.0, section 3.1.1: the first byte of each value.
///
///     bit 0      first segment of an observation
///     bit 1      last segment
///     bits 2-7   counter, modulo 64
///
/// A gap in the counter drops the observation. A first segment discards one that is not finished.
struct ObservationSegments: Sendable {
  private var body: [UInt8] = []
  private var expected: UInt8?
  /// Observations that were begun and not finished.
  private(set) var discarded = 0

  /// Bytes of one observation: samples by the thousand, and no more than a link can hold in memory.
  static let limit = 8192

  private static let first: UInt8 = 1
  private static let last: UInt8 = 2

  /// - Returns: the body of an observation that is whole; nil: more has to come.
  /// - Throws: `empty`; `noFirstSegment` for one that goes on with nothing; `segmentGap`; `outOfRange` for one that is
  ///   too long. What was begun is dropped.
  mutating func take(_ value: [UInt8]) throws(DecodeError) -> [UInt8]? {
    guard let head = value.first else { throw .empty }
    let counter = head >> 2
    if head & Self.first != 0 {
      if expected != nil { discarded += 1 }
      body = []
    } else {
      guard let expected else { throw .noFirstSegment }
      guard counter == expected else {
        drop()
        throw .segmentGap
      }
    }
    body += value.dropFirst()
    guard body.count <= Self.limit else {
      drop()
      throw .outOfRange
    }
    expected = (counter + 1) & 63
    guard head & Self.last != 0 else { return nil }
    defer { drop() }
    return body
  }

  /// The last value did not end an observation.
  var isUnfinished: Bool { expected != nil }

  private mutating func drop() {
    body = []
    expected = nil
  }
}
