import Bands
import EventLoop
import Testing

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("Frames of the new platform")
struct TopStepFrameTests {
  private static let head = Array(hexadecimal: "AB0621000012269900040A062F6D7573696310E1DE92A50918B0BA1F")!

  @Test("are read and written as in the vendor's example")
  func example() throws {
    let frame = try TopStepFrame(Self.head)
    #expect(frame.topic == TopStepTopic(6, 0x21) && frame.flags == 0 && frame.sequence == 4)
    #expect(frame.payload.count == 18 && frame.bytes == Self.head)
  }

  @Test("that are cut are waited for, and invalid ones are refused by what is wrong with them")
  func defects() {
    func defect(_ hex: String) -> TopStepDefect? {
      do throws(TopStepDefect) { _ = try TopStepFrame(Array(hexadecimal: hex)!) } catch { return error }
      return nil
    }
    for count in 0..<Self.head.count {
      #expect(throws: TopStepDefect.incomplete) { try TopStepFrame(Self.head.prefix(count)) }
    }
    #expect(defect("AC") == .magic)
    #expect(defect("AB07") == .command(7) && defect("AB00") == .command(0))
    #expect(defect("AB01010010010000000000") == .length(4097))
    #expect(defect("AB0309000002FC0700050810") == .crc)
  }

  @Test("with a flag are taken if their payload is a message, and refused by name if it is a fragment")
  func flags() throws {
    for flag: UInt8 in [1, 2, 4, 0x80] {
      var frame = try TopStepFrame(Self.head)
      frame.flags = flag
      #expect(try TopStepFrame(frame.bytes) == frame)
      frame.payload = []
      #expect(try TopStepFrame(frame.bytes) == frame)
      frame.payload = [0, 0, 0, 3, 0, 0, 0, 1, 0x08, 0x01]
      #expect(throws: TopStepDefect.fragment(number: 1, of: 3)) { try TopStepFrame(frame.bytes) }
      frame.payload = [0, 1]
      #expect(throws: TopStepDefect.flags(flag)) { try TopStepFrame(frame.bytes) }
    }
    var frame = try TopStepFrame(Self.head)
    frame.flags = 0x0F
    #expect(throws: TopStepDefect.flags(0x0F)) { try TopStepFrame(frame.bytes) }
  }

  @Test("come out of pieces whatever their size, with what is wrong between them passed over")
  func pieces() throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      var sent: [TopStepFrame] = []
      var stream: [UInt8] = []
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let payload = (0..<Int.random(in: 0...300, using: &generator)).map { _ in UInt8(generator.next() & 0xFF) }
        let frame = TopStepFrame(
          topic: TopStepTopic(UInt8.random(in: 1...6, using: &generator), 9),
          sequence: UInt16(generator.next() & 0xFFFF), payload: payload)
        // Noise in which no frame begins.
        stream += (0..<Int.random(in: 0...5, using: &generator)).map { _ in UInt8(generator.next() & 0x7F) }
        stream += frame.bytes
        sent.append(frame)
      }
      var assembler = FrameAssembler()
      var came: [TopStepFrame] = []
      var rest = stream[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...40, using: &generator))
        rest = rest.dropFirst(piece.count)
        for case .frame(let frame) in assembler.take(piece) { came.append(frame) }
      }
      #expect(came == sent && assembler.isEmpty)
    }
  }

  @Test("are found again after a piece was lost")
  func lostPiece() throws {
    var assembler = FrameAssembler()
    let whole = TopStepFrame(topic: .battery, sequence: 7, payload: [0x08, 0x50])
    #expect(assembler.take(Self.head.prefix(20)) == [])
    var events: [FrameAssembler.Event] = []
    // The rest of the first never comes; so many later that its length is full.
    for _ in 0..<3 { events += assembler.take(whole.bytes) }
    #expect(events.contains(.refused(.crc)))
    #expect(events.filter { $0 == .frame(whole) }.count == 3)
    _ = assembler.take(Self.head.prefix(5))
    #expect(assembler.giveUp() && assembler.isEmpty && !assembler.giveUp())
  }

  @Test("of any bytes cause no trap, and at most one frame is held")
  func hostile() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var assembler = FrameAssembler()
      for _ in 0..<200 {
        var bytes = generator.bytes()
        for place in bytes.indices where generator.next() & 7 == 0 { bytes[place] = 0xAB }
        _ = assembler.take(bytes)
      }
    }
  }

  @Test("of FitCloud are distinguished from them by their second byte, whole and sound")
  func fitCloud() {
    func isOne(_ hex: String) -> Bool { FitCloudAnswer.isOne(Array(hexadecimal: hex)!) }
    #expect(isOne("AB10000000000001") && isOne("AB30000000000000"))
    #expect(!isOne("AB100000000000") && !isOne("AB10000100000001"))
    #expect(FitCloudAnswer.isOne(FitCloudAnswer.question))
    var broken = FitCloudAnswer.question
    broken[12] ^= 1
    #expect(!FitCloudAnswer.isOne(broken) && !FitCloudAnswer.isOne(Array(FitCloudAnswer.question.dropLast())))
    #expect(!FitCloudAnswer.isOne(Self.head))
    #expect(!FitCloudAnswer.isOne(TopStepFrame(topic: .battery, sequence: 1, payload: []).bytes))
  }
}
