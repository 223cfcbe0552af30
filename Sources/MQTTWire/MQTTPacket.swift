// Messages between an MQTT broker and a subscriber, as values. Numbers of packets and properties are those of the OASIS
// standards MQTT 5.0 and 3.1.1.

/// Version of the protocol.
public enum MQTTVersion: UInt8, Sendable {
  case v311 = 4
  case v5 = 5
}

/// Message from the broker.
public struct MQTTMessage: Sendable, Hashable {
  /// Topic of the message.
  public var topic: String
  /// Content of the message.
  public var payload: [UInt8]
  /// Packet identifier for the acknowledgement; 0 for a message without one (quality of service 0).
  public var identifier: UInt16
  /// Whether it was delivered before without an acknowledgement.
  public var isRepeated: Bool
  /// Whether the broker stored it as retained, so that its age is unknown.
  public var isRetained: Bool
  /// Whether the message exceeds the limit, so that only the start of its payload is here. A broker of version 5 never
  /// sends such a message. A broker of 3.1.1 would send it again after each connection that ended because of it.
  public var isCut = false

  /// A message; `identifier` 0: without acknowledgement.
  public init(
    topic: String, payload: [UInt8], identifier: UInt16 = 0, isRepeated: Bool = false, isRetained: Bool = false
  ) {
    (self.topic, self.payload, self.identifier) = (topic, payload, identifier)
    (self.isRepeated, self.isRetained) = (isRepeated, isRetained)
  }
}

/// Connection options of a subscriber.
public struct MQTTOptions: Sendable {
  /// Version of the protocol.
  public var version = MQTTVersion.v5
  /// Client identifier, which names the session at the broker.
  public var client = ""
  /// User name, if any.
  public var user: String?
  /// Password, if any.
  public var password: [UInt8]?
  /// Keep-alive in s; 0: no keep-alive.
  public var keepAlive: UInt16 = 30
  /// s for which the broker keeps the session without a connection. In 3.1.1 the broker decides.
  public var sessionExpiry: UInt32 = 7 * 86_400
  /// Messages that the broker may send without an acknowledgement. A broker of 3.1.1 does not know this limit.
  public var receiveMaximum: UInt16 = 256
  /// Largest part of a packet that is kept, in bytes.
  public var packetLimit = 5 << 20
  /// Topic filters, with quality of service 1.
  public var filters: [String] = []

  /// Version 5.0, without a user.
  public init() {}
}

/// Event from the broker.
public enum MQTTEvent: Sendable, Hashable {
  /// The connection is established; whether the broker still had the session.
  case connected(sessionPresent: Bool)
  /// The broker keeps the session for a shorter time than requested, s.
  case sessionExpires(UInt32)
  /// Answers, for each filter, whether the broker accepted it.
  case subscribed([Bool])
  case message(MQTTMessage)
  /// The broker ends the connection, with its reason.
  case ended(String)
}

/// Reason why a connection cannot continue.
public enum MQTTDefect: Error, Hashable, Sendable, CustomStringConvertible {
  /// Bytes that are no packet, or a packet that may not come now.
  case malformed(String)
  /// A packet longer than any real one.
  case tooLarge(Int)
  /// The broker supports only another version.
  case versionRefused
  /// The broker refuses this client.
  case refused(String)

  public var description: String {
    switch self {
    case .malformed(let what): "not MQTT: \(what)"
    case .tooLarge(let size): "a packet of \(size) bytes, which is more than is read"
    case .versionRefused: "the broker does not speak this version of MQTT"
    case .refused(let why): "the broker refuses: \(why)"
    }
  }
}

/// Packet types: the upper half of the first byte.
enum PacketType: UInt8 {
  case connect = 1
  case connectAck, publish, publishAck, publishReceived, publishRelease, publishComplete
  case subscribe, subscribeAck, unsubscribe, unsubscribeAck, pingRequest, pingResponse, disconnect, authenticate
}

/// Text for reason codes (MQTT 5.0, section 2.4) that a broker sends to a subscriber.
func reasonWords(_ code: UInt8) -> String {
  switch code {
  case 0x80: "unspecified error"
  case 0x81: "malformed packet"
  case 0x82: "protocol error"
  case 0x83: "implementation specific error"
  case 0x84: "unsupported protocol version"
  case 0x85: "client identifier not valid"
  case 0x86: "bad user name or password"
  case 0x87: "not authorized"
  case 0x88: "server unavailable"
  case 0x89: "server busy"
  case 0x8A: "banned"
  case 0x8B: "server shutting down"
  case 0x8C: "bad authentication method"
  case 0x8D: "keep alive timeout"
  case 0x8E: "session taken over"
  case 0x8F: "topic filter invalid"
  case 0x93: "receive maximum exceeded"
  case 0x95: "packet too large"
  case 0x97: "quota exceeded"
  case 0x98: "administrative action"
  case 0x9C: "use another server"
  case 0x9D: "server moved"
  case 0x9E: "shared subscriptions not supported"
  case 0x9F: "connection rate exceeded"
  case 0xA2: "wildcard subscriptions not supported"
  default: "reason \(code)"
  }
}
