// Data of the pusher, which every receiver must find in its store afterwards.

import Bluetooth
import EventLoop
import GATTServices
import PolarFamily

/// A resting to running heart from one seed: a notification a second with one or two RR intervals, as straps send them.
struct NotifyData {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The next value of Heart Rate Measurement: 60 to 187 bpm, contact detected.
  mutating func next() -> (rate: UInt16, intervals: [UInt16]) {
    let word = random.next()
    let rate = 60 + UInt16(word & 0x7F)
    let nominal = 61440 / rate  // 60 s in 1/1024 s
    let jitter = { (bits: UInt64) in nominal &- 16 &+ UInt16(bits & 31) }
    return (rate, word >> 32 & 1 == 0 ? [jitter(word >> 8)] : [jitter(word >> 8), jitter(word >> 16)])
  }

  mutating func nextValue(_ tally: inout Tally) -> [UInt8] {
    let (rate, intervals) = next()
    tally.add(rate: UInt64(rate))
    for interval in intervals { tally.add(interval: UInt64(interval)) }
    return HeartRateMeasurement.encode(beatsPerMinute: rate, contact: .detected, intervals: intervals)
  }

  static func tally(seed: UInt64, count: Int) -> Tally {
    var data = NotifyData(seed: seed)
    var tally = Tally()
    for _ in 0..<count { _ = data.nextValue(&tally) }
    return tally
  }
}

/// Live ECG from one seed: a heart that beats once a second, and noise. A frame has 73 samples of 24 bits, as an H10
/// sends them.
struct ECGData {
  static let samples = 73
  static let rate: UInt64 = 130
  /// Samples a second by their stamps. A hub takes no block that claims more time than has passed (by more than
  /// `LiveClock.ahead`, 10 s). All 5,000 of them come within a second or so: 7.3 s of such a sensor.
  static let stampRate: UInt64 = 50_000

  private var random: SplitMix64
  private var count: UInt64 = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func nextValue(_ tally: inout Tally) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(3 * Self.samples)
    var word: UInt64 = 0
    for index in 0..<Self.samples {
      if index % 8 == 0 { word = random.next() }
      let beat: Int32 = count % Self.rate < 4 ? 1200 : 0
      let number = beat + Int32(word >> UInt64(8 * (index % 8)) & 0xFF) - 128
      count += 1
      for place in 0..<3 as Range<Int32> { content.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
      tally.add(interval: UInt64(UInt16(truncatingIfNeeded: number)))
    }
    tally.add(rate: 0)
    // The time of the last sample; an arbitrary day.
    let time = 800_000_000_000_000_000 + count * 1_000_000_000 / Self.stampRate
    return PMD.Frame.encode(.ecg, time: time, frameType: 0, isCompressed: false, content)
  }

  static func tally(seed: UInt64, count: Int) -> Tally {
    var data = ECGData(seed: seed)
    var tally = Tally()
    for _ in 0..<count { _ = data.nextValue(&tally) }
    return tally
  }
}

/// Sums that show a missing, doubled or changed sample. For ECG, rates are frames and intervals are samples.
struct Tally: Equatable, Codable {
  var rates: UInt64 = 0
  var rateSum: UInt64 = 0
  var intervals: UInt64 = 0
  var intervalSum: UInt64 = 0

  mutating func add(rate: UInt64) {
    rates += 1
    rateSum &+= rate
  }

  mutating func add(interval: UInt64) {
    intervals += 1
    intervalSum &+= interval
  }
}

/// The line that every receiver prints at its end.
struct ReceiverReport {
  let cpuNanoseconds: Int64
  let commits: Int
  let tally: Tally

  init(cpuNanoseconds: Int64, commits: Int, tally: Tally) {
    self.cpuNanoseconds = cpuNanoseconds
    self.commits = commits
    self.tally = tally
  }

  init?(line: String) {
    var fields: [String: String] = [:]
    for field in line.split(whereSeparator: \.isWhitespace) {
      let parts = field.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
    }
    func number<T: FixedWidthInteger>(_ name: String) -> T? { fields[name].flatMap { T($0) } }
    guard let cpu: Int64 = number("cpu_ns"), let commits: Int = number("commits"), let rates: UInt64 = number("rates"),
      let rateSum: UInt64 = number("rate_sum"), let intervals: UInt64 = number("intervals"),
      let intervalSum: UInt64 = number("interval_sum")
    else { return nil }
    cpuNanoseconds = cpu
    self.commits = commits
    tally = Tally(rates: rates, rateSum: rateSum, intervals: intervals, intervalSum: intervalSum)
  }

  var line: String {
    "cpu_ns=\(cpuNanoseconds) commits=\(commits) rates=\(tally.rates) rate_sum=\(tally.rateSum) "
      + "intervals=\(tally.intervals) interval_sum=\(tally.intervalSum)"
  }
}
