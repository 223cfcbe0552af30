// Last resorts outside the adapter when every rung failed, and their limits.

import Bluetooth
import EventLoop

/// Last resort of the hub when every rung failed.
public enum RadioSurrender: Sendable, Hashable {
  /// End with a status that makes systemd restart the hub.
  case restart
  /// Reboot the machine.
  case reboot
}

@LoopActor
final class Surrender {
  private let means: AdapterMeans
  private let log: RungLog
  var onGiveUp: (@LoopActor (RadioSurrender) -> Void)?
  /// False while the hub serves with another radio, because a last resort would end that too.
  var isLast: @LoopActor () -> Bool = { true }

  init(_ means: AdapterMeans, log: RungLog) {
    self.means = means
    self.log = log
  }

  /// Ends the daemon or reboots the machine, if that is enabled and was not done too recently.
  ///
  /// - Parameter silence: how long the controller has not responded.
  func giveUp(after silence: Duration) {
    guard silence >= means.timing.surrender, isLast(), let onGiveUp, let text = means.kernel.readStamps() else {
      return
    }
    var stamps = RecoveryStamps(text)
    let now = means.loop.wall.microseconds / 1_000_000
    for (rung, surrender) in [(Rung.restart, RadioSurrender.restart), (.reboot, .reboot)] {
      if !stamps.allows(rung, at: now, rebootsPerDay: means.options.rebootsPerDay) { continue }
      stamps.add(rung, at: now)
      // Without a durable record it could become a loop.
      if !means.kernel.writeStamps(stamps.text) { return }
      log.note(rung, on: .usb)
      means.logger.critical("no step revived the radio: \(rung.name(on: .usb))")
      return onGiveUp(surrender)
    }
  }
}
