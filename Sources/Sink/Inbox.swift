// Bounded queue of messages between broker and database, in order of arrival.

internal import MQTTWire

/// Message with the number of its connection: after the end of that connection it cannot be acknowledged.
struct Delivery: Sendable {
  let message: MQTTMessage
  let connection: Int
}

/// Messages that the writer has not taken yet.
struct Inbox: Sendable {
  /// Limit of waiting payload bytes; beyond it the link is not read. One message may exceed it.
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

  /// Removes messages that the broker will deliver again after the connection ended. Those without an acknowledgement
  /// stay.
  mutating func forgetUnacknowledged() {
    deliveries = deliveries[start...].filter { $0.message.identifier == 0 }
    start = 0
    bytes = deliveries.reduce(0) { $0 + $1.message.payload.count }
  }
}
