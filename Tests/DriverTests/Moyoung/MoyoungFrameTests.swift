import Bluetooth
import CivilTime
import EventLoop
import Health
import Testing

@testable import DriverTestSupport
@testable import MoyoungFamily

@Suite("Frames of Moyoung's bands")
struct MoyoungFrameTests {
  /// Fresh each time; printed, so that a failure can be run again by hand.
  private static func seed() -> UInt64 {
    var system = SystemRandomNumberGenerator()
    let seed = system.next()
    print("frames: seed \(seed)")
    return seed
  }

  private func outcome(_ bytes: [UInt8]) -> Result<MoyoungFrame?, MoyoungFrame.Defect> {
    do throws(MoyoungFrame.Defect) { return .success(try MoyoungFrame(bytes)) } catch { return .failure(error) }
  }

  @Test("have their length from the marker on, in one byte or in twelve bits")
  func lengths() throws {
    #expect(MoyoungFrame(.fixed, 46)?.bytes == [0xFE, 0xEA, 0x10, 0x05, 46])
    #expect(
      MoyoungFrame(.wide, 53, [UInt8](repeating: 7, count: 300))?.bytes.prefix(5) == [0xFE, 0xEA, 0x21, 0x31, 53])
    #expect(MoyoungFrame(.fixed, 1, [UInt8](repeating: 0, count: 251)) == nil)
    #expect(MoyoungFrame(.wide, 1, [UInt8](repeating: 0, count: 4091)) == nil)
  }

  @Test("of hostile lengths are refused, and no more than one frame is kept")
  func hostile() {
    for bytes: [UInt8] in [
      [0xFE, 0xEA, 0x10, 0x04, 46], [0xFE, 0xEA, 0x10, 0x00], [0xFE, 0xEA, 0x20, 0x04, 1], [0xFE, 0xEA, 0x30, 0x05, 1],
      [0xFE, 0xEA, 0x00, 0x05, 1], [0xFE, 0xEA, 0x10, 0x05, 46, 0],
    ] { #expect(outcome(bytes) == .failure(.length)) }
    #expect(outcome([0xFE, 0xEB]) == .failure(.marker) && outcome([0xAB]) == .failure(.marker))
    #expect(outcome([]) == .success(nil) && outcome([0xFE]) == .success(nil))
  }

  @Test("come whole again from pieces of any size, between pieces of others")
  func pieces() throws {
    var generator = SeededGenerator(seed: Self.seed())
    for _ in 0..<2000 {
      let framing = Bool.random(using: &generator) ? MoyoungFraming.fixed : .wide
      let count = Int.random(in: 0...(MoyoungFrame.limit(framing) - MoyoungFrame.head), using: &generator)
      // Without the marker's first byte: a piece that begins like a frame is taken for the next one.
      let payload = (0..<count).map { _ in UInt8.random(in: 0..<0xFE, using: &generator) }
      let frame = try #require(MoyoungFrame(framing, UInt8.random(in: 0...255, using: &generator), payload))
      #expect(outcome(frame.bytes) == .success(frame))
      var assembler = MoyoungAssembler()
      if Bool.random(using: &generator) { #expect(assembler.take([1, 2, 3]) == .defective(.marker)) }
      var place = 0
      var whole: MoyoungFrame?
      while place < frame.bytes.count {
        let end = min(frame.bytes.count, place + Int.random(in: 4...244, using: &generator))
        switch assembler.take(Array(frame.bytes[place..<end])) {
        case .more: #expect(end < frame.bytes.count)
        case .whole(let found): whole = found
        case .defective(let defect): Issue.record("\(defect) at \(place)")
        }
        place = end
      }
      #expect(whole == frame && assembler.isEmpty)
    }
  }

  @Test("that lost their rest are given up with the next one that does not fit them")
  func lostRest() throws {
    var assembler = MoyoungAssembler()
    let long = try #require(MoyoungFrame(.wide, 53, [UInt8](repeating: 9, count: 73)))
    #expect(assembler.take(Array(long.bytes.prefix(70))) == .more)
    let short = try #require(MoyoungFrame(.wide, 47, [UInt8](repeating: 1, count: 12)))
    #expect(assembler.take(short.bytes) == .whole(short))
    // A frame that is padded to the size of a notification.
    #expect(assembler.take(short.bytes + [0, 0, 0]) == .whole(short))
    #expect(assembler.take(Array(long.bytes.prefix(70))) == .more)
    assembler.reset()
    #expect(assembler.isEmpty)
  }

  @Test("of random bytes are never kept beyond the longest frame")
  func bounded() {
    var generator = SeededGenerator(seed: Self.seed())
    var assembler = MoyoungAssembler()
    for _ in 0..<20_000 {
      var bytes = generator.bytes()
      if Bool.random(using: &generator) {
        bytes = [0xFE, 0xEA, 0x20 + UInt8.random(in: 0...15, using: &generator)] + bytes
      }
      if case .whole(let frame) = assembler.take(bytes) { #expect(frame.payload.count <= 4090) }
    }
  }

  @Test("have times of a clock eight hours east of Greenwich, wherever the band is")
  func times() {
    // 2026-11-21 10:00:00 by the band's clock.
    #expect(MoyoungTime.wire(1_795_255_200) == 1_795_226_400)
    #expect(MoyoungTime.shown(1_795_226_400) == 1_795_255_200)
    #expect(MoyoungClockSetting.payload(1_795_255_200) == [0x6B, 0x00, 0xFB, 0x20, 8])
    #expect(MoyoungTime.wire(0) == nil && MoyoungTime.wire(.min) == nil && MoyoungTime.wire(1 << 40) == nil)
    #expect(MoyoungTime.dayNumber(-1) == -1 && MoyoungTime.secondOfDay(-1) == 86_399)
  }

  @Test("say a wearer's body only if it is whole and fits")
  func body() throws {
    var facts = BodyFacts()
    facts.born = LocalDate(year: 1992, month: 11, day: 22)
    (facts.height, facts.weight) = (178, 70)
    let today = try #require(LocalDate(year: 2026, month: 11, day: 21))
    #expect(MoyoungUser(facts, on: today) == nil)
    facts.sex = .male
    #expect(MoyoungUser(facts, on: today)?.payload == [178, 70, 33, 0])
    facts.weight = 300
    #expect(MoyoungUser(facts, on: today) == nil)
    (facts.weight, facts.born) = (70, LocalDate(year: 2025, month: 1, day: 1))
    #expect(MoyoungUser(facts, on: today) == nil)
  }
}
