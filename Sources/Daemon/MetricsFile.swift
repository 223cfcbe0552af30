// Metrics file for a collector: replaced atomically every 15 s, without blocking the loop.

import Configuration
import Control
import EventLoop
import Logging
import Metrics
import Reasons
import RingStore

/// Path and format of the file.
struct MetricsOptions: Equatable {
  var path: String
  var form: MetricsForm

  init(path: String, form: MetricsForm) {
    self.path = path
    self.form = form
  }

  /// nil: no file is configured.
  init?(_ settings: Configuration.Metrics) {
    guard let path = settings.file else { return nil }
    self.init(path: path, form: settings.format == .openMetrics ? .openMetrics : .prometheus)
  }
}

/// Keeps the file up to date while it is configured. Only one write runs at a time.
@LoopActor
final class MetricsFile {
  /// Interval of the usual collector.
  nonisolated static let period: Duration = .seconds(15)

  private let loop: any Loop
  private let disk: any DiskLane
  private let moment: @LoopActor () -> MetricsSnapshot
  private let logger: Logger
  private let note: @LoopActor (HearthError) -> Void
  private var options: MetricsOptions?
  private var timer: LoopTimer?
  private var isWriting = false
  /// Error of the last write, as reported; nil: it succeeded.
  private(set) var trouble: HearthError?

  /// - Parameter note: called for a file that cannot be written; again only after a successful write in between.
  init(
    loop: any Loop, disk: any DiskLane, logger: Logger, moment: @escaping @LoopActor () -> MetricsSnapshot,
    note: @escaping @LoopActor (HearthError) -> Void
  ) {
    self.loop = loop
    self.disk = disk
    self.logger = logger
    self.moment = moment
    self.note = note
  }

  /// Metrics of a hub, from the same snapshots as its socket. A failed write is also recorded as an event.
  convenience init(of hub: any HubService, store: Store, loop: any Loop, disk: any DiskLane, logger: Logger) {
    self.init(
      loop: loop, disk: disk, logger: logger,
      moment: {
        MetricsSnapshot(
          hub: hub.snapshot(), wearables: hub.wearables(), store: store.status,
          process: ProcessFigures.now(), wall: loop.wall, now: loop.now)
      }, note: { [weak store] trouble in store?.noteEvent(trouble.reason, text: trouble.detail) })
  }

  /// Starts, changes or ends the file; the first write is in progress when it returns.
  func apply(_ options: MetricsOptions?) {
    if options == self.options { return }
    let old = self.options
    self.options = options
    trouble = nil
    if let timer { loop.cancel(timer) }
    timer = nil
    if let old, old.path != options?.path { loop.spawn { await self.remove(old.path) } }
    if options != nil { turn() }
  }

  /// Removes the file: a remaining one would report a running hub.
  func stop() async {
    guard let path = options?.path else { return }
    apply(nil)
    await remove(path)
  }

  private func turn() {
    timer = loop.schedule(after: Self.period) { [weak self] in self?.turn() }
    // A disk that takes longer than the period is too busy for this.
    if isWriting { return }
    isWriting = true
    loop.spawn {
      // Repeats if the options have changed meanwhile.
      while let wanted = self.options {
        await self.write(wanted)
        if self.options == wanted { break }
      }
      self.isWriting = false
    }
  }

  private func write(_ options: MetricsOptions) async {
    let moment = self.moment()
    var text = MetricsText(options.form)
    for part in MetricsSnapshot.parts {
      for family in part(moment) { text.add(family) }
      // Lets timers run between two parts.
      try? await loop.sleep(for: .zero)
    }
    text.end()
    let bytes = text.bytes
    // If the file is ended after this point, it is removed after the write.
    if self.options != options { return }
    do {
      try await disk.perform { try WholeFile.write(bytes, to: options.path) }
      if self.options == options { isWritten() }
    } catch {
      if self.options == options { isRefused((error as? WholeFile.Failure)?.clause ?? "\(error)") }
    }
  }

  private func isWritten() {
    if trouble != nil { logger.notice("the metrics are written again") }
    trouble = nil
  }

  private func isRefused(_ why: String) {
    if trouble != nil { return }
    let trouble = HearthError(.metricsUnwritable, why)
    self.trouble = trouble
    logger.error("\(trouble); next: \(trouble.reason.text.next)", metadata: ["CODE": "\(trouble.reason.code)"])
    note(trouble)
  }

  /// Queued after a write in progress: the disk works in order.
  private func remove(_ path: String) async { _ = try? await disk.perform { WholeFile.remove(path) } }
}
