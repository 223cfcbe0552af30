// Trainings of a simulated Polar wearable's wearer.

import EventLoop
import Simulation

extension VirtualPolar {
  /// Stops the file transfer, even within a file, until the link ends.
  public func fallSilent() { isSilent = link != nil }

  /// Ends all training from now on.
  public func retire() {
    isRetired = true
    endTraining()
  }

  func scheduleTraining() {
    guard let training = traits.training, !isRetired else { return }
    world.loop.schedule(after: random.duration(in: training.pause)) { [weak self] in
      guard let self, !isRetired else { return }
      startTraining()
      world.loop.schedule(after: random.duration(in: training.length)) { [weak self] in
        self?.endTraining()
        self?.scheduleTraining()
      }
    }
  }

  /// Begins a training, during which it answers `busy`.
  public func startTraining() {
    if isTraining { return }
    isTraining = true
    trainingBegan = (world.loop.now, clock)
    fireTriggers(2)
    // Intervals and trainings exclude each other.
    if stopStream(.ppi) { indicate(PolarUUID.pmdControl, [0x01, PolarKind.ppi.rawValue]) }
    tell(5, [0x08, 0x01])
  }

  /// Ends the training, and writes its files.
  public func endTraining() {
    if !isTraining { return }
    isTraining = false
    isTrainingPaused = false
    if let trainingBegan { writeTraining(began: trainingBegan.at, trainingBegan.clock) }
    tell(5, [0x08, 0x00])
  }
}
