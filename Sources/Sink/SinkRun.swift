// Sink in real time: broker on one side, database on the other, plus signals and the service manager.

public import EventLoop
internal import Glibc
internal import Reasons

/// Running sink.
@LoopActor
public final class SinkRun {
  /// Time at the end to finish the current write.
  private static let farewell: Duration = .seconds(8)
  private static let reportEvery: Duration = .seconds(300)

  private let loop: EpollLoop
  private let settings: SinkSettings
  private let log: SinkLog
  private let services = ServiceManager()
  private let writer: WriterLane
  private var broker: BrokerLane?
  private var ending: CheckedContinuation<Void, Never>?
  private var reported = SinkCounts()

  /// A sink that has not started.
  public init(_ loop: EpollLoop, _ settings: SinkSettings) {
    (self.loop, self.settings) = (loop, settings)
    log = SinkLog(settings.logLevel)
    writer = WriterLane(loop, settings, log)
  }

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Throws: `HearthLoopError` if signals cannot be watched.
  public func run() async throws {
    let signals = try SignalWatch(loop) { [weak self] signal in
      // Settings are only read at the start, certificates and passwords at each connection.
      if signal != .hangUp { self?.end() }
    }
    defer { signals.end() }
    let broker = BrokerLane(
      loop, settings.broker, log, onDelivery: { [writer] in writer.take($0) },
      onConnection: { [writer, weak self] in
        if self?.broker?.isReady != true { writer.forgetUnacknowledged() }
      })
    self.broker = broker
    writer.onWritten = { [weak broker] in broker?.acknowledge($0) }
    writer.still.onStill = { [services] in services.status("the database stands still") }
    writer.onFull = { [weak broker] in broker?.pause($0) }
    let writing = loop.spawn { [writer] in await writer.run() }
    broker.start()
    log.info(
      "hearth-sink \(hearthVersion) started, broker \(settings.broker.addresses.map(\.text).joined(separator: ",")), "
        + "group \(settings.broker.group ?? "none"), part \(settings.broker.part.text)")
    services.ready("consuming")
    if let interval = services.watchdogInterval { beat(interval) }
    report()
    await withCheckedContinuation { ending = $0 }
    services.stopping()
    broker.pause(true)
    writer.stop()
    let limit = loop.schedule(after: Self.farewell) { [writer] in
      writing.cancel()
      writer.giveUp()
    }
    await writing.value
    loop.cancel(limit)
    broker.stop()
    let counts = writer.counts
    log.info(
      "stopped rows=\(counts.rows) new=\(counts.new) messages=\(counts.messages) groups=\(counts.groups) "
        + "aside=\(counts.aside)")
  }

  private func end() {
    ending?.resume()
    ending = nil
  }

  private func beat(_ interval: Duration) {
    services.aliveSign()
    loop.schedule(after: interval) { [weak self] in self?.beat(interval) }
  }

  private func report() {
    loop.schedule(after: Self.reportEvery) { [weak self] in
      guard let self else { return }
      let counts = writer.counts
      if counts.groups != reported.groups {
        log.info(
          "rows=\(counts.rows - reported.rows) new=\(counts.new - reported.new) "
            + "groups=\(counts.groups - reported.groups)")
        services.status("\(counts.rows) rows")
      }
      reported = counts
      report()
    }
  }
}

func hostName() -> String {
  var name = [CChar](repeating: 0, count: 65)
  if gethostname(&name, 64) != 0 { return "unknown" }
  return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The first line of a file, at most 1 KiB.
func secret(_ file: String) -> [UInt8]? {
  let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  if descriptor < 0 { return nil }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 1024)
  let count = read(descriptor, &bytes, bytes.count)
  if count <= 0 { return nil }
  return Array(bytes.prefix(count).prefix { $0 != 0x0A && $0 != 0x0D })
}
