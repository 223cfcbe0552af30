import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

private func event(_ bytes: [UInt8]) -> HCIEvent? { bytes.withUnsafeBytes { HCIEvent($0) } }

@Suite("What a controller says")
struct ObserverTests {
  static let idle = HCIEvent.Rhythm(interval: 360, latency: 10, timeout: 1000)
  static let events: [(String, HCIEvent)] = [
    ("04 3E 13 01 00 4000 00 01 01F4F3F2F1F0 6801 0A00 E803 05", .connected(status: 0, handle: 0x40, idle)),
    (
      "04 3E 1F 0A 00 4000 00 01 01F4F3F2F1F0 000000000000 000000000000 6801 0A00 E803 05",
      .connected(status: 0, handle: 0x40, idle)
    ),
    ("04 3E 13 01 3E 4000 00 01 01F4F3F2F1F0 6801 0A00 E803 05", .connected(status: 0x3E, handle: 0x40, idle)),
    ("04 3E 0A 03 00 4000 6801 0A00 E803", .updated(status: 0, handle: 0x40, idle)),
    ("04 3E 0A 03 3B 40F0 6801 0A00 E803", .updated(status: 0x3B, handle: 0x40, idle)),
    ("04 3E 0B 06 4000 2800 5000 0400 5802", .parametersRequested(handle: 0x40, .background)),
    ("04 3E 0B 07 4000 FB00 4808 FB00 4808", .dataLengthChanged(handle: 0x40)),
    ("04 3E 06 0C 00 4000 02 02", .physicalLayerChanged(status: 0, handle: 0x40)),
    ("04 05 04 00 4000 13", .disconnected(handle: 0x40, reason: 0x13)),
    ("04 08 04 06 4000 00", .encryptionChanged(status: 6, handle: 0x40)),
    ("04 30 03 00 4000", .encryptionChanged(status: 0, handle: 0x40)),
    ("04 0F 04 0C 01 1320", .commandStatus(status: 0x0C, opcode: 0x2013)),
    ("04 3E 02 02 00", .other(0x3E, 2)), ("04 FF 01 00", .other(0xFF, nil)),
  ]

  @Test("is read as the specification lays it out", arguments: events)
  func parse(_ hex: String, _ expected: HCIEvent) throws {
    #expect(event(try #require([UInt8](hexadecimal: hex))) == expected)
  }

  @Test("is nil if it is cut, too long, or of a length that lies", arguments: events)
  func hostile(_ hex: String, _ expected: HCIEvent) throws {
    let bytes = try #require([UInt8](hexadecimal: hex))
    for count in 0..<bytes.count { #expect(event(Array(bytes[..<count])) == nil, "\(count) of \(bytes.count) bytes") }
    #expect(event(bytes + [0]) == nil)
    if case .other = expected { return }
    for body in 0..<20 where body != bytes.count - 3 {
      let padded = Array((bytes[3...] + [UInt8](repeating: 0, count: 20)).prefix(body))
      // A shorter connection event is the plain one inside the enhanced one. No other event is contained in another.
      #expect(event([4, bytes[1], UInt8(body)] + padded) == nil, "\(body) bytes")
    }
  }

  @Test("is asked for another rhythm by 18 bytes")
  func command() {
    #expect(hexadecimal(HCICommand.connectionUpdate(0x40, .background)) == "0113200E40002800500004005802" + "00000000")
  }

  @Test("of no link, of a link that is gone, or in nonsense changes nothing")
  func stray() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      _ = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      setting.kernel.sayUpdated(0x99, 6, 0, 400)
      setting.kernel.say("04 3E 01")
      setting.kernel.say("")
      #expect(await setting.connect() == nil)
      let count = setting.parameters.count
      setting.kernel.sayUpdated(0x99, 6, 0, 400)
      setting.kernel.bearers[0].close(immediately: true)
      setting.kernel.sayUpdated(0x40, 6, 0, 400)
      setting.kernel.say("04 3E 0B 06 4000 2800 5000 0400 5802")
      try await setting.pass(.seconds(1))
      #expect(setting.parameters.count == count)
      #expect(setting.kernel.updates.isEmpty)
      #expect(setting.counter("hci.malformed") == 2)
      #expect(setting.radio.parameters(of: strap) == nil)
    }
  }

  @Test("is no longer heard when its socket fails, and the radio goes on by assuming")
  func fails() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      _ = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.care.observesLinks)
      setting.kernel.breakObserver()
      #expect(!setting.radio.facts.care.observesLinks)
      #expect(await setting.connect() == nil)
      #expect(setting.parameters.map(\.source) == [.assumed])
    }
  }
}
