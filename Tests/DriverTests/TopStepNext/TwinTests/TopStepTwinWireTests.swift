import EventLoop
import Foundation
import Testing

@testable import BandTwin
@testable import DriverTestSupport

/// Frames and messages of the new platform as the twin reads and writes them, held against the shared vectors.
@Suite("The wire of a simulated band of the new platform")
struct TopStepTwinWireTests {
  struct Vector: Decodable, Sendable, CustomTestStringConvertible {
    let id, kind, hex: String
    let expect: Expectation?
    var testDescription: String { id }
    var bytes: [UInt8] { Array(hexadecimal: hex) ?? [] }
  }
  struct Expectation: Decodable, Sendable {
    let cmd, key, flags: UInt8
    let seq: UInt16
    let payload: String
  }
  struct File: Decodable { let vectors: [Vector] }

  static let vectors: [Vector] = {
    let file = URL(filePath: #filePath).appending(path: "../../../../Vectors/topstep/newplatform.json").standardized
    return (try? JSONDecoder().decode(File.self, from: Data(contentsOf: file)))?.vectors ?? []
  }()

  static func payload(_ id: String) throws -> [UInt8] {
    let vector = try #require(vectors.first { $0.id == id })
    let expect = try #require(vector.expect)
    return try #require(Array(hexadecimal: expect.payload))
  }

  @Test("a frame of a vector is put together from pieces of any size, and made again byte for byte")
  func frames() throws {
    #expect(Self.vectors.count > 15)
    for vector in Self.vectors where vector.kind != "reject" && vector.kind != "incomplete" {
      let expect = try #require(vector.expect)
      let frame = TopStepWireFrame(
        expect.cmd, expect.key, flags: expect.flags, sequence: expect.seq,
        try #require(Array(hexadecimal: expect.payload)))
      #expect(frame.bytes == vector.bytes, "\(vector.id)")
      for size in 1...20 {
        var assembler = TopStepAssembler()
        var outcome: TopStepAssembler.Outcome?
        for start in stride(from: 0, to: vector.bytes.count, by: size) {
          #expect(outcome == nil)
          outcome = assembler.take(
            Array(vector.bytes[start..<min(start + size, vector.bytes.count)]), at: Instant(nanoseconds: 0))
        }
        #expect(outcome == .frame(frame), "\(vector.id) in pieces of \(size)")
      }
    }
  }

  @Test("a wrong checksum is reported, and a frame that stops is given up after three seconds")
  func brokenFrames() throws {
    for vector in Self.vectors where vector.kind == "reject" || vector.kind == "incomplete" {
      var assembler = TopStepAssembler()
      let outcome = assembler.take(vector.bytes, at: Instant(nanoseconds: 0))
      guard vector.kind == "incomplete" else {
        #expect(outcome == .corrupt(command: vector.bytes[1], key: vector.bytes[2]))
        continue
      }
      #expect(outcome == nil && assembler.isWaiting)
      let whole = TopStepWireFrame(3, 9, sequence: 1, [0x08, 0x50])
      #expect(assembler.take(whole.bytes, at: Instant(nanoseconds: 3_100_000_000)) == .frame(whole))
    }
    var assembler = TopStepAssembler()
    #expect(assembler.take([0x12, 0xAB], at: Instant(nanoseconds: 0)) == .stray)
  }

  @Test("a negative number takes ten bytes, a default zero bytes")
  func numbers() throws {
    let time = TopStepWriter.make {
      $0.number(1, 825_661_815 as Int64)
      $0.number(2, -18_000 as Int64)
    }
    #expect(try time == Self.payload("np-frame-06"))
    #expect(TopStepMessage(time)?.number(2) == -18_000)
    let battery = TopStepWriter.make {
      $0.number(1, 80 as Int64)
      $0.truth(2, true)
    }
    #expect(try battery == Self.payload("np-frame-03"))
    let nothing = TopStepWriter.make {
      $0.number(1, 0 as Int64)
      $0.truth(2, false)
      $0.float(3, 0)
      $0.text(4, "")
      $0.packed(5, [])
    }
    #expect(nothing.isEmpty)
  }

  @Test("every central that binds is read with its size and its time")
  func bind() throws {
    let message = try #require(TopStepMessage(try Self.payload("np-frame-08")))
    #expect(message.text(1) == "ward7bed3" && message.number(2) == 1 && message.text(6) == "123456")
    let user = try #require(message.message(7))
    #expect(user.number(1) == 1 && user.number(2) == 34 && user.number(3) == 178 && user.float(4) == 70.5)
    #expect(message.message(8)?.number(1) == 825_661_815 && message.message(8)?.number(2) == 3600)
    let written = TopStepWriter.make {
      $0.text(1, "ward7bed3")
      $0.number(2, 1 as Int64)
      $0.text(3, "1.0")
      $0.text(4, "Hub")
      $0.text(5, "Pi")
      $0.text(6, "123456")
      $0.message(
        7,
        TopStepWriter.make {
          $0.number(1, 1 as Int64)
          $0.number(2, 34 as Int64)
          $0.number(3, 178 as Int64)
          $0.float(4, 70.5)
        })
      $0.message(
        8,
        TopStepWriter.make {
          $0.number(1, 825_661_815 as Int64)
          $0.number(2, 3600 as Int64)
        })
    }
    #expect(try written == Self.payload("np-frame-08"))
  }

  @Test("a setting is read within its messages, and half-hours in one piece")
  func nested() throws {
    let setting = try #require(TopStepMessage(try Self.payload("np-frame-30")))
    let inner = try #require(setting.message(1))
    let monitor = TopStepMonitorSetting(inner)
    #expect(monitor.isOn && monitor.start == 480 && monitor.end == 1320 && monitor.interval == 10)
    #expect(setting.message(2)?.has(2) == false && setting.message(2)?.number(3) == 170 && setting.number(4) == 186)
    let day = try #require(TopStepMessage(try Self.payload("np-frame-25")))
    #expect(day.number(1) == 825_638_400 && day.number(2) == 825_638_400 + 86_399)
    #expect(day.numbers(3) == [Int](repeating: 0, count: 16) + [420, 80])
    #expect(day.numbers(4).suffix(2) == [21_000, 4000] && day.numbers(6).suffix(2) == [6, 1])
    let again = TopStepWriter.make {
      $0.number(1, day.number(1))
      $0.number(2, day.number(2))
      for field in 3...6 { $0.packed(field, day.numbers(field)) }
    }
    #expect(try again == Self.payload("np-frame-25"))
  }

  @Test("what is written is read again, field by field, and made again byte for byte")
  func roundTrip() {
    let seed = UInt64.random(in: 0 ... .max)
    print("next wire round trip: seed \(seed)")
    var draw = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      var writer = TopStepWriter()
      for _ in 0..<(draw.next() % 8) {
        let field = Int(draw.next() % 300) + 1
        switch draw.next() % 4 {
        case 0: writer.number(field, Int64(bitPattern: draw.next() >> (draw.next() % 64)))
        case 1: writer.float(field, Float(bitPattern: UInt32(truncatingIfNeeded: draw.next())))
        case 2: writer.message(field, draw.bytes())
        default: writer.packed(field, (0..<(draw.next() % 5)).map { _ in Int(truncatingIfNeeded: draw.next() >> 40) })
        }
      }
      guard let message = TopStepMessage(writer.bytes) else {
        Issue.record("no message: \(writer.bytes)")
        continue
      }
      var again = TopStepWriter()
      for field in message.fields { again.append(field) }
      #expect(again.bytes == writer.bytes)
    }
  }

  @Test("any bytes are a message or nil, and any pieces are frames or ignored")
  func hostile() {
    let seed = UInt64.random(in: 0 ... .max)
    print("next wire hostile bytes: seed \(seed)")
    var draw = SplitMix64(seed: seed)
    var assembler = TopStepAssembler()
    var messages = 0
    for number in 0..<20_000 {
      var bytes = draw.bytes()
      if TopStepMessage(bytes) != nil { messages += 1 }
      if number % 2 == 0, !bytes.isEmpty { bytes[0] = TopStepWireFrame.magic }
      _ = assembler.take(bytes, at: Instant(nanoseconds: Int64(number) * 1_000_000_000))
    }
    #expect(messages > 0)
    #expect(TopStepMessage([0x08]) == nil && TopStepMessage([0x0A, 0x05, 1]) == nil && TopStepMessage([0x0B]) == nil)
    #expect(TopStepMessage([0x08] + [UInt8](repeating: 0xFF, count: 10) + [0x01]) == nil)
  }
}
