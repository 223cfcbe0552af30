// What happened on one ATT channel, for the status document and for whoever asks why.

public struct ATTCounters: Sendable, Hashable {
  public var received: UInt64 = 0
  public var receivedBytes: UInt64 = 0
  public var sent: UInt64 = 0
  /// Values that came unasked, by notification or indication, single or multiple, whether or not somebody listens.
  public var values: UInt64 = 0
  /// Values for handles nobody listens to: dropped.
  public var unknownHandle: UInt64 = 0
  /// PDUs that cannot be read, empty ones included: dropped. An unreadable request is answered and not counted here.
  public var malformed: UInt64 = 0
  /// Responses and confirmations that answer nothing: dropped; the third ends the link.
  public var unexpectedResponses: UInt64 = 0
  /// PDUs longer than the MTU; the third ends the link.
  public var oversize: UInt64 = 0
  /// PDUs above the flood cap: dropped.
  public var floodDropped: UInt64 = 0
  /// Requests of the wearable that were answered.
  public var requestsAnswered: UInt64 = 0
  /// Requests and indications that came before the answer to the last one was sent, which no correct peer does:
  /// dropped.
  public var overlapping: UInt64 = 0
  /// Commands to our server: it takes none.
  public var commandsIgnored: UInt64 = 0

  public init() {}

  /// Name and value in a fixed order.
  public var list: [(name: String, value: UInt64)] {
    [
      ("received", received), ("received_bytes", receivedBytes), ("sent", sent), ("values", values),
      ("unknown_handle", unknownHandle),
      ("malformed", malformed), ("unexpected_responses", unexpectedResponses), ("oversize", oversize),
      ("flood_dropped", floodDropped),
      ("requests_answered", requestsAnswered), ("overlapping", overlapping), ("commands_ignored", commandsIgnored),
    ]
  }
}
