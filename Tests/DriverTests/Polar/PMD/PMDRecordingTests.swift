import Bluetooth
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Recordings in a Polar wearable's memory")
struct PMDRecordingTests {
  private static let noon = PocketRecording.noon
  private static let key = PocketRecording.key

  private final class Sink: ItemSink {
    var items: [(series: Series, values: [Int64], bytes: [UInt8], time: Int64)] = []
    var anomalies = 0
    func append(
      _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
    ) {
      items.append((series, values, bytes, deviceTime))
    }
    func noteAnomaly(_ what: StaticString) { anomalies += 1 }
  }

  private func acc(_ second: UInt64, samples: Int = 52) -> [UInt8] { PocketRecording.acc(second, samples: samples) }

  private func file(
    _ packets: [[UInt8]], strategy: PMD.Secret.Strategy = .none, start: String = "2025-05-08 06:13:20",
    settings: [UInt8] = [0, 1, 52, 0],
    security: [UInt8] = [], key: [UInt8] = PMDRecordingTests.key, payload: PMD.Secret? = nil
  ) throws -> [UInt8] {
    try PocketRecording.file(
      packets, strategy: strategy, start: start, settings: settings, security: security, key: key, payload: payload)
  }

  private func decode(_ decoder: PMD.RecordingDecoder, _ bytes: [UInt8], _ sink: Sink = Sink()) -> PMD.Recording.Defect?
  {
    if case .failure(let defect) = outcome(
      bytes, { raw throws(PMD.Recording.Defect) in try decoder.decode(raw, into: sink) })
    {
      return defect
    }
    return nil
  }

