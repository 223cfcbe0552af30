import Bluetooth
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Polar's live streams")
struct PMDStreamTests {
  private let decoder = PMD.StreamDecoder()
  private let sink = RecordingSink()
  private static let second: UInt64 = 1_000_000_000
  /// Some day, on the wearable's clock.
  private static let noon: UInt64 = 800_000_000 * second

  private func acc(_ numbers: [Int32], at time: UInt64) -> [UInt8] {
    PMD.Frame.encode(
      .acc, time: time, frameType: 1, isCompressed: true, PMD.Delta.encode(numbers, channels: 3, bits: 16))
  }

  private func decode(_ bytes: [UInt8]) -> DecodeError? {
    if case .failure(let error) = outcome(bytes, { raw throws(DecodeError) in try decoder.decode(raw, into: sink) }) {
      return error
    }
    return nil
  }

  @Test("a frame becomes a block in the narrowest encoding, with its period and how long ago it began")
  func block() {
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    #expect(decode(acc([1, -2, 1000, 3, -4, 1001], at: Self.noon)) == nil)
    #expect(sink.items.count == 1 && sink.items[0].series == .acc)
    #expect(sink.items[0].values == [20_000_000, 2, Waveform.Encoding.int16])
    #expect(sink.items[0].bytes == [1, 0, 0xFE, 0xFF, 0xE8, 3, 3, 0, 0xFC, 0xFF, 0xE9, 3])
    #expect(abs(sink.items[0].ago - 20_000_000) <= 128, "one period, as far as floats of today's times go")
  }

