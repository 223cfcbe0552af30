// Assembly of a generic health sensor's observations from their segments.

import Wearable

/// Generic Health Sensor Service 1.0, section 3.1.1: the first byte of each value.
///
///     bit 0      first segment of an observation
///     bit 1      last segment
///     bits 2-7   counter, modulo 64
///
/// A gap in the counter drops the observation. A first segment discards an unfinished observation.
struct ObservationSegments: Sendable {
  private var body: [UInt8] = []
  private var expected: UInt8?
  /// Observations that were begun and not finished.
  private(set) var discarded = 0

  /// Longest observation, in bytes: thousands of samples, and a bounded amount of memory for each link.
  static let limit = 8192

  private static let first: UInt8 = 1
  private static let last: UInt8 = 2

  /// - Returns: the body of a complete observation; nil if more segments must follow.
  /// - Throws: `empty`; `noFirstSegment` for a continuation without a beginning; `segmentGap`; `outOfRange` beyond the
  ///   limit. The unfinished observation is dropped.
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

  /// Whether the last value left an observation unfinished.
  var isUnfinished: Bool { expected != nil }

  private mutating func drop() {
    body = []
    expected = nil
  }
}
