// Recovery of a controller that responds but no longer hears advertisements.

import EventLoop
import Reasons

@LoopActor
final class QuietWatch {
  private let means: AdapterMeans
  private let scan: AdapterScan
  private let log: RungLog
  /// Time when the scan was restarted, while no advertisement has been heard since.
  private var restartedAt: Instant?
  var linkCount: @LoopActor () -> Int = { 0 }

  init(_ means: AdapterMeans, scan: AdapterScan, log: RungLog) {
    self.means = means
    self.scan = scan
    self.log = log
  }

  /// Called when the adapter was initialised.
  func begin() {
    means.scanner.restarted()
    restartedAt = nil
  }

  func restartScan(_ adapter: AdapterIdentity) async throws(HearthError) {
    means.counters.scanRestarts += 1
    log.note(.scanRestart, on: adapter.bus)
    means.scanner.restarted()
    restartedAt = means.loop.now
    try await scan.restart(adapter.index)
    log.recovered(at: means.loop.now)
  }

  var nextCheck: Instant {
    if let heard = means.scanner.lastHeard { return heard + means.timing.quiet }
    if let restartedAt { return restartedAt + means.timing.quiet }
    return means.loop.now + means.timing.quiet
  }

  /// Restarts the scan if advertisements stopped. If that does not help and no link would suffer, power-cycles the
  /// controller. After that the room counts as empty until an advertisement is heard.
  func listen(_ adapter: AdapterIdentity, suspected: Bool) async throws(HearthError) {
    let (heard, quiet, now) = (means.scanner.lastHeard, means.timing.quiet, means.loop.now)
    if let heard, suspected || heard + quiet <= now {
      try await restartScan(adapter)
    } else if let restarted = restartedAt, heard == nil, restarted + quiet <= now {
      restartedAt = nil
      if linkCount() == 0 {
        throw HearthError(
          .controllerSilent, "\(adapter.name) no longer hears any device, also after its scan was restarted")
      }
    } else if heard != nil {
      restartedAt = nil
    }
  }
}
