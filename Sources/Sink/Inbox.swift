// Messages between broker and database, in order of arrival, within bounds.

internal import MQTTWire

/// A message, and of which connection it is: behind the end of its connection nobody can acknowledge it.
struct Delivery: Sendable {
  let message: MQTTMessage
  let connection: Int
}

/// What came and is not yet taken by the writer.
struct Inbox: Sendable {
  /// Bytes of payload that wait at most; then nothing is read until the writer took some. One message may go over it.
  static let byteLimit = 32 << 20

  private var deliveries: [Delivery] = []
  private var start = 0
  private(set) var bytes = 0

  var count: Int { deliveries.count - start }
  var isEmpty: Bool { count == 0 }
  var isFull: Bool { bytes >= Self.byteLimit }

  mutating func append(_ delivery: Delivery) {
    deliveries.append(delivery)
    bytes += delivery.message.payload.count
  }

  mutating func next() -> Delivery? {
    if isEmpty { return nil }
    let delivery = deliveries[start]
    start += 1
    bytes -= delivery.message.payload.count
    if start == deliveries.count || start > 1024 {
      deliveries.removeFirst(start)
      start = 0
    }
    return delivery
  }

  /// The broker hands out again what its connection did not acknowledge. What needs no acknowledgement stays.
  mutating func forgetUnacknowledged() {
    deliveries = deliveries[start...].filter { $0.message.identifier == 0 }
    start = 0
    bytes = deliveries.reduce(0) { $0 + $1.message.payload.count }
  }
}
