// Rungs tried to revive the radio, and the time of the last success.

import Bluetooth
import EventLoop

@LoopActor
final class RungLog {
  private(set) var ladder = RecoveryLadder()
  /// Time when a rung last ended with a controller that responds.
  private(set) var lastRecovery: Instant?
  var onRung: (@LoopActor (RadioRung) -> Void)?

  init() {}

  func note(_ rung: Rung, on bus: AdapterBus) {
    ladder.tried(rung)
    onRung?(RadioRung(rung.name(on: bus), endsLinks: rung != .scanRestart))
  }

  func recovered(at now: Instant) { lastRecovery = now }
}
