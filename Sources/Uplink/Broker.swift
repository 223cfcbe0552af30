// What the uplink needs of a message broker: one connection after another, publishing, acknowledgements.

public import EventLoop
public import Reasons

/// One message.
public struct BrokerMessage: Sendable, Hashable {
  public var topic: String
  public var payload: [UInt8]
  public var quality: Int
  public var isRetained: Bool
  /// s after which a broker of MQTT 5 forgets it; nil: never.
  public var expiry: UInt32?

  public init(
    _ topic: String, _ payload: [UInt8], quality: Int, isRetained: Bool = false, expiry: UInt32? = nil
  ) {
    (self.topic, self.payload, self.quality) = (topic, payload, quality)
    (self.isRetained, self.expiry) = (isRetained, expiry)
  }

  /// On the wire, about: head, length of topic, number, properties.
  public var size: Int { topic.utf8.count + payload.count + (expiry == nil ? 9 : 14) }
  /// The same, and never too little: head of five bytes, two lengths, number, alias and expiry.
  public var mostBytes: Int { topic.utf8.count + payload.count + 20 }
}

/// Where the broker is, and as whom.
public struct BrokerAddress: Sendable, Equatable {
  /// Servers of one broker, tried one after another.
  public var hosts: [String]
  public var ports: [Int]
  public var client: String
  public var user: String?
  public var passwordFile: String?
  /// s
  public var keepAlive: Int
  /// nil: in clear.
  public var secure: UplinkSettings.Secure?
}

/// What happens to a connection.
public enum BrokerEvent: Sendable, Equatable {
  /// `MQTT 5` or `MQTT 3.1.1`.
  case connected(protocol: String)
  /// Not connected, or not any more.
  case lost(HearthError)
  case acknowledged(Int32)
  /// The broker took the message, and says that no client subscribes to its topic.
  case unread(Int32)
  /// The broker took the message's number and refused the message.
  case refused(Int32, HearthError)
  case arrived(topic: String, payload: [UInt8])
}

/// A broker. Events come from the loop, never from within a call.
@LoopActor
public protocol Broker: AnyObject {
  var onEvent: (@LoopActor (BrokerEvent) -> Void)? { get set }
  /// The server that is used or tried, for people.
  var place: String { get }
  /// Bytes of a packet that the broker takes, as it said when this connection began; nil: any.
  var packetLimit: Int? { get }
  /// Begins to connect; `connected` or `lost` follows.
  func connect(will: BrokerMessage)
  func subscribe(_ topic: String)
  /// The number that its acknowledgement will have; nil: not connected. Of quality 0 there is no acknowledgement.
  func publish(_ message: BrokerMessage) -> Int32?
  /// Bytes that the connection has not taken from this program yet are in the way of live values.
  var isCongested: Bool { get }
  /// Ends the connection: in order (the will is not sent), or as if the network were gone. Nothing follows.
  func disconnect(inOrder: Bool)
}
