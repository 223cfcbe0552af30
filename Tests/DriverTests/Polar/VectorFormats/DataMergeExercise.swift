// Exercises that the hub starts on a wearable which merges their data itself (capability `dm_exercise` of DEVICE.BPB).
// This hub does not start any: decoded for the vectors.

import PolarMessages

@testable import PolarFamily

extension PbPftpStartDmExerciseResult {
  /// The folder of its files; the root if the wearable does not say.
  var folder: String { hasDmDirectoryPath && !dmDirectoryPath.isEmpty ? dmDirectoryPath : "/" }
}

extension PbPftpGetExerciseStatusResult {
  /// An exercise that the hub started is running: it has to be stopped before its files can be read.
  var isDataMergeRunning: Bool {
    hasExerciseState && exerciseState == .exerciseStateRunning && hasExerciseType
      && exerciseType == .exerciseTypeDataMerge
  }
}

extension PbPFtpStartDmExerciseParams {
  /// - Parameter sport: Polar's number: 0 unknown, 1 running, 2 cycling, 16 other outdoor.
  init(sport: UInt64) {
    self.init()
    sportIdentifier.value = sport
  }
}
