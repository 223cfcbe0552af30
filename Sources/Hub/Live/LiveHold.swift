// Values of a stream's first second, held until their delay is known.

import Health
import Wearable

/// Values in order of arrival. Bounded: further ones pass at once, placed by what is known by then.
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

  /// Limit of values; nine streams of a band send some twenty a second.
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
