// Trainings of the wearable's own day that are over: they do not change any more, and nobody should wait for tomorrow.

import CivilTime
import Health
import PolarMessages

/// Which files of today belong to trainings that are over, as far as the wearable says so itself. Pure: from what was
/// listed and read.
struct PolarTrainings {
  let tree: PSFTP.Tree
  let today: LocalDate
  /// Of the wearable's clock, µs since 1970; where it was set in the visit, the earlier time.
  let now: Int64
  /// What the wearable's clock showed before it was set back, µs since 1970.
  var setBackFrom: Int64?

  /// From the end of a training to when what was worked out of it is taken to be written, µs: nobody says how long that
  /// takes; on a watch it is on the screen within seconds.
  static let settling: Int64 = 600_000_000
  /// Trainings of today that one visit looks into.
  static let limit = 16
  /// Bytes of a session's file; one has some hundred.
  static let sessionLimit = 16 << 10

  /// Each training's folder, and the file that says what it was. One of which something was not seen is left for
  /// tomorrow.
  var sessions: [(folder: String, file: PSFTP.RemoteFile)] {
    guard let exercises = PolarFile.folder(.trainingSession, of: today) else { return [] }
    let found = tree.files.lazy.filter {
      $0.path.hasPrefix(exercises) && $0.size <= UInt64(Self.sessionLimit)
        && PolarFile(path: $0.path)?.kind == .trainingSession
    }
    return found.prefix(Self.limit).compactMap { file in
      PolarPath.parent(file.path).flatMap { tree.knowsAll(of: $0) ? ($0, file) : nil }
    }
  }

  /// What lies in a training's folder.
  func files(in folder: String) -> [PSFTP.RemoteFile] { tree.files.filter { $0.path.hasPrefix(folder) } }

  /// It says that it ended, and every exercise that it was made of is there.
  func isOver(_ session: [UInt8], in folder: String) -> Bool {
    guard let message = try? PbTrainingSession(wire: session), message.hasEnd,
      let end = message.end.moment?.microseconds
    else { return false }
    let settled = PolarFiles.hasSettled(end, for: Self.settling, now, setBackFrom)
    let exercises = files(in: folder).count { PolarFile(path: $0.path)?.kind == .exerciseBase }
    return settled && exercises > 0 && exercises >= Int(clamping: message.exerciseCount)
  }
}