  @Test("the factor of the start is that of the numbers")
  func factor() {
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50, factor: 2.5))
    #expect(decode(acc([1, -2, 1000], at: Self.noon)) == nil)
    #expect(sink.items[0].bytes == [2, 0, 0xFB, 0xFF, 0xC4, 9])
  }

  /// The numbers of all blocks that came; fewer than were sent if one cannot be read.
  private func numbers(components: Int) -> [Int32] {
    sink.items.flatMap { item -> [Int32] in
      let block = Waveform(
        start: 0, period: item.values[0], count: item.values[1], encoding: item.values[2], bytes: item.bytes)
      return block?.numbers(components: components) ?? []
    }
  }

  @Test("raw numbers of each width keep their sign, the last of a frame as well", arguments: [1, 2, 3])
  func raw(width: Int) {
    let most = Int32(1) << (8 * Int32(width) - 1) - 1
    let wanted = [-most - 1, most, -1, 0, 1, -most - 1]
    let content = wanted.flatMap { number in (0..<Int32(width)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    #expect(
      decode(PMD.Frame.encode(.acc, time: Self.noon, frameType: UInt8(width - 1), isCompressed: false, content)) == nil)
    #expect(numbers(components: 3) == wanted)
  }

  @Test("a stream that was not started here is dropped and counted, and so is one that was stopped")
  func foreign() {
    #expect(decode(acc([1, 2, 3], at: Self.noon)) == nil)
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    decoder.stop(.acc)
    #expect(!decoder.isStarted(.acc) && decode(acc([1, 2, 3], at: Self.noon)) == nil)
    #expect(sink.items.isEmpty && decoder.foreignCount == 2 && decoder.frameCount == 0 && decoder.malformedCount == 0)
  }

  @Test("a malformed frame is dropped and counted, and the next one is read")
  func malformed() {
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    let whole = acc([1, 2, 3, 4, 5, 6], at: Self.noon)
    #expect(
      decode([]) == .empty && decode(Array(whole.dropLast())) == .truncated
        && decode(Array(whole.prefix(9))) == .truncated)
    var unknown = whole
    unknown[9] = 0x80 | 12
    #expect(decode(unknown) == .outOfRange)
    #expect(decode(PMD.Frame.encode(.sdkMode, time: Self.noon, frameType: 0, isCompressed: false, [])) == .outOfRange)
    #expect(decode(whole) == nil && decoder.malformedCount == 5 && decoder.frameCount == 1 && sink.items.count == 1)
  }

  @Test("a frame that comes twice counts once")
  func twice() {
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    #expect(decode(acc([1, 2, 3], at: Self.noon)) == nil)
    #expect(decode(acc([1, 2, 3], at: Self.noon)) == .outOfRange)
    #expect(sink.items.count == 1)
  }

  @Test("frames of one stream that are of several kinds each keep their own time before")
  func kinds() {
    decoder.start(.ppg, PMD.StreamSettings(sampleRate: 55))
    #expect(
      decode(
        PMD.Frame.encode(.ppg, time: Self.noon, frameType: 0, isCompressed: false, [UInt8](repeating: 1, count: 24)))
        == nil)
    #expect(
      decode(PMD.Frame.encode(.ppg, time: Self.noon + 5, frameType: 5, isCompressed: false, [1, 0, 0, 0])) == nil)
    #expect(
      decoder.previousTime(.ppg, frameType: 0) == Self.noon && decoder.previousTime(.ppg, frameType: 5) == Self.noon + 5
    )
    #expect(sink.items.map(\.series) == [.ppg], "an operation mode is no sample")
  }

  @Test("skin temperature without a rate is read, and said to be so")
  func assumed() {
    decoder.start(.skinTemperature, PMD.StreamSettings())
    #expect(
      decode(
        PMD.Frame.encode(.skinTemperature, time: Self.noon, frameType: 0, isCompressed: false, [0, 0, 0x04, 0x42]))
        == nil)
    #expect(sink.items.map(\.values) == [[33_000]] && sink.anomalies.count == 1)
  }

  @Test("a temperature that is no number is left out")
  func noNumber() {
    decoder.start(.temperature, PMD.StreamSettings(sampleRate: 1))
    #expect(
      decode(PMD.Frame.encode(.temperature, time: Self.noon, frameType: 0, isCompressed: false, [0, 0, 0xC0, 0x7F]))
        == nil)
    #expect(sink.items.isEmpty && sink.anomalies.count == 1)
  }

  @Test("pulse intervals end at the begin of the next, the last one with the frame")
  func intervals() {
    decoder.start(.ppi, PMD.StreamSettings())
    let frame = PMD.Frame.encode(
      .ppi, time: Self.noon, frameType: 0, isCompressed: false, [70, 0x20, 3, 10, 0, 6, 71, 0xE8, 3, 12, 0, 7])
    #expect(decode(frame) == nil)
    #expect(
      sink.items.map(\.values) == [[800, 10, 6], [1000, 12, 7]] && sink.items.map(\.ago) == [1_000_000_000, 0])
  }

  @Test("a place is stored with the altitude heard before it, and not without")
  func place() {
    decoder.start(.location, PMD.StreamSettings(sampleRate: 1))
    var fix: [UInt8] = []
    fix.append(littleEndian: (48.5).bitPattern)
    fix.append(littleEndian: (-9.25).bitPattern)
    fix += [UInt8](repeating: 0, count: 8 + 4)
    fix.append(littleEndian: Float(36).bitPattern)
    fix += [UInt8](repeating: 0, count: 12 + 4)
    fix += [1, 0, 0]
    #expect(fix.count == 51)
    #expect(decode(PMD.Frame.encode(.location, time: Self.noon, frameType: 0, isCompressed: false, fix)) == nil)
    #expect(sink.items.isEmpty && sink.anomalies.count == 1)
    #expect(
      decode(PMD.Frame.encode(.location, time: Self.noon, frameType: 1, isCompressed: false, [0x64, 0, 0x2C, 1, 7, 1]))
        == nil)
    #expect(
      decode(PMD.Frame.encode(.location, time: Self.noon + Self.second, frameType: 0, isCompressed: false, fix)) == nil)
    #expect(sink.items.map(\.values) == [[485_000_000, -92_500_000, 300, 10]])
  }

  @Test("blocks are as large as an item of the store holds, one after the other")
  func large() {
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 1000))
    let sent = (0..<3000).map { Int32($0 % 7) }
    #expect(decode(acc(sent, at: Self.noon)) == nil)
    #expect(numbers(components: 3) == sent)
    #expect(
      sink.items.map { $0.values[1] } == [316, 316, 316, 52]
        && sink.items.allSatisfy { $0.bytes.count <= PMD.HealthWriter.blockLimit })
    #expect(zip(sink.items, sink.items.dropFirst()).allSatisfy { abs($0.ago - $1.ago - 316_000_000) <= 256 })
  }

  // MARK: times from frame to frame

  private func step(_ memory: inout PMD.FrameMemory, _ last: UInt64, _ count: Int, _ rate: Double) -> Int64? {
    (try? memory.times(last: last, count: count, rate: rate)).map(\.period)
  }

  @Test("a lost frame does not stretch the samples of the next")
  func lost() {
    var memory = PMD.FrameMemory()
    let frame = Self.second / 2
    #expect(step(&memory, Self.noon, 25, 50) == 20_000_000)
    #expect(step(&memory, Self.noon + frame, 25, 50) == 20_000_000)
    #expect(step(&memory, Self.noon + 3 * frame, 25, 50) == 20_000_000)
    #expect(step(&memory, Self.noon + 4 * frame, 25, 50) == 20_000_000)
  }

  @Test("what is missing between two frames is counted, also if it is less than a frame has")
  func missing() {
    var memory = PMD.FrameMemory()
    func missing(_ last: UInt64, _ count: Int) -> UInt64 {
      _ = step(&memory, last, count, 50)
      return memory.missing
    }
    let sample = Self.second / 50
    #expect(missing(Self.noon, 25) == 0 && missing(Self.noon + 25 * sample, 25) == 0)
    #expect(missing(Self.noon + 60 * sample, 25) == 10, "ten samples of a frame of ten")
    #expect(
      memory.previous == Self.noon + 60 * sample && step(&memory, Self.noon + 120 * sample, 25, 50) == 20_000_000
        && memory.missing == 35)
    #expect(
      missing(Self.noon + 145 * sample, 25) == 0 && missing(Self.noon + 146 * sample, 1) == 0
        && missing(Self.noon + 148 * sample, 1) == 1)
    #expect(missing(Self.noon + 4000 * sample, 25) == 0, "a clock that was set")
    #expect(missing(Self.noon, 25) == 0, "and set back")
  }

  @Test("a stream's own tally says what came of it")
  func tally() {
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    for frame in [0, 1, 4, 5] as [UInt64] {
      #expect(decode(acc([1, 2, 3, 4, 5, 6], at: Self.noon + frame * Self.second / 25)) == nil)
    }
    #expect(decode(Array(acc([1, 2, 3], at: Self.noon).prefix(12))) == .truncated)
    let tally = decoder.tally(.acc)
    #expect(
      tally.frames == 4 && tally.malformed == 1 && tally.gaps == 1 && tally.missing == 4
        && decoder.tally(.ecg) == PMD.StreamDecoder.Tally())
    #expect(sink.anomalies.count == 1)
  }

  @Test("a hole in which the stream was restarted is counted as any other, and one that went on without a hole is not")
  func begunAnew() {
    let sample = Self.second / 50
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    for frame in [0, 1, 2] as [UInt64] {
      #expect(decode(acc([1, 2, 3, 4, 5, 6], at: Self.noon + frame * 2 * sample)) == nil)
    }
    // The wearable ended it, which was noticed 2.3 s later; then another rate, without a sample between.
    decoder.stop(.acc)
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    #expect(decode(acc([1, 2, 3, 4, 5, 6], at: Self.noon + (4 + 115 + 2) * sample)) == nil)
    #expect(decoder.tally(.acc).gaps == 1 && decoder.tally(.acc).missing == 115, "\(decoder.tally(.acc))")
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 100))
    #expect(decode(acc([1, 2, 3, 4, 5, 6], at: Self.noon + 122 * sample)) == nil)
    #expect(decode(acc([1, 2, 3, 4, 5, 6], at: Self.noon + 123 * sample)) == nil)
    #expect(decoder.tally(.acc).gaps == 1 && sink.anomalies.count == 1)
    // A clock that was set back meanwhile is no evidence.
    decoder.start(.acc, PMD.StreamSettings(sampleRate: 50))
    #expect(decode(acc([1, 2, 3, 4, 5, 6], at: Self.noon)) == nil)
    #expect(decoder.tally(.acc).gaps == 1)
  }

  @Test("if every other frame is lost, each loss is counted and no sample is stretched")
  func alternating() {
    var memory = PMD.FrameMemory()
    let sample = Self.second / 50
    for frame in 0..<3 as Range<UInt64> { _ = step(&memory, Self.noon + frame * 25 * sample, 25, 50) }
    for frame in 1..<6 as Range<UInt64> {
      #expect(step(&memory, Self.noon + (50 + frame * 50) * sample, 25, 50) == 20_000_000)
      #expect(memory.missing == 25)
    }
  }

  @Test("a wrongly stated rate does not win over the clock for long")
  func wrongRate() {
    var memory = PMD.FrameMemory()
    // 135 Hz are told, 50 come.
    for index in 0..<3 { _ = step(&memory, Self.noon + UInt64(index) * Self.second, 50, 135) }
    #expect(step(&memory, Self.noon + 3 * Self.second, 50, 135) == 20_000_000)
  }

  @Test("a clock that was set back starts a new estimate")
  func setBack() {
    var memory = PMD.FrameMemory(previous: Self.noon)
    #expect(step(&memory, Self.noon / 2, 50, 50) == 20_000_000 && memory.previous == Self.noon / 2)
  }

  @Test("the rate of a light sensor is corrected if the wearable is known to state another")
  func trueRate() {
    func rate(
      _ told: Double, _ model: String, _ firmware: Polar.FirmwareVersion?, sdk: Bool = false,
      _ type: PMD.MeasurementType = .ppg
    ) -> Double {
      PMD.trueRate(type, told: told, model: model, firmware: firmware, inSDKMode: sdk)
    }
    #expect(
      rate(135, "sense", Polar.FirmwareVersion(1, 1, 5)) == 55
        && rate(135, "sense", Polar.FirmwareVersion(2, 1, 0)) == 135)
    #expect(
      rate(135, "sense", Polar.FirmwareVersion(1, 1, 5), sdk: true) == 135
        && rate(55, "sense", Polar.FirmwareVersion(1, 1, 5)) == 55)
    #expect(rate(130, "oh1", nil) == 135 && rate(130, "h10", nil) == 130 && rate(135, "sense", nil, .acc) == 135)
  }
}
