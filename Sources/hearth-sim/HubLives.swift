// The lives of one simulated hub: killed or stopped at a bad moment, and started again.

import CivilTime
import EventLoop
import Health
import Simulation

/// Counts over all lives what a hub's radio counts in one, and records the changes of its machine's clock.
@LoopActor
final class HubLives {
  private(set) var count = 1
  private(set) var kills = 0
  /// Ends of lives; a hub that is stopped cleanly still ends its running visit.
  private(set) var ends: [Instant] = []
  /// µs by which the hub's clock was ahead of the monotonic one, with start.
  private(set) var wallSteps: [(at: Instant, total: Int64)]
  /// Zones that were set for the hub, with start.
  private(set) var zones: [(at: Instant, rules: TimeZoneRules)]
  private let loop: VirtualLoop
  private let hub: SimulatedHub
  private let tail: EventTail
  private var pastLinks = 0
  private var pastHangs = 0

  /// Creates lives for a hub that has not been started yet, or was just started.
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

  /// Links to wearables so far: each is a visit, or the start of one.
  var links: Int { pastLinks + (hub.isRunning ? hub.radio.ledger.linksMade : 0) }
  var hangs: Int { pastHangs + (hub.isRunning ? hub.radio.ledger.hangs : 0) }

  /// - Parameters:
  ///   - wait: delay, so that the end can be at any time, not only when the run's loop looks.
  ///   - kills: in the middle of any action; else it is stopped cleanly.
  ///   - pause: time until it is started again.
  ///   - zone: zone to which the machine is moved meanwhile; nil: it stays.
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

  /// Draws a clock step: with a probability of three in ten, a time server returns some minutes after a start.
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
