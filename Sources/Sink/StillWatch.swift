// Detection of a database that hangs: another program holds a lock, or a disk does not respond. Without this message an
// operator would see a running sink and no rows.

internal import EventLoop
internal import Reasons

@LoopActor
final class StillWatch {
  private static let first: Duration = .seconds(8)
  private static let again: Duration = .seconds(60)

  private let loop: EpollLoop
  private let log: SinkLog
  private var timer: LoopTimer?
  private var began: Instant
  private var isStill = false
  /// Called each time the hang is reported.
  var onStill: @LoopActor () -> Void = {}

  init(_ loop: EpollLoop, _ log: SinkLog) { (self.loop, self.log, began) = (loop, log, loop.now) }

  /// Called when a group starts to be written.
  func begin() {
    if !isStill { began = loop.now }
    watch(isStill ? Self.again : Self.first)
  }

  /// Called when it was written, or failed.
  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  func succeeded() {
    if isStill { log.info("the database goes on, after \(durationWords(loop.now - began))") }
    isStill = false
  }

  private func watch(_ wait: Duration) {
    timer = loop.schedule(after: wait) { [weak self] in
      guard let self else { return }
      isStill = true
      log.warning(
        "\(Reason.sinkDatabase.code) the database does not progress: a group has been written for "
          + "\(durationWords(loop.now - began)); see pg_stat_activity and pg_blocking_pids() for what holds it up")
      onStill()
      watch(Self.again)
    }
  }
}
