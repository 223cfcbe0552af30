// Switching a simulated Polar wearable off and on, and setting its clock as another device would.

import EventLoop
import Simulation

extension VirtualPolar {
  /// Sets the clock ahead of its present time, as a phone might.
  public func moveClock(by step: Duration) {
    guard clock.isSet else { return }
    clock.set(clock.now(at: world.loop.now) + step.wholeNanoseconds, offset: clock.offset, at: world.loop.now)
    if !traits.isOpticalSensor { streamClock = clock }
  }

  /// Switches it off and on. Streams, modes and sessions end. Recordings end too, and armed ones begin.
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

  /// Switches it off until `powerOn`.
  public func powerOff() {
    reboot()
    isAdvertising = false
    isOff = true
  }

  /// Switches it on; its clock has lost the time.
  public func powerOn() {
    guard isOff else { return }
    isOff = false
    clock.lose(at: world.loop.now)
    streamClock = clock
    isAdvertising = true
  }
}
