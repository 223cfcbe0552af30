// Hearth's store under the load: filled, packed and read in a process of its own.

import ArgumentParser
import EventLoop
import Glibc
import Health
import RingStore

/// Started by `store`. Prints the same line as the peers.
///
/// Everything is as in the hub (loop, disk thread, commit timer, packing by the hour), except the clock, which jumps
/// from commit to commit.
struct StoreContestant: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "store-contestant", shouldDisplay: false)

  @Option var directory: String
  @Option var load: String
  @Option var wearables: Int
  @Option var hours: Int
  @Option var commit: Int
  @Option var passes: Int

  /// Commits between two readings of the process's memory.
  private static let lookEvery = 16

  func run() throws {
    let command = self
    let load = try MappedLoad(load)
    let report = try EpollLoop.run { loop in try await command.measure(loop, load) }
    print(report.line)
  }

  @LoopActor
  private func measure(_ loop: EpollLoop, _ load: MappedLoad) async throws -> StoreReport {
    let shape = LoadShape(wearables: wearables, hours: hours, seed: 0, commit: commit)
    let disk = DiskThread()
    defer { disk.shutDown() }
    var report = StoreReport()
    report.anonymousStart = try anonymousMemory()
    report.anonymousPeak = report.anonymousStart

    let feed = try await StoreFeed(directory, shape: shape, loop: loop, disk: disk)
    let began = monotonicNow()
    let cpu = processCPU()
    var commits = 0
    try await feed.append(load) {
      commits += 1
      if commits % Self.lookEvery == 0 { report.anonymousPeak = max(report.anonymousPeak, try anonymousMemory()) }
    }
    try await feed.store.pack()
    report.anonymousPeak = max(report.anonymousPeak, try anonymousMemory())
    report.commits = feed.store.status.commits
    report.moves = feed.store.status.moves
    let dropped = feed.store.status.droppedSamples
    await feed.store.close()
    report.elapsed = monotonicNow() - began
    report.cpu = processCPU() - cpu
    report.written = try processBytesWritten()
    report.dirtied = try processBytesDirtied()
    report.stored = try bytesOfFiles(in: directory)
    guard dropped == 0 else { throw BenchFailure("the store dropped \(dropped) samples") }

    let store = try Store.open(StoreFeed.options(directory, size: nil, commit: commit), loop: loop, disk: disk)
    report.all = try await read(store, since: nil)
    var durations: [Int64] = []
    for _ in 0..<passes {
      let began = monotonicNow()
      report.range = try await read(store, since: shape.rangeStart)
      durations.append(monotonicNow() - began)
      report.anonymousPeak = max(report.anonymousPeak, try anonymousMemory())
    }
    report.read = durations.sorted()[durations.count / 2]
    let corrupt = store.status.corruptChunks
    await store.close()
    guard corrupt == 0 else { throw BenchFailure("the store has \(corrupt) corrupt chunks") }
    return report
  }

  /// Reads the samples of all wearables from a time in milliseconds on, or all.
  @LoopActor
  private func read(_ store: Store, since: Int64?) async throws -> StoreTally {
    var tally = StoreTally()
    let first = since.map { $0 * 1000 } ?? .min
    for number in 1...wearables {
      for series in [Series.heartRate, .rrInterval] {
        try await store.scan(
          WearableID(number: UInt32(number)), series, since: since.map { WallTime(microseconds: $0 * 1000) }
        ) { columns in
          tally.add(columns.times, columns.values[0], from: first)
        }
      }
    }
    return tally
  }
}
