// What is done to keep the radio alive, and to keep what was learned of it, as the hub sees it.

public import Bluetooth
import EventLoop

extension LinuxRadio {
  public func recover() { adapter.recover() }

  /// Called when everything that can be done to the adapter was done in vain, at most as often as the marks on disk
  /// allow. The hub ends, or has the machine started again; nothing more is expected of it.
  public var onGiveUp: (@LoopActor (RadioSurrender) -> Void)? {
    get { adapter.onGiveUp }
    set { adapter.onGiveUp = newValue }
  }

  /// Called when the hub has the adapter again after another program changed it.
  public var onTakenOver: (@LoopActor (RadioTakeover) -> Void)? {
    get { adapter.onTakenOver }
    set { adapter.onTakenOver = newValue }
  }

  public var onRung: (@LoopActor (RadioRung) -> Void)? {
    get { adapter.onRung }
    set { adapter.onRung = newValue }
  }

  var care: RadioCare {
    var care = RadioCare()
    let bus = adapter.identity?.bus ?? .usb
    care.slotSource = slotSource
    care.rung = adapter.ladder.current?.name(on: bus)
    care.isRecovering = adapter.isRecovering
    care.lastRecovery = adapter.lastRecovery
    var rungs = [Rung.scanRestart] + RecoveryLadder.rungs(on: bus)
    if adapter.onGiveUp != nil { rungs.append(.restart) }
    if adapter.onGiveUp != nil, adapter.options.rebootsPerDay > 0 { rungs.append(.reboot) }
    care.rungs = rungs.map { ($0.name(on: bus), adapter.ladder.counts[$0, default: 0]) }
    care.lastHeard = adapter.scanner.everHeard
    care.observesLinks = tuner.observer.isListening
    care.updatesLiveLinks = tuner.kernelUpdates || tuner.observer.isListening
    return care
  }
}
