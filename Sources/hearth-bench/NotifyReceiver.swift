// The daemon's real path from a channel to durable samples, in a process of its own: bearer, GATT client, hub, driver,
// store.

import ArgumentParser
import CLinux
import Drivers
import EventLoop
import Glibc
import Health
import Hub
import Logging
import RingStore

/// Started by `notify`. Prints the same line as the peers.
struct NotifyReceiver: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "notify-receiver", shouldDisplay: false)

  @Option var descriptor: Int32
  @Option var notifications: Int
  @Option var directory: String
  @Option var commitBytes: Int
  @Option var commitSeconds: Int
  @Flag var ecg = false

  func run() throws {
    let command = self
    let report = try EpollLoop.run { loop in try await command.receive(loop) }
    print(report.line)
  }

  @LoopActor
  private func receive(_ loop: EpollLoop) async throws -> ReceiverReport {
    guard hearth_fcntl_int(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw BenchFailure("fcntl: errno \(errno)") }
    let disk = DiskThread()
    defer { disk.shutDown() }
    let store = try Store.open(
      StoreOptions(path: directory + "/store", commitEvery: .seconds(commitSeconds), commitBytes: commitBytes),
      loop: loop, disk: disk)
    var options = HearthOptions()
    options.floodGuard = .off
    let quiet = Logger(label: "hearth-bench") { _ in SwiftLogNoOpLogHandler() }
    let radio = DescriptorRadio(descriptor, loop)
    let hub =
      ecg
      ? Hearth(options, loop: loop, radio: radio, store: store, lights: nil, logger: quiet, drivers: [ECGDriver()])
      : Hearth(options, loop: loop, radio: radio, store: store, lights: nil, logger: quiet, drivers: Drivers.registry)
    hub.start()

    // A stranger would be tried over a link of its own first, and this radio makes one only.
    try hub.openEnrolment(for: nil)
    try await until(loop, "the strap is heard") { !hub.enrolmentSnapshot().candidates.isEmpty }
    try await hub.accept("A", name: "strap")
    try await until(loop, "the strap is live") { hub.wearables().first?.state == .live }
    // The pusher waits half a second after the last request. By then the hub's work for a new link is over, and does
    // not count.
    var start = processCPU()
    try await until(loop, "every notification has come") {
      let count = try received(hub)
      if count <= (ecg ? 1 : 0) { start = processCPU() }
      return count >= notifications
    }
    try await store.flush()
    let spent = processCPU() - start

    guard try count("malformed_values", hub) == 0, store.status.droppedSamples == 0 else {
      throw BenchFailure("values were refused, or \(store.status.droppedSamples) samples dropped")
    }
    let report = ReceiverReport(
      cpuNanoseconds: spent, commits: Int(store.status.commits), tally: try await tally(store))
    await hub.stop()
    await store.close()
    return report
  }

  /// Checks every 20 ms, which costs some microseconds and does not affect the measured path.
  @LoopActor
  private func until(_ loop: EpollLoop, _ what: String, _ condition: () throws -> Bool) async throws {
    let deadline = loop.now + .seconds(120)
    while try !condition() {
      guard loop.now < deadline else { throw BenchFailure("two minutes are over before \(what)") }
      try await loop.sleep(for: .milliseconds(20))
    }
  }

  @LoopActor
  private func received(_ hub: Hearth) throws -> Int {
    guard hub.wearables().first?.state == .live else { throw BenchFailure("the link was lost") }
    return try count("notifications", hub)
  }

  @LoopActor
  private func count(_ name: String, _ hub: Hearth) throws -> Int {
    guard let counter = hub.wearables().first?.counters.first(where: { $0.name == name }) else {
      throw BenchFailure("the hub has no counter '\(name)'")
    }
    return Int(counter.value)
  }

  /// The present content of the store, read from the disk.
  @LoopActor
  private func tally(_ store: Store) async throws -> Tally {
    var tally = Tally()
    let session = try await store.export(SampleQuery())
    while let page = try await session.next(limit: 10_000) {
      guard page.corruptChunks == 0 else { throw BenchFailure("the store has corrupt chunks") }
      for sample in page.samples {
        switch sample.series {
        case .heartRate: tally.add(rate: UInt64(sample.value))
        case .rrInterval: tally.add(interval: UInt64(sample.value))
        case .ecg:
          guard
            let block = Waveform(
              start: sample.time.microseconds, period: sample.values[0], count: sample.values[1],
              encoding: sample.values[2], bytes: sample.bytes),
            let numbers = block.numbers(components: 1)
          else { throw BenchFailure("a block that cannot be read") }
          tally.add(rate: 0)
          for number in numbers { tally.add(interval: UInt64(UInt16(truncatingIfNeeded: number))) }
        default: throw BenchFailure("a sample nobody sent: \(sample.series.name)")
        }
      }
    }
    return tally
  }
}
