// A broker that violates the protocol: every conversation ends with a defect, never with a trap or with much memory.

import Testing

@testable import MQTTWire

@Suite("A hostile broker")
struct HostileTests {
  @Test(
    "ends the conversation",
    arguments: [
      // A length of five bytes; a packet of type 0; one of 256 MB that never arrives.
      "32 FF FF FF FF 01", "00 00", "90 FF FF FF 7F",
      // Messages: no topic, topic beyond the packet, topic that is no UTF-8 or has a zero, number 0, quality 2.
      "32 05 0000 0001 00", "32 05 0009 61 0001", "32 06 0001 FF 0001 00", "32 06 0001 00 0001 00",
      "32 06 0001 61 0000 00", "34 06 0001 61 0001 00",
      // Properties: longer than the packet, unknown, cut, a topic's alias without a request.
      "32 06 0001 61 0001 09", "32 07 0001 61 0001 01 7E", "32 08 0001 61 0001 02 02 00",
      "32 09 0001 61 0001 03 23 0001",
      // Packets that may not come: a second answer, one to a missing subscription, a client's own.
      "20 03 00 00 00", "90 04 0001 00 01", "10 00", "82 00", "50 02 0001", "F0 00",
    ])
  func defects(text: String) throws {
    var subscriber = try MQTTSubscriber.ready(.v5)
    #expect(throws: MQTTDefect.self) { try subscriber.events(of: text) }
    // After it no packet is read or sent any more.
    #expect(try subscriber.events(of: "32 08 0003 612F62 0001 00").isEmpty)
    subscriber.acknowledge(1)
    #expect(subscriber.takeOutgoing().isEmpty)
  }

  @Test("may have more out than was asked for, and each number once")
  func flood() throws {
    var subscriber = try MQTTSubscriber.ready(.v5)
    for number in ["01", "02", "03", "03"] { _ = try subscriber.events(of: "32 08 0003 612F62 00\(number) 00") }
    #expect(subscriber.inFlight == 3)
  }

  @Test("a message that is too long is cut, and what follows is heard", arguments: [7, 997, 65_536, 1 << 20])
  func tooLong(piece: Int) throws {
    var options = testOptions(.v311)
    options.packetLimit = 100_000
    var subscriber = MQTTSubscriber(options)
    subscriber.open()
    _ = try subscriber.events(of: "20 02 00 00 90 03 0001 01")
    let length = 300_000
    let head: [UInt8] = [0x32, UInt8(length & 127 | 128), UInt8(length >> 7 & 127 | 128), UInt8(length >> 14)]
    let long = head + bytes("0003 612F62 0007") + [UInt8](repeating: 5, count: length - 7)
    let stream = long + bytes("32 07 0003 612F62 0008") + long
    var messages: [MQTTMessage] = []
    var place = 0
    while place < stream.count {
      let end = min(place + piece, stream.count)
      try subscriber.receive(stream[place..<end]) { if case .message(let message) = $0 { messages.append(message) } }
      place = end
    }
    #expect(messages.map(\.identifier) == [7, 8, 7])
    #expect(messages.map(\.isCut) == [true, false, true])
    #expect(messages.allSatisfy { $0.payload.count < 80_000 })
  }

  @Test("answers as many filters as there are")
  func subscription() throws {
    for text in ["90 05 0001 00 01 01", "90 03 0001 00", "90 04 0002 00 01"] {
      var subscriber = MQTTSubscriber(testOptions(.v5))
      subscriber.open()
      _ = try subscriber.events(of: "20 03 00 00 00")
      #expect(throws: MQTTDefect.self) { try subscriber.events(of: text) }
    }
  }

  @Test("any bytes end in an event, a defect or in waiting")
  func anyBytes() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      guard var subscriber = try? MQTTSubscriber.ready(Bool.random() ? .v5 : .v311) else { continue }
      let types: [UInt8] = [0x20, 0x30, 0x32, 0x40, 0x90, 0xD0, 0xE0]
      let body = (0..<Int.random(in: 0..<24)).map { _ in UInt8.random(in: 0..<(Bool.random() ? 4 : 255), using: &random)
      }
      let packet = [types.randomElement() ?? 0x32, UInt8(body.count)] + body
      for _ in 0..<3 { try? subscriber.receive(packet[...]) { _ in } }
      #expect(subscriber.inFlight <= 3)
    }
  }
}
