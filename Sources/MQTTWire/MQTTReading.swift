// Bounded parsing of packets: a packet's length is checked before any of it is stored, and every field ends within its
// packet.

/// Cursor in the bytes of one packet.
struct FieldReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  init(_ bytes: ArraySlice<UInt8>) { (self.bytes, place) = (bytes, bytes.startIndex) }

  var isAtEnd: Bool { place == bytes.endIndex }
  var rest: ArraySlice<UInt8> { bytes[place...] }

  mutating func byte() throws(MQTTDefect) -> UInt8 {
    if place >= bytes.endIndex { throw .malformed("a packet ends within a field") }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func word() throws(MQTTDefect) -> UInt16 { UInt16(try byte()) << 8 | UInt16(try byte()) }

  mutating func long() throws(MQTTDefect) -> UInt32 { UInt32(try word()) << 16 | UInt32(try word()) }

  mutating func skip(_ count: Int) throws(MQTTDefect) {
    if count > bytes.endIndex - place { throw .malformed("a packet ends within a field") }
    place += count
  }

  mutating func take(_ count: Int) throws(MQTTDefect) -> ArraySlice<UInt8> {
    let start = place
    try skip(count)
    return bytes[start..<place]
  }

  /// Reads a length of one to four bytes (section 1.5.5).
  mutating func variable() throws(MQTTDefect) -> Int {
    var value = 0
    for place in 0..<4 {
      let byte = try byte()
      value |= Int(byte & 0x7F) << (7 * place)
      if byte < 0x80 { return value }
    }
    throw .malformed("a length of more than four bytes")
  }

  mutating func text() throws(MQTTDefect) -> String {
    let count = Int(try word())
    let content = try take(count)
    guard let text = String(validating: content, as: UTF8.self), !content.contains(0) else {
      throw .malformed("a text that is no UTF-8")
    }
    return text
  }

  /// Skips properties (section 2.2.2), except the few that a subscriber needs.
  mutating func properties() throws(MQTTDefect) -> Properties {
    var fields = FieldReader(try take(try variable()))
    var found = Properties()
    while !fields.isAtEnd {
      switch try fields.variable() {
      case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: try fields.skip(1)
      case 0x13: found.keepAlive = try fields.word()
      case 0x21, 0x22: try fields.skip(2)
      case 0x23: found.hasTopicAlias = try fields.word() >= 0
      case 0x02, 0x18: try fields.skip(4)
      case 0x11: found.sessionExpiry = try fields.long()
      case 0x27: found.packetLimit = try fields.long()
      case 0x0B: _ = try fields.variable()
      case 0x1F: found.reason = try fields.text()
      case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C: try fields.skip(Int(try fields.word()))
      case 0x26:
        try fields.skip(Int(try fields.word()))
        try fields.skip(Int(try fields.word()))
      case let other: throw .malformed("property \(other), which there is not")
      }
    }
    return found
  }
}

struct Properties {
  var keepAlive: UInt16?
  /// s, as set by the broker.
  var sessionExpiry: UInt32?
  /// Bytes of one packet that the broker accepts.
  var packetLimit: UInt32?
  var reason: String?
  var hasTopicAlias = false
}

/// Splits a stream of bytes into packets.
struct PacketCutter {
  /// Bytes kept of a message that is too long: a topic of any length, its identifier, and enough payload to recognise
  /// the sender.
  static let beginning = 80_000

  let limit: Int
  private var bytes: [UInt8] = []
  private var start = 0
  /// Bytes of a message that is too long that are still to come.
  private var passing = 0

  init(limit: Int) { self.limit = limit }

  mutating func append(_ come: ArraySlice<UInt8>) {
    let more = come.dropFirst(passing)
    passing -= come.count - more.count
    if start > 0, start >= bytes.count / 2 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// The next complete packet: its first byte, and the bytes after its length. Of a message that is too long only the
  /// start.
  mutating func next() throws(MQTTDefect) -> (head: UInt8, body: ArraySlice<UInt8>, isCut: Bool)? {
    if start >= bytes.count { return nil }
    let head = bytes[start]
    if PacketType(rawValue: head >> 4) == nil { throw .malformed("a packet of type 0") }
    var (length, place) = (0, 0)
    while true {
      let index = start + 1 + place
      if index >= bytes.count { return nil }
      length |= Int(bytes[index] & 0x7F) << (7 * place)
      place += 1
      if bytes[index] < 0x80 { break }
      if place == 4 { throw .malformed("a length of more than four bytes") }
    }
    let begin = start + 1 + place
    if length > limit { return try beginning(head, begin, length) }
    if bytes.count - begin < length { return nil }
    start = begin + length
    return (head, bytes[begin..<start], false)
  }

  private mutating func beginning(_ head: UInt8, _ begin: Int, _ length: Int) throws(MQTTDefect) -> (
    head: UInt8, body: ArraySlice<UInt8>, isCut: Bool
  )? {
    if PacketType(rawValue: head >> 4) != .publish { throw .tooLarge(length) }
    let kept = min(length, Self.beginning)
    let there = bytes.count - begin
    if there < kept { return nil }
    let body = bytes[begin..<begin + kept]
    if there >= length {
      start = begin + length
    } else {
      (bytes, start, passing) = ([], 0, length - there)
    }
    return (head, body, true)
  }
}

/// Parses the message in a PUBLISH packet (section 3.3).
func readMessage(_ head: UInt8, _ body: ArraySlice<UInt8>, _ version: MQTTVersion) throws(MQTTDefect) -> MQTTMessage {
  var fields = FieldReader(body)
  let quality = head >> 1 & 3
  // Quality 2 was not subscribed to, and 3 does not exist.
  if quality > 1 { throw .malformed("a message of quality of service \(quality)") }
  let topic = try fields.text()
  if topic.isEmpty { throw .malformed("a message without topic") }
  let identifier = quality == 1 ? try fields.word() : 0
  if quality == 1, identifier == 0 { throw .malformed("a message with number 0") }
  if version == .v5, try fields.properties().hasTopicAlias {
    throw .malformed("a short form of a topic, which was not asked for")
  }
  return MQTTMessage(
    topic: topic, payload: Array(fields.rest), identifier: identifier, isRepeated: head & 8 != 0,
    isRetained: head & 1 != 0)
}
