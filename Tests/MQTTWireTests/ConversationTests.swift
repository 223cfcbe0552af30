// A subscriber's conversation as bytes: what it says, what a broker answers, and what comes of it.

import Testing

@testable import MQTTWire

/// Bytes in hexadecimal, spaces as one likes.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }
  var bytes: [UInt8] = []
  var rest = digits[...]
  while rest.count >= 2 {
    bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
    rest = rest.dropFirst(2)
  }
  return bytes
}

func testOptions(_ version: MQTTVersion, receiveMaximum: UInt16 = 2) -> MQTTOptions {
  var options = MQTTOptions()
  options.version = version
  options.client = "s"
  options.receiveMaximum = receiveMaximum
  options.filters = ["a/+"]
  return options
}

extension MQTTSubscriber {
  mutating func events(of text: String) throws(MQTTDefect) -> [MQTTEvent] {
    var events: [MQTTEvent] = []
    try receive(bytes(text)[...]) { events.append($0) }
    return events
  }

  /// As far as messages.
  static func ready(_ version: MQTTVersion, receiveMaximum: UInt16 = 2) throws -> MQTTSubscriber {
    var subscriber = MQTTSubscriber(testOptions(version, receiveMaximum: receiveMaximum))
    subscriber.open()
    _ = subscriber.takeOutgoing()
    _ = try subscriber.events(of: version == .v5 ? "20 03 00 00 00" : "20 02 00 00")
    _ = subscriber.takeOutgoing()
    _ = try subscriber.events(of: version == .v5 ? "90 04 00 01 00 01" : "90 03 00 01 01")
    return subscriber
  }
}

