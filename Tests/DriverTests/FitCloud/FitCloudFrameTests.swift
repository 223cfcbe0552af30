import EventLoop
import StateCodec
import Testing

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("FitCloud's frames")
struct FitCloudFrameTests {
  private static let reply: [UInt8] = Array(hexadecimal: "AB000007F245002202001C00023700") ?? []

  private func messages(_ events: [FitCloudReceiver.Event]) -> [FitCloudMessage] {
    events.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }

  private func answers(_ events: [FitCloudReceiver.Event]) -> [String] {
    events.compactMap { if case .answer(let bytes) = $0 { hexadecimal(bytes) } else { nil } }
  }

  @Test("come together from any pieces, and each is acknowledged with its own number")
  func pieces() throws {
    var generator = SeededGenerator(seed: .random(in: 0 ... .max))
    for _ in 0..<200 {
      var sent: [FitCloudMessage] = []
      var bytes: [UInt8] = []
      for number in 0..<UInt16.random(in: 1...6, using: &generator) {
        let items = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
          FitCloudMessage.Item(
            key: .random(in: 0...255, using: &generator), value: Array(generator.bytes().prefix(120)))
        }
        let message = try #require(FitCloudMessage(UInt8.random(in: 1...8, using: &generator), items))
        sent.append(message)
        bytes += FitCloudFrame(number, .data(message.payload)).bytes
      }
      var receiver = FitCloudReceiver()
      var events: [FitCloudReceiver.Event] = []
      while !bytes.isEmpty {
        let size = Int.random(in: 1...60, using: &generator)
        events += receiver.take(bytes.prefix(size))
        bytes = Array(bytes.dropFirst(size))
      }
      #expect(messages(events) == sent)
      #expect(answers(events).count == sent.count && !receiver.isWithinFrame && receiver.skipped == 0)
    }
  }

  @Test("that come damaged are answered with the error form, and taken when they come sound")
  func damaged() {
    var receiver = FitCloudReceiver()
    var bad = Self.reply
    bad[12] ^= 0x40
    let first = receiver.take(bad)
    #expect(answers(first) == ["AB30000000000022"] && messages(first).isEmpty)
    let second = receiver.take(Self.reply)
    #expect(answers(second) == ["AB10000000000022"] && messages(second).count == 1)
  }

  @Test("that come twice are acknowledged twice and taken once")
  func twice() {
    var receiver = FitCloudReceiver()
    let events = receiver.take(Self.reply) + receiver.take(Self.reply)
    #expect(answers(events) == ["AB10000000000022", "AB10000000000022"])
    #expect(messages(events).count == 1 && events.contains(.repeated(0x22)))
  }

  @Test("are found again behind foreign bytes, and behind a length that came wrong")
  func garbage() {
    var generator = SeededGenerator(seed: .random(in: 0 ... .max))
    for _ in 0..<300 {
      var receiver = FitCloudReceiver()
      // No marker among them: what looks like a header claims what follows, and is repeated by its sender.
      let noise = generator.bytes().filter { $0 != FitCloudFrame.marker }
      #expect(messages(receiver.take(noise) + receiver.take(Self.reply)).count == 1)
    }
    var receiver = FitCloudReceiver()
    var long = Self.reply
    long[3] = 40
    let events = receiver.take(long) + receiver.take(Self.reply) + receiver.take(Self.reply) + receiver.take(Self.reply)
    #expect(!messages(events).isEmpty)
  }

  @Test("never make more of bytes than they have room for, whatever comes")
  func hostile() {
    var generator = SeededGenerator(seed: .random(in: 0 ... .max))
    for _ in 0..<3000 {
      var receiver = FitCloudReceiver()
      var count = 0
      for _ in 0..<4 {
        var bytes = generator.bytes()
        for place in bytes.indices where place % 9 == 0 { bytes[place] = FitCloudFrame.marker }
        count += bytes.count
        let events = receiver.take(bytes)
        #expect(events.count <= 3 * (count / FitCloudFrame.headerSize + 1))
      }
    }
  }

  @Test("are acknowledged also if their items cannot be read, as repeating changes nothing")
  func unreadable() throws {
    var receiver = FitCloudReceiver()
    let events = receiver.take(try #require(Array(hexadecimal: "AB000008AED100030500300010010203")))
    #expect(answers(events) == ["AB10000000000003"] && events.contains(.odd(.itemLength)))
  }

  @Test("of the new platform are distinguished from their own by the first answer alone")
  func otherPlatform() {
    let payload: [UInt8] = [8, 80, 16, 1]
    let crc = CRC16ARC.of(payload)
    let next: [UInt8] = [0xAB, 3, 9, 0, 0, 4, UInt8(crc >> 8), UInt8(crc & 0xFF), 0, 1] + payload
    var receiver = FitCloudReceiver()
    _ = receiver.take(next.prefix(5))
    #expect(!receiver.isNextPlatform)
    _ = receiver.take(next.dropFirst(5))
    #expect(receiver.isNextPlatform)
    var own = FitCloudReceiver()
    _ = own.take(Self.reply)
    _ = own.take(next)
    #expect(!own.isNextPlatform)
    var damaged = FitCloudReceiver()
    _ = damaged.take(next.dropLast() + [0xFF])
    #expect(!damaged.isNextPlatform)
  }

  @Test("carry at most 502 bytes of payload, and values of at most 511")
  func bounds() throws {
    func message(_ size: Int) -> FitCloudMessage? {
      FitCloudMessage(5, [FitCloudMessage.Item(key: 1, value: [UInt8](repeating: 7, count: size))])
    }
    #expect(message(497)?.payload.count == 502 && message(498) == nil)
    #expect(FitCloudMessage(5, version: 16, []) == nil)
    #expect(FitCloudItem(.syncData, [UInt8](repeating: 1, count: 2000)).payload.count == 502)
    #expect(throws: FitCloudDefect.tooShort) { try FitCloudMessage([5]) }
  }
}
