// Callbacks of libmosquitto, stored until its call has returned: a client must not be destroyed within a callback.

internal import CMosquitto
internal import Glibc

/// Callbacks of one connection; they come only from within calls to the library, on the same thread.
final class MosquittoEvents {
  enum Event {
    case connected(code: Int32)
    case disconnected(code: Int32)
    case acknowledged(Int32, code: Int32)
    case arrived(topic: String, payload: [UInt8])
  }
  var events: [Event] = []
  /// Number of topic aliases that the broker accepts.
  var aliasLimit: UInt16 = 0
  /// Largest packet in bytes that the broker accepts; 0: any.
  var packetLimit: UInt32 = 0
  /// Last messages of the library about a failed TLS connection, and of the broker about its refusal.
  var secureProblem = ""
  var reasonText = ""

  /// Longest arriving message; of longer ones only the start is kept.
  private static let arrivalLimit = 8 << 10

  static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoEvents? {
    context.map { Unmanaged<MosquittoEvents>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Sets all callbacks of a client that was created with this object as its context.
  func listen(to client: OpaquePointer) {
    mosquitto_connect_v5_callback_set(client) { _, context, code, _, properties in
      guard let events = MosquittoEvents.of(context) else { return }
      mosquitto_property_read_int16(
        properties, Int32(MQTT_PROP_TOPIC_ALIAS_MAXIMUM.rawValue), &events.aliasLimit, false)
      mosquitto_property_read_int32(
        properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &events.packetLimit, false)
      events.readReason(properties)
      events.events.append(.connected(code: code))
    }
    mosquitto_disconnect_v5_callback_set(client) { _, context, code, properties in
      guard let events = MosquittoEvents.of(context) else { return }
      events.readReason(properties)
      events.events.append(.disconnected(code: code))
    }
    mosquitto_publish_v5_callback_set(client) { _, context, number, code, _ in
      MosquittoEvents.of(context)?.events.append(.acknowledged(number, code: code))
    }
    mosquitto_message_v5_callback_set(client) { _, context, message, _ in
      guard let events = MosquittoEvents.of(context), let message = message?.pointee, events.events.count < 256 else {
        return
      }
      let count = min(max(0, Int(message.payloadlen)), MosquittoEvents.arrivalLimit)
      let payload = message.payload.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
      events.events.append(.arrived(topic: message.topic.map { String(cString: $0) } ?? "", payload: payload))
    }
    mosquitto_log_callback_set(client) { client, context, level, text in
      guard let events = MosquittoEvents.of(context), let text, level & Int32(MOSQ_LOG_ERR) != 0 else { return }
      var line = String(cString: text)
      // The library reports that a certificate failed, but not the reason.
      if line.contains("certificate verify failed"), let why = hearth_mosquitto_distrust(client) {
        line = String(cString: why)
        if events.secureProblem.contains(line) { return }
      }
      if line.contains("OpenSSL") || line.contains("ertificate") || line.contains("CRL") || line.contains("hostname") {
        if events.secureProblem.utf8.count < 400 {
          events.secureProblem += (events.secureProblem.isEmpty ? "" : "; ") + line
        }
      }
    }
  }

  private func readReason(_ properties: OpaquePointer?) {
    var text: UnsafeMutablePointer<CChar>?
    if mosquitto_property_read_string(properties, Int32(MQTT_PROP_REASON_STRING.rawValue), &text, false) != nil,
      let text
    {
      reasonText = String(String(cString: text).prefix(200))
      free(text)
    }
  }
}