@Suite("A subscriber's conversation")
struct ConversationTests {
  @Test("in version 5: the session is kept, and the broker gets the bound of what may be out")
  func versionFive() throws {
    var subscriber = MQTTSubscriber(testOptions(.v5))
    subscriber.open()
    // CONNECT: MQTT, 5, no flags, 30 s, properties: session 604,800 s, receive maximum 2, packets of 5 MiB; client s
    #expect(
      subscriber.takeOutgoing()
        == bytes("10 1B 0004 4D515454 05 00 001E 0D 11 00093A80 21 0002 27 00500000 0001 73"))
    #expect(try subscriber.events(of: "20 06 01 00 03 21 00 14") == [.connected(sessionPresent: true)])
    #expect(subscriber.takeOutgoing() == bytes("82 09 0001 00 0003 612F2B 01"))
    #expect(try subscriber.events(of: "90 04 00 01 00 01") == [.subscribed([true])])
    let message = MQTTMessage(topic: "a/b", payload: [0x68, 0x69], identifier: 7)
    #expect(try subscriber.events(of: "32 0A 0003 612F62 0007 00 6869") == [.message(message)])
  }

  @Test("a broker that keeps the session for less than was asked for is heard")
  func sessionExpiry() throws {
    var subscriber = MQTTSubscriber(testOptions(.v5))
    subscriber.open()
    #expect(
      try subscriber.events(of: "20 08 00 00 05 11 0000003C") == [
        .connected(sessionPresent: false), .sessionExpires(60),
      ])
  }

  @Test("a broker that takes no packet as long as the subscription is reported as one that refuses")
  func packetLimit() throws {
    var subscriber = MQTTSubscriber(testOptions(.v5))
    subscriber.open()
    #expect(throws: MQTTDefect.refused("packets of more than 8 bytes, and a subscription has 11")) {
      try subscriber.events(of: "20 08 00 00 05 27 00000008")
    }
  }

  @Test("in version 3.1.1: the same without properties")
  func versionThree() throws {
    var subscriber = MQTTSubscriber(testOptions(.v311))
    subscriber.open()
    #expect(subscriber.takeOutgoing() == bytes("10 0D 0004 4D515454 04 00 001E 0001 73"))
    #expect(try subscriber.events(of: "20 02 00 00") == [.connected(sessionPresent: false)])
    #expect(subscriber.takeOutgoing() == bytes("82 08 0001 0003 612F2B 01"))
    #expect(try subscriber.events(of: "90 03 00 01 80") == [.subscribed([false])])
    let message = MQTTMessage(topic: "a/b", payload: [], identifier: 258, isRepeated: true, isRetained: true)
    #expect(try subscriber.events(of: "3B 07 0003 612F62 0102") == [.message(message)])
  }

  @Test("user and password are said when they are set")
  func password() {
    var options = testOptions(.v311)
    (options.user, options.password) = ("u", [0x70, 0x77])
    var subscriber = MQTTSubscriber(options)
    subscriber.open()
    #expect(subscriber.takeOutgoing() == bytes("10 14 0004 4D515454 04 C0 001E 0001 73 0001 75 0002 7077"))
  }

  @Test("no batch is acknowledged until its reader says so, and then once")
  func acknowledging() throws {
    var subscriber = try MQTTSubscriber.ready(.v5)
    _ = try subscriber.events(of: "32 08 0003 612F62 0007 00  32 08 0003 612F62 0008 00")
    #expect(subscriber.takeOutgoing().isEmpty)
    #expect(subscriber.inFlight == 2)
    subscriber.acknowledge(7)
    subscriber.acknowledge(7)
    subscriber.acknowledge(9)
    #expect(subscriber.takeOutgoing() == bytes("40 02 0007"))
    #expect(subscriber.inFlight == 1)
  }

  @Test("a message of quality 0 has no number and is no debt")
  func qualityZero() throws {
    var subscriber = try MQTTSubscriber.ready(.v5)
    let events = try subscriber.events(of: "30 07 0003 612F62 00 01")
    #expect(events == [.message(MQTTMessage(topic: "a/b", payload: [1]))])
    #expect(subscriber.inFlight == 0)
  }

  @Test("messages of a kept session may come before the subscription is answered")
  func earlyMessages() throws {
    var subscriber = MQTTSubscriber(testOptions(.v5))
    subscriber.open()
    let events = try subscriber.events(of: "20 03 01 00 00  32 08 0003 612F62 0001 00  90 04 0001 00 01")
    #expect(events.count == 3)
  }

  @Test("bytes may come one by one")
  func pieces() throws {
    var subscriber = MQTTSubscriber(testOptions(.v5))
    subscriber.open()
    var events: [MQTTEvent] = []
    for byte in bytes("20 03 01 00 00 90 04 0001 00 01 32 0A 0003 612F62 0007 00 6869 D0 00") {
      try subscriber.receive([byte]) { events.append($0) }
    }
    #expect(events.count == 3)
  }

  @Test("a ping is asked once and answered")
  func ping() throws {
    var subscriber = try MQTTSubscriber.ready(.v5)
    subscriber.ping()
    subscriber.ping()
    #expect(subscriber.takeOutgoing() == bytes("C0 00"))
    #expect(subscriber.isWaitingForPing)
    _ = try subscriber.events(of: "D0 00")
    #expect(!subscriber.isWaitingForPing)
  }

  @Test("the broker's own keep-alive is kept to")
  func keepAlive() throws {
    var subscriber = MQTTSubscriber(testOptions(.v5))
    subscriber.open()
    _ = try subscriber.events(of: "20 06 00 00 03 13 00 0A")
    #expect(subscriber.keepAlive == 10)
  }

  @Test("a goodbye ends it, in either direction")
  func goodbye() throws {
    var subscriber = try MQTTSubscriber.ready(.v5)
    subscriber.close()
    #expect(subscriber.takeOutgoing() == bytes("E0 00"))
    var other = try MQTTSubscriber.ready(.v5)
    #expect(try other.events(of: "E0 01 8E") == [.ended("session taken over")])
    other.acknowledge(1)
    #expect(other.takeOutgoing().isEmpty)
  }

  @Test(
    "a refusal is reported in its words",
    arguments: [
      ("20 03 00 87 00", MQTTVersion.v5, MQTTDefect.refused("not authorized")),
      ("20 02 00 05", .v311, .refused("not authorized")),
      ("20 02 00 01", .v311, .versionRefused),
      ("20 02 00 01", .v5, .versionRefused),
      ("20 03 00 84 00", .v5, .versionRefused),
      ("20 08 00 80 05 1F 00 02 6E 6F", .v5, .refused("no")),
    ])
  func refusal(answer: String, version: MQTTVersion, defect: MQTTDefect) throws {
    var subscriber = MQTTSubscriber(testOptions(version))
    subscriber.open()
    #expect(throws: defect) { try subscriber.events(of: answer) }
  }
}
