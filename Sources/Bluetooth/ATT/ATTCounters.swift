// Event counters of one ATT channel, for the status document and for diagnosis.

/// Counters of one ATT channel since it was opened.
public struct ATTCounters: Sendable, Hashable {
  /// Number of received PDUs.
  public var received: UInt64 = 0
  /// Bytes of received PDUs.
  public var receivedBytes: UInt64 = 0
  /// Number of sent PDUs.
  public var sent: UInt64 = 0
  /// Values received by notification or indication, single or multiple, with or without a subscription.
  public var values: UInt64 = 0
  /// Values for handles without a subscription: dropped.
  public var unknownHandle: UInt64 = 0
  /// Unparsable PDUs, empty ones included: dropped. An unparsable request is answered and not counted here.
  public var malformed: UInt64 = 0
  /// Responses and confirmations without a matching request: dropped; the third ends the link.
  public var unexpectedResponses: UInt64 = 0
  /// PDUs longer than the MTU; the third ends the link.
  public var oversize: UInt64 = 0
  /// PDUs above the flood cap: dropped.
  public var floodDropped: UInt64 = 0
  /// Requests of the wearable that were answered.
  public var requestsAnswered: UInt64 = 0
  /// Requests and indications that came before the response to the previous one was sent. A correct peer never sends
  /// these: dropped.
  public var overlapping: UInt64 = 0
  /// Commands to our server, which accepts no commands.
  public var commandsIgnored: UInt64 = 0

  /// Creates counters, all at 0.
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
