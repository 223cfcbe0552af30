// What an MQTT broker and a subscriber say to each other, as values. Numbers of packets and properties are those of the
// OASIS standards MQTT 5.0 and 3.1.1.

public enum MQTTVersion: UInt8, Sendable {
  case v311 = 4
  case v5 = 5
}

/// A message of the broker's.
public struct MQTTMessage: Sendable, Hashable {
  public var topic: String
  public var payload: [UInt8]
  /// What an acknowledgement names; 0 for a message that none is due for (quality of service 0).
  public var identifier: UInt16
  /// Handed out before, and not acknowledged.
  public var isRepeated: Bool
  /// Kept by the broker for whoever subscribes, so of no known age.
  public var isRetained: Bool
  /// Longer than is read: only the begin of its payload is here. A broker of version 5 sends none; one of 3.1.1 would
  /// send it again and again to whoever ended the connection over it.
  public var isCut = false

  public init(
    topic: String, payload: [UInt8], identifier: UInt16 = 0, isRepeated: Bool = false, isRetained: Bool = false
  ) {
    (self.topic, self.payload, self.identifier) = (topic, payload, identifier)
    (self.isRepeated, self.isRetained) = (isRepeated, isRetained)
  }
}

/// How a subscriber connects.
public struct MQTTOptions: Sendable {
  public var version = MQTTVersion.v5
  public var client = ""
  public var user: String?
  public var password: [UInt8]?
  /// s; 0: none.
  public var keepAlive: UInt16 = 30
  /// s that the broker keeps the session without a connection. In 3.1.1 a broker keeps it as long as it likes.
  public var sessionExpiry: UInt32 = 7 * 86_400
  /// Messages that the broker may have out without an acknowledgement. In 3.1.1 the broker does not know it.
  public var receiveMaximum: UInt16 = 256
  /// Bytes of one packet that are kept at most.
  public var packetLimit = 5 << 20
  /// With quality of service 1.
  public var filters: [String] = []

  public init() {}
}

/// What came from the broker.
public enum MQTTEvent: Sendable, Hashable {
  /// The connection stands; whether the broker still had the session.
  case connected(sessionPresent: Bool)
  /// The broker keeps the session for a shorter time than was asked for, s.
  case sessionExpires(UInt32)
  /// For each filter whether the broker took it.
  case subscribed([Bool])
  case message(MQTTMessage)
  /// The broker ends the connection, and says why.
  case ended(String)
}

/// Why a conversation cannot go on.
public enum MQTTDefect: Error, Hashable, Sendable, CustomStringConvertible {
  /// Bytes that are no packet, or one that may not come now.
  case malformed(String)
  /// A packet that is longer than anybody sends.
  case tooLarge(Int)
  /// The broker speaks another version.
  case versionRefused
  /// The broker does not take this client.
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

/// Types of packets: the upper half of the first byte.
enum PacketType: UInt8 {
  case connect = 1
  case connectAck, publish, publishAck, publishReceived, publishRelease, publishComplete
  case subscribe, subscribeAck, unsubscribe, unsubscribeAck, pingRequest, pingResponse, disconnect, authenticate
}

/// Words for reason codes (MQTT 5.0, section 2.4) that a broker gives a subscriber.
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
