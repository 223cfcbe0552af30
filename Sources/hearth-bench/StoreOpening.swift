// Time to open a full store.

import ArgumentParser
import EventLoop
import Glibc
import RingStore

/// Started by `store --big` in a process of its own: fills the store unless it is full already, then opens it again and
/// again.
struct StoreOpening: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "store-opening", shouldDisplay: false)

  @Option var directory: String
  @Option var load: String
  @Option var wearables: Int
  @Option var hours: Int
  @Option var size: Int
  @Option var opens: Int

  /// Filling is not measured: a commit every five minutes of virtual time spares the disk.
  private static let fillCommit = 300
  /// Percent of the size at which the store is full enough: it keeps a reserve free, and evicts before the file has its
  /// final length.
  private static let full = 97
  /// A hundred years of one wearable.
  private static let dayLimit = 36_500

  func run() throws {
    let command = self
    let load = try MappedLoad(load)
    if try fileSize < size / 100 * Self.full {
      _ = try EpollLoop.run { loop in try await command.fill(loop, load) }
    }
    let report = try EpollLoop.run { loop in try await command.measure(loop) }
    print(report.line)
  }

  private var fileSize: Int {
    get throws { access(directory, F_OK) == 0 ? Int(clamping: try bytesOfFiles(in: directory)) : 0 }
  }

  /// Stores days of the load until the store is full. The last samples stay in the journal, as in a hub that was
  /// switched off.
  @LoopActor
  private func fill(_ loop: EpollLoop, _ load: MappedLoad) async throws {
    let shape = LoadShape(wearables: wearables, hours: hours, seed: 0, commit: Self.fillCommit)
    let disk = DiskThread()
    defer { disk.shutDown() }
    let feed = try await StoreFeed(directory, size: size, shape: shape, loop: loop, disk: disk)
    var delay: Int64 = 0
    while feed.store.status.fileBytes < size / 100 * Self.full, feed.store.status.evictedSamples == 0 {
      guard delay < Int64(Self.dayLimit) * 86_400_000 else { throw BenchFailure("the store does not fill") }
      try await feed.append(load, after: delay)
      delay += shape.milliseconds
    }
    await feed.store.close()
  }

  @LoopActor
  private func measure(_ loop: EpollLoop) async throws -> OpeningReport {
    let disk = DiskThread()
    defer { disk.shutDown() }
    let options = StoreFeed.options(directory, size: size, commit: Self.fillCommit)
    var report = OpeningReport()
    for round in 0..<2 * opens {
      // Alternates between pages of the file out of memory and in memory.
      if round % 2 == 0 { try dropCachedPages(in: directory) }
      let began = monotonicNow()
      let store = try Store.open(options, loop: loop, disk: disk)
      let elapsed = monotonicNow() - began
      if round % 2 == 0 { report.cold.append(elapsed) } else { report.warm.append(elapsed) }
      report.samples = store.status.samples
      await store.close()
    }
    report.bytes = UInt64(try fileSize)
    return report
  }
}

/// The output of `store-opening`.
struct OpeningReport {
  var bytes: UInt64 = 0
  var samples: UInt64 = 0
  /// Nanoseconds each.
  var cold: [Int64] = []
  var warm: [Int64] = []

  init() {}

  init?(line: String) {
    let fields = ReportFields(line)
    guard let bytes: UInt64 = fields["bytes"], let samples: UInt64 = fields["samples"] else { return nil }
    self.bytes = bytes
    self.samples = samples
    cold = fields.list("cold_ns")
    warm = fields.list("warm_ns")
    if cold.isEmpty || warm.isEmpty { return nil }
  }

  var line: String {
    func list(_ values: [Int64]) -> String { values.map { "\($0)" }.joined(separator: ",") }
    return "bytes=\(bytes) samples=\(samples) cold_ns=\(list(cold)) warm_ns=\(list(warm))"
  }
}
