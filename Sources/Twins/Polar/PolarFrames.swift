// Frames of measurements: raw records, or a reference and differences to it.

import Bluetooth
public import EventLoop

enum PolarFrame {
  static let headerSize = 10

  /// Encoding of each kind on present models: raw, or compressed with a reference of so many bits.
  private enum Form {
    case raw(type: UInt8)
    case compressed(type: UInt8, bits: Int)
  }

  private static func form(_ kind: PolarKind, _ model: PolarTraits.Model) -> Form {
    switch kind {
    case .ecg, .ppi, .heartRate, .skinTemperature, .pressure: .raw(type: 0)
    case .acc: model == .h10 ? .raw(type: 1) : .compressed(type: 1, bits: 16)
    case .ppg: .compressed(type: 0, bits: 24)
    case .gyro, .magnetometer: .compressed(type: 0, bits: 16)
    }
  }

  /// A complete frame.
  ///
  /// - Parameter time: of its last sample, nanoseconds since 2000.
  static func encode(_ kind: PolarKind, _ model: PolarTraits.Model, _ samples: [[Int32]], time: Int64) -> [UInt8] {
    var bytes: [UInt8] = [kind.rawValue]
    bytes.append(littleEndian: UInt64(bitPattern: time))
    switch form(kind, model) {
    case .raw(let type):
      bytes.append(type)
      for sample in samples { append(record: sample, kind, to: &bytes) }
    case .compressed(let type, let bits):
      bytes.append(0x80 | type)
      append(compressed: samples, bits: bits, to: &bytes)
    }
    return bytes
  }

  private static func append(record sample: [Int32], _ kind: PolarKind, to bytes: inout [UInt8]) {
    switch kind {
    case .ecg: append(sample[0], 3, to: &bytes)
    case .heartRate: append(sample[0], 1, to: &bytes)
    case .skinTemperature, .pressure: bytes.append(littleEndian: (Float(sample[0]) / 100).bitPattern)
    case .ppi:
      append(sample[0], 1, to: &bytes)
      append(sample[1], 2, to: &bytes)
      append(sample[2], 2, to: &bytes)
      append(sample[3], 1, to: &bytes)
    default: for value in sample { append(value, 2, to: &bytes) }
    }
  }

  private static func append(_ value: Int32, _ size: Int, to bytes: inout [UInt8]) {
    for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> Int32(8 * place))) }
  }

  private static func append(compressed samples: [[Int32]], bits: Int, to bytes: inout [UInt8]) {
    guard let first = samples.first else { return }
    for value in first { append(value, (bits + 7) / 8, to: &bytes) }
    var done = 1
    while done < samples.count {
      let block = samples[done..<min(samples.count, done + 255)]
      var differences: [Int32] = []
      differences.reserveCapacity(block.count * first.count)
      var width = 1
      for index in block.indices {
        for channel in first.indices {
          let difference = samples[index][channel] &- samples[index - 1][channel]
          width = max(width, 33 - (difference < 0 ? ~difference : difference).leadingZeroBitCount)
          differences.append(difference)
        }
      }
      bytes += [UInt8(width), UInt8(block.count)]
      // From the lowest bit on; an incomplete octet waits.
      let mask: UInt64 = (1 << UInt64(width)) - 1
      var waiting: UInt64 = 0
      var count = 0
      for difference in differences {
        waiting |= (UInt64(bitPattern: Int64(difference)) & mask) << UInt64(count)
        count += width
        while count >= 8 {
          bytes.append(UInt8(truncatingIfNeeded: waiting))
          (waiting, count) = (waiting >> 8, count - 8)
        }
      }
      if count > 0 { bytes.append(UInt8(truncatingIfNeeded: waiting)) }
      done += block.count
    }
  }
}

/// Running stream or recording: frames are computed when time has passed.
public final class PolarRun {
  /// Signal of the sensor.
  public let signal: PolarSignal
  /// Begin of the run.
  public let began: Instant
  /// Clock at its beginning, which the run keeps, whatever is set meanwhile.
  public let clock: PolarClock
  /// Hz; 0 for intervals, which come with the heartbeats.
  public let rate: Int
  /// Clock of its time stamps at its beginning, nanoseconds since 2000.
  public let begin: Int64
  /// Samples that were put into frames so far.
  public private(set) var count = 0
  /// Indices of the samples that were delivered, or written to a file.
  public private(set) var delivered: [Range<Int>] = []

  private let model: PolarTraits.Model
  /// End of the last interval, nanoseconds after the beginning.
  private var beat: Int64 = 0

  init(_ signal: PolarSignal, rate: Int, _ clock: PolarClock, at now: Instant, model: PolarTraits.Model) {
    self.signal = signal
    self.rate = rate
    self.clock = clock
    began = now
    let local = clock.now(at: now)
    // Recorded rates have no time stamps. The first belongs to the second in which the recording began, and each
    // further second adds one.
    begin = signal.kind == .heartRate ? local.floored(by: 1_000_000_000) * 1_000_000_000 - 1_000_000_000 : local
    self.model = model
  }

  /// Time of a sample according to its frame. A frame of intervals has only the time of its newest.
  public func time(of index: Int) -> Int64 { begin + Int64(index + 1) * period }

  private var period: Int64 { 1_000_000_000 / Int64(max(1, rate)) }

  /// Samples per frame, at a regular period, as far as they fit.
  private var samplesPerFrame: Int {
    switch signal.kind {
    case .ecg: 73
    case .acc: model == .h10 ? 36 : 60
    case .ppg: 30
    case .gyro: 40
    case .magnetometer: 40
    case .skinTemperature, .pressure: 4
    case .heartRate: 10
    case .ppi: 6
    }
  }

  /// Nanoseconds until the next frame is complete, and a margin.
  var frameInterval: Int64 {
    clock.trueTime(signal.kind == .ppi ? 5_000_000_000 : Int64(samplesPerFrame) * period) + 1_000
  }

  /// Complete frames; with `atEnd` also an incomplete one.
  func frames(at now: Instant, atEnd: Bool = false) -> [(bytes: [UInt8], samples: Range<Int>)] {
    let elapsed = clock.now(at: now) - begin
    var frames: [(bytes: [UInt8], samples: Range<Int>)] = []
    if signal.kind == .ppi {
      // An optical sensor first searches for the pulse.
      if model == .veritySense || model == .oh1, elapsed < 25_000_000_000, !atEnd { return [] }
      while true {
        let first = count
        var samples: [[Int32]] = []
        var end = beat
        while samples.count < samplesPerFrame {
          let sample = signal.sample(first + samples.count)
          let next = end + Int64(sample[1]) * 1_000_000
          if next > elapsed { break }
          end = next
          samples.append(sample)
        }
        if samples.isEmpty || (samples.count < samplesPerFrame && !atEnd) { return frames }
        beat = end
        count += samples.count
        frames.append((PolarFrame.encode(.ppi, model, samples, time: begin + end), first..<count))
      }
    }
    let whole = Int(elapsed / period)
    while whole - count >= samplesPerFrame || (atEnd && whole > count) {
      let range = count..<min(whole, count + samplesPerFrame)
      frames.append(
        (
          PolarFrame.encode(signal.kind, model, range.map { signal.sample($0) }, time: time(of: range.upperBound - 1)),
          range
        ))
      count = range.upperBound
    }
    return frames
  }

  func noteDelivered(_ samples: Range<Int>) {
    if let last = delivered.last, last.upperBound == samples.lowerBound {
      delivered[delivered.count - 1] = last.lowerBound..<samples.upperBound
    } else {
      delivered.append(samples)
    }
  }
}
