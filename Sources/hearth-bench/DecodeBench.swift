// Speed of converting frames of Polar's wearables into blocks for the store, and proof that it allocates no memory.

import ArgumentParser
import Bluetooth
import Health
import PolarFamily
import Wearable
import bench_allocations

/// Measures only the decoding of a notification, as in the hub's live path: one core, without link and store.
struct DecodeBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Measure decoding of Polar's frames: MB/s of notifications on one core, and calls of malloc.",
    discussion:
      """
      Frames are as full as an ATT MTU of 232 allows, with random samples or differences. The run fails if a sample \
      is missing or if a frame causes an allocation.
      """
  )

  @Option(help: "Number of frames of each kind.") var frames = 500_000

  func validate() throws {
    guard (2...100_000_000).contains(frames) else { throw ValidationError("--frames: 2 to 100000000") }
  }

  func run() throws {
    for shape in Shape.all { print(try measure(shape)) }
  }

  private func measure(_ shape: Shape) throws -> String {
    let decoder = PMD.StreamDecoder()
    let sink = CountingSink()
    // Called as in the hub.
    let hubSink: any SampleSink = sink
    decoder.start(shape.type, PMD.StreamSettings(sampleRate: Double(shape.rate)))
    // As many frames as a few seconds bring: they stay in the cache, like a notification that the kernel has just
    // written.
    var ring = (0..<64).map { shape.frame(seed: $0) }
    let period = UInt64(shape.samples) * 1_000_000_000 / UInt64(shape.rate)
    var time: UInt64 = 800_000_000_000_000_000
    var bytes = 0
    func decode(_ index: Int) throws {
      time += period
      try ring[index & 63].withUnsafeMutableBytes { frame in
        frame.storeBytes(of: time.littleEndian, toByteOffset: 1, as: UInt64.self)
        try decoder.decode(RawBytes(frame), into: hubSink)
        bytes += frame.count
      }
    }
    // Allocations of the first frame happen once.
    try decode(0)
    let before = bench_allocations()
    let elapsed = try ContinuousClock().measure { for index in 1..<frames { try decode(index) } }
    let allocations = bench_allocations() - before
    guard allocations == 0 else {
      throw ValidationError("\(shape.name): \(allocations) calls of malloc for \(frames) frames")
    }
    guard decoder.frameCount == UInt64(frames), sink.samples == frames * shape.samples else {
      throw ValidationError("\(shape.name): samples are missing")
    }
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    let (rate, nanoseconds) = (Int(Double(bytes) / seconds / 1e6), Int(seconds * 1e9 / Double(frames)))
    return
      """
      \(shape.name): \(rate) MB/s, \(nanoseconds) ns a frame of \(bytes / frames) bytes and \(shape.samples) \
      samples, nothing allocated
      """
  }

  private struct Shape {
    let name: String
    let type: PMD.MeasurementType
    let frameType: UInt8
    let channels: Int
    /// Bytes of the first sample's numbers; for raw frames of all numbers.
    let referenceBytes: Int
    /// Bits of a difference; 0: raw.
    let bits: Int
    let samples: Int
    let rate: Int

    /// Notifications of 229 bytes: header, first sample, one block.
    static let all = [
      Shape(name: "ACC", type: .acc, frameType: 1, channels: 3, referenceBytes: 2, bits: 6, samples: 94, rate: 52),
      Shape(name: "PPG", type: .ppg, frameType: 0, channels: 4, referenceBytes: 3, bits: 12, samples: 35, rate: 55),
      Shape(
        name: "ECG, raw", type: .ecg, frameType: 0, channels: 1, referenceBytes: 3, bits: 0, samples: 73, rate: 130),
      Shape(
        name: "ACC, raw", type: .acc, frameType: 1, channels: 3, referenceBytes: 2, bits: 0, samples: 36, rate: 200),
    ]

    func frame(seed: UInt64) -> [UInt8] {
      var state = seed &* 2 &+ 1
      func next() -> UInt8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      if bits == 0 {
        return PMD.Frame.encode(
          type, time: 0, frameType: frameType, isCompressed: false,
          (0..<(samples * channels * referenceBytes)).map { _ in next() })
      }
      var content = (0..<(channels * referenceBytes)).map { _ in next() }
      content += [UInt8(bits), UInt8(samples - 1)]
      for _ in 0..<((bits * (samples - 1) * channels + 7) / 8) { content.append(next()) }
      return PMD.Frame.encode(type, time: 0, frameType: frameType, isCompressed: true, content)
    }
  }

  private final class CountingSink: SampleSink {
    var samples = 0
    func append(_ sample: Sample) {}
    func append(_ series: Series, values: UnsafeBufferPointer<Int64>) {}
    func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {
      samples += Int(values[1])
    }
    func noteAnomaly(_ what: StaticString) {}
  }
}
