// What the hub does beyond the adapter when nothing helped, and how often it may.

import Bluetooth
import EventLoop

/// What the hub does beyond the adapter when nothing helped.
public enum RadioSurrender: Sendable, Hashable {
  /// End with a status that makes systemd start the hub again.
  case restart
  /// Start the machine again.
  case reboot
}

@LoopActor
final class Surrender {
  private let means: AdapterMeans
  private let log: RungLog
  var onGiveUp: (@LoopActor (RadioSurrender) -> Void)?
  /// False while the hub serves with another radio: what ends all of it is no means for one.
  var isLast: @LoopActor () -> Bool = { true }

  init(_ means: AdapterMeans, log: RungLog) {
    self.means = means
    self.log = log
  }

  /// Ends the daemon, or starts the machine anew, if that is wanted and was not done too lately.
  ///
  /// - Parameter silence: for how long the controller did not answer.
  func giveUp(after silence: Duration) {
    guard silence >= means.timing.surrender, isLast(), let onGiveUp, let text = means.kernel.readStamps() else {
      return
    }
    var stamps = RecoveryStamps(text)
    let now = means.loop.wall.microseconds / 1_000_000
    for (rung, surrender) in [(Rung.restart, RadioSurrender.restart), (.reboot, .reboot)] {
      if !stamps.allows(rung, at: now, rebootsPerDay: means.options.rebootsPerDay) { continue }
      stamps.add(rung, at: now)
      // Without a mark that outlives us it could become a loop.
      if !means.kernel.writeStamps(stamps.text) { return }
      log.note(rung, on: .usb)
      means.logger.critical("nothing revived the radio: \(rung.name(on: .usb))")
      return onGiveUp(surrender)
    }
  }
}
