// The lives of one simulated hub: killed or stopped at a bad moment, and started again.

import CivilTime
import EventLoop
import Health
import Simulation

/// Counts over all lives what a hub's radio counts in one, and what became of its machine's clock.
@LoopActor
final class HubLives {
  private(set) var count = 1
  private(set) var kills = 0
  /// When one was over: one that is stopped in order still ends the visit that it is at.
  private(set) var ends: [Instant] = []
  /// What the hub's clock was ahead of the monotonic one by, µs, from when on.
  private(set) var wallSteps: [(at: Instant, total: Int64)]
  /// The zones that it was told to be in, from when on.
  private(set) var zones: [(at: Instant, rules: TimeZoneRules)]
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
    wallSteps = [Self.wallAhead(loop)]
    zones = [(loop.now, hub.options.hub.timeZone)]
  }

  private static func wallAhead(_ loop: VirtualLoop) -> (at: Instant, total: Int64) {
    (loop.now, loop.wall.microseconds - loop.now.nanoseconds / 1000)
  }

  /// Links to wearables so far: each is a visit, or the beginning of one.
  var links: Int { pastLinks + (hub.isRunning ? hub.radio.ledger.linksMade : 0) }
  var hangs: Int { pastHangs + (hub.isRunning ? hub.radio.ledger.hangs : 0) }

  /// - Parameters:
  ///   - wait: so that it is anywhere in time, not only where the loop of a run happens to look.
  ///   - kills: in the middle of whatever it does; else it is stopped in order.
  ///   - pause: until it is started again.
  ///   - zone: where its machine is carried meanwhile; nil: it stays.
  func restart(after wait: Duration, kills: Bool, pause: Duration, zone: TimeZoneRules? = nil) async throws {
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
    if let zone {
      hub.move(to: zone)
      zones.append((loop.now, zone))
      tail.add("-- moved to \(zone.name)")
    }
    try await loop.sleep(for: pause)
    tail.add("-- started")
    try await hub.start()
    count += 1
  }

  /// With a chance of three in ten a time server comes back some minutes after a start, and steps the clock.
  static func drawClockStep(_ random: inout SeededRandom) -> (wait: Duration, step: Duration)? {
    guard random.chance(0.3) else { return nil }
    let wait = random.duration(in: .seconds(60)...(.seconds(1800)))
    return (wait, .milliseconds(Int64(random.integer(in: -120_000...120_000))))
  }

  func stepClock(by step: Duration, after wait: Duration) async throws {
    try await loop.sleep(for: wait)
    try? await hub.store.flush()
    tail.add("-- the hub's clock is stepped by \(step)")
    loop.stepWall(by: step)
    wallSteps.append(Self.wallAhead(loop))
  }
}
