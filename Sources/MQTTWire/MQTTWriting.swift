// Encoding of a subscriber's packets.

/// Builder of a packet: its fields first, its length when they are complete.
struct PacketWriter {
  private var body: [UInt8] = []

  mutating func byte(_ value: UInt8) { body.append(value) }

  mutating func word(_ value: UInt16) {
    body.append(UInt8(value >> 8))
    body.append(UInt8(value & 0xFF))
  }

  mutating func long(_ value: UInt32) {
    word(UInt16(value >> 16))
    word(UInt16(value & 0xFFFF))
  }

  /// Appends at most 65,535 bytes; settings prevent longer values.
  mutating func bytes(_ value: some Collection<UInt8>) {
    word(UInt16(min(value.count, 65_535)))
    body += value.prefix(65_535)
  }

  mutating func text(_ value: String) { bytes(Array(value.utf8)) }

  mutating func properties(_ write: (inout PacketWriter) -> Void) {
    var inner = PacketWriter()
    write(&inner)
    Self.variable(inner.body.count, to: &body)
    body += inner.body
  }

  func packet(_ type: PacketType, flags: UInt8 = 0) -> [UInt8] {
    var packet: [UInt8] = [type.rawValue << 4 | flags]
    Self.variable(body.count, to: &packet)
    return packet + body
  }

  private static func variable(_ value: Int, to bytes: inout [UInt8]) {
    var rest = value
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
  }
}

/// CONNECT (section 3.1), with the session kept.
func connectPacket(_ options: MQTTOptions) -> [UInt8] {
  var writer = PacketWriter()
  writer.text("MQTT")
  writer.byte(options.version.rawValue)
  // Without clean start and will.
  writer.byte((options.user == nil ? 0 : 0x80) | (options.password == nil ? 0 : 0x40))
  writer.word(options.keepAlive)
  if options.version == .v5 {
    writer.properties { properties in
      properties.byte(0x11)
      properties.long(options.sessionExpiry)
      properties.byte(0x21)
      properties.word(options.receiveMaximum)
      properties.byte(0x27)
      properties.long(UInt32(clamping: options.packetLimit))
    }
  }
  writer.text(options.client)
  if let user = options.user { writer.text(user) }
  if let password = options.password { writer.bytes(password) }
  return writer.packet(.connect)
}

/// SUBSCRIBE (section 3.8), every filter with quality of service 1.
func subscribePacket(_ filters: [String], _ identifier: UInt16, _ version: MQTTVersion) -> [UInt8] {
  var writer = PacketWriter()
  writer.word(identifier)
  if version == .v5 { writer.properties { _ in } }
  for filter in filters {
    writer.text(filter)
    writer.byte(1)
  }
  return writer.packet(.subscribe, flags: 2)
}

/// PUBACK (section 3.4). Both versions have a form without a reason code.
func acknowledgePacket(_ identifier: UInt16) -> [UInt8] {
  var writer = PacketWriter()
  writer.word(identifier)
  return writer.packet(.publishAck)
}

/// PINGREQ and DISCONNECT have no content.
func emptyPacket(_ type: PacketType) -> [UInt8] { PacketWriter().packet(type) }
