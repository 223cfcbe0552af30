// Values of a stream's first second, kept until it is known how late they were.

import Health
import Wearable

/// Values in the order in which they came. Bounded: what is beyond goes on at once, with what is known by then.
struct LiveHold {
  struct Value {
    let series: Series
    let values: [Int64]
    let bytes: [UInt8]
    let ago: Int64
    let stamp: UInt64
    /// ns on the hub's clock.
    let arrival: Int64
  }

  /// Values; nine streams of a band bring some twenty a second.
  static let limit = 128

  private(set) var values: [Value] = []

  var isEmpty: Bool { values.isEmpty }
  var isFull: Bool { values.count >= Self.limit }

  mutating func add(_ value: Value) { values.append(value) }

  mutating func takeAll() -> [Value] {
    defer { values = [] }
    return values
  }
}
