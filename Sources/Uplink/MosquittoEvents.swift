// What libmosquitto calls back with, kept until its call has returned: nothing may be ended from within.

internal import CMosquitto
internal import Glibc

/// One connection's callbacks. They only come from within calls to the library, on the thread of those.
final class MosquittoEvents {
  enum Event {
    case connected(code: Int32)
    case disconnected(code: Int32)
    case acknowledged(Int32, code: Int32)
    case arrived(topic: String, payload: [UInt8])
  }
  var events: [Event] = []
  /// Aliases of topics that the broker takes.
  var aliasLimit: UInt16 = 0
  /// Bytes of a packet that the broker takes; 0: any.
  var packetLimit: UInt32 = 0
  /// The last that the library said of a failed secure connection, and of what the broker sent with its refusal.
  var secureProblem = ""
  var reasonText = ""

  /// What an arriving message may have; of longer ones only the beginning is kept.
  private static let arrivalLimit = 8 << 10

  static func of(_ context: UnsafeMutableRawPointer?) -> MosquittoEvents? {
    context.map { Unmanaged<MosquittoEvents>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Sets all callbacks of a client that was made with this as its object.
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
      // The library says that a certificate failed, and not why.
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
