// Interface to a message broker: connections, publishing, acknowledgements.

public import EventLoop
public import Reasons

/// Message to publish.
public struct BrokerMessage: Sendable, Hashable {
  /// Topic of the message.
  public var topic: String
  /// Content of the message.
  public var payload: [UInt8]
  /// Quality of service, 0 or 1.
  public var quality: Int
  /// True: the broker keeps it.
  public var isRetained: Bool
  /// s after which a broker of MQTT 5 discards it; nil: never.
  public var expiry: UInt32?

  /// A message; `expiry` in seconds, nil: none.
  public init(
    _ topic: String, _ payload: [UInt8], quality: Int, isRetained: Bool = false, expiry: UInt32? = nil
  ) {
    (self.topic, self.payload, self.quality) = (topic, payload, quality)
    (self.isRetained, self.expiry) = (isRetained, expiry)
  }

  /// Approximate size on the wire: header, topic length, packet identifier, properties.
  public var size: Int { topic.utf8.count + payload.count + (expiry == nil ? 9 : 14) }
  /// Upper bound of the size: a header of five bytes, two lengths, packet identifier, alias and expiry.
  public var mostBytes: Int { topic.utf8.count + payload.count + 20 }
}

/// Addresses of the broker and credentials.
public struct BrokerAddress: Sendable, Equatable {
  /// Servers of one broker, tried one after another.
  public var hosts: [String]
  /// Ports to be tried, in order.
  public var ports: [Int]
  /// Client identifier, which names the session at the broker.
  public var client: String
  /// User name, if any.
  public var user: String?
  /// File with the password, if any.
  public var passwordFile: String?
  /// Keep-alive in s.
  public var keepAlive: Int
  /// TLS and its files; nil: unencrypted.
  public var secure: UplinkSettings.Secure?
}

/// Event of a connection.
public enum BrokerEvent: Sendable, Equatable {
  /// `MQTT 5` or `MQTT 3.1.1`.
  case connected(protocol: String)
  /// Broker not connected, or no longer.
  case lost(HearthError)
  case acknowledged(Int32)
  /// The broker accepted the message and reports that no client subscribes to its topic.
  case unread(Int32)
  /// The broker acknowledged the packet identifier but refused the message.
  case refused(Int32, HearthError)
  case arrived(topic: String, payload: [UInt8])
}

/// Message broker. Events come from the loop, never from within a call.
@LoopActor
public protocol Broker: AnyObject {
  var onEvent: (@LoopActor (BrokerEvent) -> Void)? { get set }
  /// The server in use or being tried, for the log.
  var place: String { get }
  /// Largest packet in bytes that the broker accepts, as it stated for this connection; nil: any.
  var packetLimit: Int? { get }
  /// Starts to connect; `connected` or `lost` follows.
  func connect(will: BrokerMessage)
  func subscribe(_ topic: String)
  /// Returns the packet identifier of its acknowledgement; nil: not connected. A message of quality 0 gets no
  /// acknowledgement.
  func publish(_ message: BrokerMessage) -> Int32?
  /// Whether bytes that the connection has not accepted yet would delay live values.
  var isCongested: Bool { get }
  /// Ends the connection: in order (the will is not sent), or as if the network had failed. No event follows.
  func disconnect(inOrder: Bool)
}