  @Test("parts of a split recording go on with the time of the part before")
  func split() throws {
    let (whole, parts) = (Sink(), Sink())
    let one = PMD.RecordingDecoder(.acc, secret: nil)
    let unsplit = try file([acc(1), acc(2), acc(3), acc(4)])
    let halves = (try file([acc(1), acc(2)]), try file([acc(3), acc(4)]))
    #expect(decode(one, unsplit, whole) == nil)
    let several = PMD.RecordingDecoder(.acc, secret: nil)
    #expect(decode(several, halves.0, parts) == nil && decode(several, halves.1, parts) == nil)
    #expect(
      whole.items.count == 4 && whole.items.map(\.time) == parts.items.map(\.time)
        && whole.items.map(\.values) == parts.items.map(\.values))
    #expect(one.tally == several.tally && one.tally.samples == 208 && one.tally.malformed == 0)
  }

  /// An OH1 that was given the time and not switched off since: 2017 in its frames, as reported.
  @Test("frames of a clock that was not set count from the start in the file, and over all parts")
  func unsetClock() throws {
    let unset: UInt64 = 536_580_371_079_656_926
    func second(_ number: UInt64) -> [UInt8] {
      PMD.Frame.encode(
        .acc, time: unset + number * 1_000_000_000, frameType: 1, isCompressed: true,
        PMD.Delta.encode((0..<156).map { Int32($0 % 11) }, channels: 3, bits: 16))
    }
    let sink = Sink()
    let first = PMD.RecordingDecoder(.acc, secret: nil)
    #expect(decode(first, try file([second(0), second(1)]), sink) == nil)
    #expect(first.end == Self.noon + 1_000_000_000 && sink.anomalies == 1)
    let next = PMD.RecordingDecoder(.acc, secret: nil, after: first.end)
    #expect(decode(next, try file([second(2), second(3)]), sink) == nil)
    let start: Int64 = 1_746_684_800_000_000
    #expect(sink.items.count == 4 && sink.items.allSatisfy { abs($0.time - start) < 3_000_000 })
    #expect(sink.anomalies == 2)
    // A clock that is hours off is the wearable's own, and the hub corrects it.
    let own = Sink()
    let late = try file([acc(1)], start: "2025-05-08 16:13:20")
    #expect(decode(PMD.RecordingDecoder(.acc, secret: nil), late, own) == nil)
    #expect(own.anomalies == 0 && own.items.allSatisfy { abs($0.time - start) < 3_000_000 })
  }

  @Test("heart rate counts on from the start over all parts")
  func heartRate() throws {
    let sink = Sink()
    let decoder = PMD.RecordingDecoder(.offlineHR, secret: nil)
    let frame = PMD.Frame.encode(.offlineHR, time: 0, frameType: 0, isCompressed: false, [60, 0, 62])
    let bytes = try file([frame], settings: [])
    for _ in 0..<2 { #expect(decode(decoder, bytes, sink) == nil) }
    let start: Int64 = 1_746_684_800_000_000
    #expect(
      sink.items.map(\.time) == [0, 2, 3, 5].map { start + $0 * 1_000_000 }
        && sink.items.map { $0.values[0] } == [60, 62, 60, 62])
  }

  @Test("a frame that cannot be read, or of another kind, is counted and those behind it are read")
  func defective() throws {
    let sink = Sink()
    let decoder = PMD.RecordingDecoder(.acc, secret: nil)
    let other = PMD.Frame.encode(.ecg, time: Self.noon, frameType: 0, isCompressed: false, [1, 2, 3])
    let bytes = try file([acc(1), Array(acc(2).dropLast()), other, [], acc(3)])
    #expect(decode(decoder, bytes, sink) == nil)
    #expect(decoder.tally.frames == 3 && decoder.tally.malformed == 2, "a packet of no bytes ends the file")
    #expect(sink.items.count == 1 && sink.anomalies == 1)
  }

  @Test("bytes behind the last whole packet are counted")
  func cut() throws {
    let decoder = PMD.RecordingDecoder(.acc, secret: nil)
    let bytes = try file([acc(1), acc(2)])
    #expect(decode(decoder, Array(bytes.dropLast(10))) == nil)
    #expect(decoder.tally.frames == 1 && decoder.tally.leftOver == acc(2).count - 10 + 2)
  }

  @Test(
    "every cut of a file is read as far as it goes or refused, and never gives more than the whole",
    arguments: PMD.Secret.Strategy.allCases)
  func everyCut(_ strategy: PMD.Secret.Strategy) throws {
    let secret =
      strategy == .none ? nil : PMD.Secret(strategy, key: strategy == .aes256 ? Self.key + Self.key : Self.key)
    let bytes = try file(
      [acc(1), acc(2)], strategy: strategy, key: strategy == .aes256 ? Self.key + Self.key : Self.key,
      payload: strategy == .xor ? PMD.Secret(.xor, key: [Self.key[0]]) : secret)
    let whole = PMD.RecordingDecoder(.acc, secret: secret)
    #expect(decode(whole, bytes) == nil && whole.tally.samples == 104 && whole.tally.malformed == 0)
    for count in 0..<bytes.count {
      let decoder = PMD.RecordingDecoder(.acc, secret: secret)
      let defect = decode(decoder, Array(bytes.prefix(count)))
      #expect(decoder.tally.samples <= 104 && (defect == nil || decoder.tally.frames == 0), "\(count)")
    }
  }

  @Test("frames are decrypted by what the file says about them")
  func security() throws {
    let secret = try #require(PMD.Secret(.aes128, key: Self.key))
    let decoder = PMD.RecordingDecoder(.acc, secret: secret)
    let bytes = try file([acc(1), acc(2)], strategy: .aes128, security: [1, 12], payload: PMD.Secret(.xor, key: [13]))
    #expect(decode(decoder, bytes) == nil && decoder.tally.frames == 2 && decoder.tally.malformed == 0)
  }

  @Test("defects of a file are distinguished")
  func defects() throws {
    let secret = try #require(PMD.Secret(.aes128, key: Self.key))
    let hidden = try file([acc(1)], strategy: .aes128, payload: secret)
    let plain = try file([acc(1)])
    func defect(_ bytes: [UInt8], _ secret: PMD.Secret? = nil) -> PMD.Recording.Defect? {
      decode(PMD.RecordingDecoder(.acc, secret: secret), bytes)
    }
    #expect(
      defect([]) == .empty && defect([0]) == .cut && defect(Array(plain.prefix(40))) == .cut
        && defect([9]) == .malformed("strategy"))
    #expect(defect(hidden) == .missingSecret && defect(hidden, PMD.Secret(.xor, key: [1])) == .wrongSecret)
    #expect(defect(hidden, PMD.Secret(.aes128, key: [UInt8](repeating: 7, count: 16))) == .wrongSignature)
    #expect(
      defect(Array(plain.dropFirst(2))) != nil && defect([0] + [UInt8](repeating: 0, count: 80)) == .wrongSignature)
    var newer = plain
    newer[5] = 2
    #expect(defect(newer) == .unknownVersion(2))
    for start in ["2025-02-30 06:13:20", "2025-05-08 24:00:00", "2025-05-08T06:13:20", "                   "] {
      let bytes = try file([acc(1)], start: start)
      #expect(defect(bytes) == .malformed("start"))
    }
    let unset = try file([acc(1)], settings: [0, 9, 52, 0])
    let beyond = try file([acc(1)], security: [1, 16], payload: PMD.Secret.none)
    #expect(defect(unset) == .malformed("setting") && defect(beyond, secret) == .wrongSecret)
  }

  @Test("a file that ends with its header is a recording without samples")
  func bare() throws {
    let decoder = PMD.RecordingDecoder(.acc, secret: nil)
    let bytes = try file([])
    #expect(
      decode(decoder, Array(bytes.dropLast(2))) == nil && decode(decoder, bytes) == nil && decoder.tally.frames == 0)
  }
}
