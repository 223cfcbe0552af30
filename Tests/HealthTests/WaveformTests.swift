import Testing

@testable import Health

/// Run lengths: pairs of a count and a signed value.
private struct RunDecoder: WaveformDecoder {
  let encoding: Int64 = 300
  func decode(_ bytes: [UInt8], count: Int, components: Int) -> [Int32]? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: bytes.count, by: 2).flatMap {
      Array(repeating: Int32(Int8(bitPattern: bytes[$0 + 1])), count: Int(bytes[$0]))
    }
  }
}

@Suite("A waveform")
struct WaveformTests {
  private func wave(_ encoding: Int64, _ count: Int64, _ bytes: [UInt8]) -> Waveform? {
    Waveform(start: 1000, period: 7_692_307, count: count, encoding: encoding, bytes: bytes)
  }

  @Test("is decoded from the common encodings as the format says")
  func golden() {
    #expect(
      wave(0, 2, [0x01, 0x00, 0xFF, 0xFF, 0x00, 0x80, 0xFF, 0x7F])?.numbers(components: 2) == [1, -1, -32_768, 32_767])
    #expect(
      wave(1, 4, [0x01, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0x80, 0xFF, 0xFF, 0x7F])?.numbers(components: 1) == [
        1, -1, -8_388_608, 8_388_607,
      ])
    #expect(
      wave(2, 1, [1, 2, 3, 4, 0, 0, 0, 0x80, 0xFE, 0xFF, 0xFF, 0xFF])?.numbers(components: 3) == [
        0x0403_0201, .min, -2,
      ])
    #expect(wave(0, 0, [])?.numbers(components: 3) == [])
  }

  @Test("with bytes that do not fit its count is not decoded")
  func lengths() {
    for encoding in 0..<3 as Range<Int64> {
      for length in 0...40 {
        let expected = length == 2 * 3 * (Int(encoding) + 2)
        #expect((wave(encoding, 2, [UInt8](repeating: 0, count: length))?.numbers(components: 3) != nil) == expected)
      }
    }
    for components in [0, -1, 17, .max] { #expect(wave(0, 1, [0, 0])?.numbers(components: components) == nil) }
    for encoding in [-1, 3, 255, 256, .max, .min] as [Int64] {
      #expect(wave(encoding, 1, [0, 0])?.numbers(components: 1) == nil)
    }
  }

  @Test("beyond its limits is refused")
  func limits() {
    #expect(wave(0, -1, []) == nil)
    #expect(wave(0, 65_537, []) == nil)
    #expect(wave(0, 1, [UInt8](repeating: 0, count: 65_537)) == nil)
    for period in [0, -1, 86_400_000_000_001, .max] as [Int64] {
      #expect(Waveform(start: 0, period: period, count: 1, encoding: 0, bytes: []) == nil)
    }
    // More numbers than one block may give, although its bytes are few.
    let many = wave(300, 65_536, [])
    #expect(many?.numbers(components: 5, WaveformDecoders([RunDecoder()])) == nil)
  }

  @Test("in a wearable's own encoding is decoded by a driver that knows it, and only if all samples are there")
  func own() {
    let decoders = WaveformDecoders([RunDecoder()])
    #expect(wave(300, 3, [2, 7, 4, 0xFF])?.numbers(components: 2, decoders) == [7, 7, -1, -1, -1, -1])
    #expect(wave(300, 3, [2, 7, 3, 0xFF])?.numbers(components: 2, decoders) == nil)
    #expect(wave(300, 3, [2, 7, 4])?.numbers(components: 2, decoders) == nil)
    #expect(wave(301, 3, [2, 7, 4, 0xFF])?.numbers(components: 2, decoders) == nil)
    #expect(wave(300, 3, [2, 7, 4, 0xFF])?.numbers(components: 2) == nil)
    #expect(decoders[300] != nil)
    #expect(decoders[0] == nil)
  }

  @Test("of any numbers comes back from the narrowest encoding that holds them", arguments: 0..<60)
  func roundTrip(seed: Int) throws {
    var random = Seeded(seed)
    let components = Int.random(in: 1...16, using: &random)
    let shift = Int32.random(in: 0...31, using: &random)
    let numbers = (0..<components * Int.random(in: 0...200, using: &random)).map { _ in
      Int32.random(in: .min ... .max, using: &random) >> shift
    }
    let waveform = try #require(Waveform(start: 5, period: 1_000_000, components: components, numbers: numbers))
    #expect(waveform.numbers(components: components) == numbers)
    #expect(waveform.count * components == numbers.count)
    let narrowest =
      numbers.allSatisfy { Int16(exactly: $0) != nil }
      ? 0 : numbers.allSatisfy { $0 >= -(1 << 23) && $0 < 1 << 23 } ? 1 : 2
    #expect(waveform.encoding == narrowest)
  }

  @Test("of the largest number of each width is not cut")
  func widths() {
    for (number, encoding) in [
      (32_767, 0), (-32_768, 0), (32_768, 1), (-32_769, 1), (8_388_607, 1), (-8_388_608, 1), (8_388_608, 2),
      (-8_388_609, 2),
    ] as [(Int32, Int64)] {
      let waveform = Waveform(start: 0, period: 1, components: 1, numbers: [number])
      #expect(waveform?.encoding == encoding)
      #expect(waveform?.numbers(components: 1) == [number])
    }
    #expect(Waveform(start: 0, period: 1, components: 2, numbers: [1, 2, 3]) == nil)
    #expect(Waveform(start: 0, period: 1, components: 1, numbers: Array(repeating: 1, count: 32_769)) == nil)
  }

  @Test("gives each sample its time, without adding up rounding")
  func times() throws {
    let ecg = try #require(wave(0, 130, [UInt8](repeating: 0, count: 260)))
    #expect(ecg.time(of: 0) == 1000)
    #expect(ecg.time(of: 1) == 8692)
    #expect(ecg.time(of: 130) == 1_000_999)
    let longest = try #require(Waveform(start: .max, period: 86_400_000_000_000, count: 65_536, encoding: 0, bytes: []))
    #expect(longest.time(of: 65_536) < 0)
  }
}
