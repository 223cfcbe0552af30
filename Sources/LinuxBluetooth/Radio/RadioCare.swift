// Recovery of the radio and its callbacks, as the hub uses them.

public import Bluetooth
import EventLoop

extension LinuxRadio {
  /// Starts the recovery of the adapter.
  public func recover() { adapter.recovery.recover() }

  /// Called when every rung failed, at most as often as the stored times allow. The hub ends, or reboots the machine.
  public var onGiveUp: (@LoopActor (RadioSurrender) -> Void)? {
    get { adapter.recovery.surrender.onGiveUp }
    set { adapter.recovery.surrender.onGiveUp = newValue }
  }

  /// Whether the hub has no other radio in service. Otherwise it goes on without this one.
  public var isLast: @LoopActor () -> Bool {
    get { adapter.recovery.surrender.isLast }
    set { adapter.recovery.surrender.isLast = newValue }
  }

  /// Called when the hub has the adapter again after another program changed it.
  public var onTakenOver: (@LoopActor (RadioTakeover) -> Void)? {
    get { adapter.takeover.onTakenOver }
    set { adapter.takeover.onTakenOver = newValue }
  }

  /// Called for each rung of the reset ladder.
  public var onRung: (@LoopActor (RadioRung) -> Void)? {
    get { adapter.recovery.log.onRung }
    set { adapter.recovery.log.onRung = newValue }
  }

  var care: RadioCare {
    var care = RadioCare()
    let bus = adapter.identity?.bus ?? .usb
    care.slotSource = slots.source
    care.rung = adapter.recovery.log.ladder.current?.name(on: bus)
    care.isRecovering = adapter.recovery.isRecovering
    care.lastRecovery = adapter.recovery.log.lastRecovery
    var rungs = [Rung.scanRestart] + RecoveryLadder.rungs(on: bus)
    if adapter.recovery.surrender.onGiveUp != nil { rungs.append(.restart) }
    if adapter.recovery.surrender.onGiveUp != nil, means.options.rebootsPerDay > 0 { rungs.append(.reboot) }
    care.rungs = rungs.map { ($0.name(on: bus), adapter.recovery.log.ladder.counts[$0, default: 0]) }
    care.lastHeard = means.scanner.everHeard
    care.observesLinks = tuner.observer.isListening
    care.updatesLiveLinks = tuner.kernelUpdates || tuner.observer.isListening
    return care
  }
}
