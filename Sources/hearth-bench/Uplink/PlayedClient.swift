// The connection of one simulated hub to the broker; one process simulates many.

import CMosquitto
import Glibc

/// Callbacks of libmosquitto for one client.
final class PlayedEvents {
  var isConnected = false
  var refusal: Int32 = 0
  var acknowledged = 0
}

/// A client of MQTT 5 with a window of messages that wait for their acknowledgement, as `hearth-uplink` has.
struct PlayedClient {
  /// Batches on the way.
  static let window = 4

  let client: OpaquePointer
  let topic: String
  private let events = PlayedEvents()
  /// Bytes of MQTT packets given to the broker and taken from it, without those of TCP.
  private(set) var wire = 0
  private(set) var sent = 0

  var acknowledged: Int { events.acknowledged }
  var isConnected: Bool { events.isConnected }
  var room: Int { max(0, Self.window - (sent - events.acknowledged)) }
  var descriptor: Int32 { mosquitto_socket(client) }

  /// - Throws: the error of the connection.
  init(hub: String, group: String, host: String, port: Int32, user: String?, password: String?) throws {
    topic = "hearth/1/\(group)/\(hub)/rows"
    let context = Unmanaged.passUnretained(events).toOpaque()
    guard let made = mosquitto_new("hearth-\(hub)", true, context) else { throw BenchFailure("no memory for a client") }
    client = made
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, 5)
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_max_inflight_messages_set(client, 0)
    if let user { mosquitto_username_pw_set(client, user, password) }
    mosquitto_connect_v5_callback_set(client) { _, context, code, _, _ in
      guard let events = PlayedClient.events(context) else { return }
      (events.isConnected, events.refusal) = (code == 0, code)
    }
    mosquitto_publish_v5_callback_set(client) { _, context, _, code, _ in
      if code < 128 { PlayedClient.events(context)?.acknowledged += 1 }
    }
    let code = mosquitto_connect(client, host, port, 120)
    if code != 0 { throw BenchFailure("\(host):\(port): \(String(cString: mosquitto_strerror(code)))") }
  }

  private static func events(_ context: UnsafeMutableRawPointer?) -> PlayedEvents? {
    context.map { Unmanaged<PlayedEvents>.fromOpaque($0).takeUnretainedValue() }
  }

  mutating func publish(_ payload: [UInt8]) throws {
    let code = mosquitto_publish_v5(client, nil, topic, Int32(payload.count), payload, 1, false, nil)
    if code != 0 { throw BenchFailure("\(topic): \(String(cString: mosquitto_strerror(code)))") }
    sent += 1
    // Length of the topic, number, no properties; then the head, with 7 bits of its length a byte; PUBACK has 4.
    let rest = 2 + topic.utf8.count + 2 + 1 + payload.count
    wire += 1 + (rest < 128 ? 1 : rest < 16_384 ? 2 : 3) + rest + 4
  }

  /// Reads and writes after poll said so.
  func serve(readable: Bool, writable: Bool) throws {
    var code: Int32 = 0
    if readable { code = mosquitto_loop_read(client, 16) }
    if code == 0, writable, mosquitto_want_write(client) { code = mosquitto_loop_write(client, 16) }
    if events.refusal != 0 {
      throw BenchFailure("\(topic): the broker refuses: \(String(cString: mosquitto_reason_string(events.refusal)))")
    }
    if code != 0 { throw BenchFailure("\(topic): \(String(cString: mosquitto_strerror(code)))") }
  }

  func end() {
    mosquitto_disconnect(client)
    _ = mosquitto_loop_write(client, 16)
    mosquitto_destroy(client)
  }
}
