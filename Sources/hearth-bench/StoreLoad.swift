// The samples that every contestant of `hearth-bench store` stores: made once from a seed, written to a file that each
// of them maps.

import EventLoop
import Glibc
import Health

/// Shape of the simulated load.
struct LoadShape {
  var wearables: Int
  var hours: Int
  var seed: UInt64
  /// Seconds between two commits.
  var commit: Int

  /// Milliseconds since 1970 at which it begins.
  var start: Int64 { VirtualLoop.morning.microseconds / 1000 }
  var milliseconds: Int64 { Int64(hours) * 3_600_000 }
  /// Begin of the range that the read pass reads, up to the end.
  var rangeStart: Int64 { start + milliseconds / 2 }
}

/// Sums that show a missing, doubled or changed sample. Times are microseconds; sums wrap.
struct StoreTally: Equatable {
  var samples: UInt64 = 0
  var times: UInt64 = 0
  var values: UInt64 = 0

  mutating func add(_ time: Int64, _ value: Int64) {
    samples += 1
    times &+= UInt64(bitPattern: time)
    values &+= UInt64(bitPattern: value)
  }

  /// Columns of equal length; elements before `first` do not count.
  mutating func add(_ times: [Int64], _ values: [Int64], from first: Int64) {
    if let earliest = times.min(), earliest >= first {
      samples += UInt64(times.count)
      self.times &+= UInt64(bitPattern: times.reduce(0, &+))
      self.values &+= UInt64(bitPattern: values.reduce(0, &+))
    } else {
      for (time, value) in zip(times, values) where time >= first { add(time, value) }
    }
  }
}

/// A sample, 16 bytes in the file, like `struct sample` of the peers.
struct LoadSample {
  /// Milliseconds since 1970; never smaller than that of the sample before.
  let time: Int64
  /// Number of the wearable, from 1.
  let wearable: UInt16
  let series: UInt16
  let value: Int32

  static let size = 16
}

// MARK: making it

/// A wearable and the heart it sits on.
///
/// Heart: a random walk (0.4 bpm a second) around a target, both within 50 to 180 bpm. The target itself drifts in a
/// random walk (0.25 bpm a second). An RR interval is that of the rate plus white noise of 21.2 ms, for an RMSSD of 30
/// ms. Notification n comes at phase + n periods + jitter. The period is a second by the wearable's own clock (up to 50
/// ppm off). The jitter is normal with 4 ms, as by waiting for the next connection event.
private struct LoadWearable {
  private var random: LoadRandom
  private let phase: Double
  private let period: Double
  private var rate: Double
  private var target: Double
  private var notifications = 0.0
  /// Time when the next notification comes, milliseconds since the load began.
  private(set) var next = 0.0

  init(_ index: Int, of count: Int, seed: UInt64) {
    random = LoadRandom(seed: seed &* 0x1_0001 &+ UInt64(index))
    phase = 50 + 900 * Double(index) / Double(count)
    period = 1000 * (1 + (random.unit() * 2 - 1) * 50e-6)
    target = 60 + 80 * random.unit()
    rate = target
    plan()
  }

  private mutating func plan() { next = phase + notifications * period + random.normal() * 4 }

  /// Heart rate in bpm and an RR interval in 1/1024 s; advances `next` to the next notification.
  mutating func notification() -> (rate: Int32, interval: Int32) {
    target = min(180, max(50, target + random.normal() * 0.25))
    rate = min(180, max(50, rate + (target - rate) * 0.05 + random.normal() * 0.4))
    let interval = 61_440 / rate + random.normal() * 21.2 * 1.024
    notifications += 1
    plan()
    return (Int32(rate.rounded()), Int32(interval.rounded()))
  }
}

/// SplitMix64, and normal numbers made of sums: the same on every machine, whatever its mathematics library.
private struct LoadRandom {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func word() -> UInt64 { generator.next() }

  /// 0 to 1.
  mutating func unit() -> Double { Double(word() >> 11) / Double(1 << 53) }

  /// The sum of twelve uniform numbers: mean 0, deviation 1, never beyond 6.
  mutating func normal() -> Double {
    var sum: UInt64 = 0
    for _ in 0..<3 {
      let bits = word()
      sum += (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
    }
    return Double(sum) / 65536 - 6
  }
}

/// Content of the file, summed while it was made.
struct LoadContent {
  var all = StoreTally()
  var range = StoreTally()
}

/// Writes the load in the order of arrival.
func writeLoad(_ shape: LoadShape, to path: String) throws -> LoadContent {
  let file = try LoadWriter(path)
  var content = LoadContent()
  let rangeStart = shape.rangeStart
  var wearables = (0..<shape.wearables).map { LoadWearable($0, of: shape.wearables, seed: shape.seed) }
  // In the order of their next notification. The first one moves to near the end, a second later.
  var order = wearables.indices.sorted { wearables[$0].next < wearables[$1].next }
  while wearables[order[0]].next < Double(shape.milliseconds) {
    let index = order.removeFirst()
    let time = shape.start + Int64(max(0, wearables[index].next))
    let (rate, interval) = wearables[index].notification()
    for (series, value) in [(Series.heartRate.id, rate), (Series.rrInterval.id, interval)] {
      try file.append(LoadSample(time: time, wearable: UInt16(index + 1), series: series, value: value))
      content.all.add(time * 1000, Int64(value))
      if time >= rangeStart { content.range.add(time * 1000, Int64(value)) }
    }
    var place = order.count
    while place > 0, wearables[order[place - 1]].next > wearables[index].next { place -= 1 }
    order.insert(index, at: place)
  }
  try file.close()
  return content
}

private final class LoadWriter {
  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private static let bufferSize = 1 << 20

  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
    buffer.reserveCapacity(Self.bufferSize + LoadSample.size)
  }

  func append(_ sample: LoadSample) throws {
    withUnsafeBytes(of: sample.time) { buffer.append(contentsOf: $0) }
    withUnsafeBytes(of: sample.wearable) { buffer.append(contentsOf: $0) }
    withUnsafeBytes(of: sample.series) { buffer.append(contentsOf: $0) }
    withUnsafeBytes(of: sample.value) { buffer.append(contentsOf: $0) }
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Durable when it returns, so that no contestant waits for the disk to take it.
  func close() throws {
    try flush()
    guard fsync(descriptor) == 0 else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
    Glibc.close(descriptor)
  }

  private func flush() throws {
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + done, $0.count - done) }
      if count < 0, errno != EINTR { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
      done += max(0, count)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

// MARK: reading it

/// The load, mapped: its pages belong to the file, not to the memory of the process.
struct MappedLoad: @unchecked Sendable {
  private let bytes: UnsafeRawPointer
  let count: Int

  init(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw BenchFailure("\(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size >= LoadSample.size else {
      throw BenchFailure("\(path) is empty")
    }
    let size = Int(status.st_size)
    guard let mapped = mmap(nil, size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0), mapped != MAP_FAILED else {
      throw BenchFailure("\(path) cannot be mapped: \(String(cString: strerror(errno)))")
    }
    bytes = UnsafeRawPointer(mapped)
    count = size / LoadSample.size
  }

  subscript(index: Int) -> LoadSample {
    precondition(index >= 0 && index < count, "beyond the load")
    let sample = bytes + index * LoadSample.size
    return LoadSample(
      time: sample.load(as: Int64.self), wearable: sample.load(fromByteOffset: 8, as: UInt16.self),
      series: sample.load(fromByteOffset: 10, as: UInt16.self), value: sample.load(fromByteOffset: 12, as: Int32.self))
  }
}
