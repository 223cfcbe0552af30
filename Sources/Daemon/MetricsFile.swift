// The file for a collector: written anew every 15 s, whole or not at all, and without the loop waiting for it.

import Configuration
import Control
import EventLoop
import Logging
import Metrics
import Reasons
import RingStore

/// Where the file is, and how it is written.
struct MetricsOptions: Equatable {
  var path: String
  var form: MetricsForm

  init(path: String, form: MetricsForm) {
    self.path = path
    self.form = form
  }

  /// nil: no file is wanted.
  init?(_ settings: Configuration.Metrics) {
    guard let path = settings.file else { return nil }
    self.init(path: path, form: settings.format == .openMetrics ? .openMetrics : .prometheus)
  }
}

/// Keeps one file up to date while it is wanted. One text is written at a time.
@LoopActor
final class MetricsFile {
  /// As often as the usual collector looks.
  nonisolated static let period: Duration = .seconds(15)

  private let loop: any Loop
  private let disk: any DiskLane
  private let moment: @LoopActor () -> MetricsMoment
  private let logger: Logger
  private let note: @LoopActor (HearthError) -> Void
  private var options: MetricsOptions?
  private var timer: LoopTimer?
  private var isWriting = false
  /// Why the last text was not written, as it was told; nil: it was.
  private(set) var trouble: HearthError?

  /// - Parameter note: told of a file that cannot be written, once until one was written again.
  init(
    loop: any Loop, disk: any DiskLane, logger: Logger, moment: @escaping @LoopActor () -> MetricsMoment,
    note: @escaping @LoopActor (HearthError) -> Void
  ) {
    self.loop = loop
    self.disk = disk
    self.logger = logger
    self.moment = moment
    self.note = note
  }

  /// Of a hub: what answers its socket. What cannot be written is an event too.
  convenience init(of hub: any HubService, store: Store, loop: any Loop, disk: any DiskLane, logger: Logger) {
    self.init(
      loop: loop, disk: disk, logger: logger,
      moment: {
        MetricsMoment(
          hub: hub.snapshot(), wearables: hub.wearables(), store: store.status,
          process: ProcessFigures.now(), wall: loop.wall, now: loop.now)
      }, note: { [weak store] trouble in store?.noteEvent(trouble.reason, text: trouble.detail) })
  }

  /// Begins, goes on elsewhere, or ends; the first text is on its way when it returns.
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

  /// Ends it: a file that stays would tell of a hub that runs.
  func stop() async {
    guard let path = options?.path else { return }
    apply(nil)
    await remove(path)
  }

  private func turn() {
    timer = loop.schedule(after: Self.period) { [weak self] in self?.turn() }
    // A disk that takes longer than that has none to spare for this.
    if isWriting { return }
    isWriting = true
    loop.spawn {
      // Once more where it is wanted otherwise by now.
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
    for part in MetricsMoment.parts {
      for family in part(moment) { text.add(family) }
      // Timers too are let in between two parts.
      try? await loop.sleep(for: .zero)
    }
    text.end()
    let bytes = text.bytes
    // What is given to the disk now, whoever ends this removes behind it.
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

  /// Behind a text that is on its way: the disk does one after the other.
  private func remove(_ path: String) async { _ = try? await disk.perform { WholeFile.remove(path) } }
}
