// A simulated Polar wearable that is switched off and on, and whose clock somebody else sets.

import EventLoop
import Simulation

extension VirtualPolar {
  /// Somebody else, such as a telephone, set its clock so much ahead of where it stood.
  public func moveClock(by step: Duration) {
    guard clock.isSet else { return }
    clock.set(clock.now(at: world.loop.now) + step.wholeNanoseconds, offset: clock.offset, at: world.loop.now)
    if !traits.isOpticalSensor { streamClock = clock }
  }

  /// Off and on again: streams, modes and sessions end; recordings end too, and those that are armed begin.
  public func reboot(losesClock: Bool = false) {
    writeRecordings()
    for kind in PolarKind.allCases { _ = stopRecording(kind) }
    strapExercise = nil
    streams = [:]
    isSDKMode = false
    isSynchronising = false
    isTraining = false
    isTrainingPaused = false
    if losesClock { clock.lose(at: world.loop.now) }
    streamClock = clock
    boots += 1
    link?.peripheralHangsUp()
    fireTriggers(1)
  }

  /// Off until `powerOn`.
  public func powerOff() {
    reboot()
    isAdvertising = false
    isOff = true
  }

  public func powerOn() {
    guard isOff else { return }
    isOff = false
    clock.lose(at: world.loop.now)
    streamClock = clock
    isAdvertising = true
  }
}
