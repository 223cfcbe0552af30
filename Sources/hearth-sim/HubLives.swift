// The lives of one simulated hub: killed or stopped at a bad moment, and started again.

import EventLoop
import Simulation

/// Counts over all lives what a hub's radio counts in one.
@LoopActor
final class HubLives {
  private(set) var count = 1
  private(set) var kills = 0
  /// When one was over: one that is stopped in order still ends the visit that it is at.
  private(set) var ends: [Instant] = []
  private let loop: VirtualLoop
  private let hub: SimulatedHub
  private let tail: EventTail
  private var pastLinks = 0
  private var pastHangs = 0

  /// Of a hub that has not been started yet, or just was.
  init(_ loop: VirtualLoop, _ hub: SimulatedHub, _ tail: EventTail) {
    self.loop = loop
    self.hub = hub
    self.tail = tail
  }

  /// Links to wearables so far: each is a visit, or the beginning of one.
  var links: Int { pastLinks + (hub.isRunning ? hub.radio.ledger.linksMade : 0) }
  var hangs: Int { pastHangs + (hub.isRunning ? hub.radio.ledger.hangs : 0) }

  /// - Parameters:
  ///   - wait: so that it is anywhere in time, not only where the loop of a run happens to look.
  ///   - kills: in the middle of whatever it does; else it is stopped in order.
  ///   - pause: until it is started again.
  func restart(after wait: Duration, kills: Bool, pause: Duration) async throws {
    try await loop.sleep(for: wait)
    pastLinks += hub.radio.ledger.linksMade
    pastHangs += hub.radio.ledger.hangs
    if kills {
      tail.add("-- killed")
      self.kills += 1
      await hub.kill()
    } else {
      tail.add("-- stopped")
      await hub.stop()
    }
    ends.append(loop.now)
    try await loop.sleep(for: pause)
    tail.add("-- started")
    try await hub.start()
    count += 1
  }
}
