// Completed trainings of the wearable's present day, which no longer change and are fetched before the day is over.

import CivilTime
import Health
import PolarMessages

/// Files of today's completed trainings, as far as the wearable reports their end. Pure: from listings and contents.
struct PolarTrainings {
  let tree: PSFTP.Tree
  let today: LocalDate
  /// The wearable's time, µs since 1970; the earlier one if the clock was set in the visit.
  let now: Int64
  /// The time that the clock showed before it was set back, µs since 1970.
  var setBackFrom: Int64?

  /// Time from a training's end until its files are assumed to be written, µs. The duration is undocumented; a watch
  /// shows the results within seconds.
  static let settling: Int64 = 600_000_000
  /// Maximum number of trainings of today that one visit looks into.
  static let limit = 16
  /// Largest file of a session, in bytes; typical ones have some hundred.
  static let sessionLimit = 16 << 10

  /// The folder of each training, and its session file. A training that the walk did not see in full waits until
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

  /// Files in a training's folder.
  func files(in folder: String) -> [PSFTP.RemoteFile] { tree.files.filter { $0.path.hasPrefix(folder) } }

  /// Whether the session has an end, and all its exercises are there.
  func isOver(_ session: [UInt8], in folder: String) -> Bool {
    guard let message = try? PbTrainingSession(wire: session), message.hasEnd,
      let end = message.end.moment?.microseconds
    else { return false }
    let settled = PolarFiles.hasSettled(end, for: Self.settling, now, setBackFrom)
    let exercises = files(in: folder).count { PolarFile(path: $0.path)?.kind == .exerciseBase }
    return settled && exercises > 0 && exercises >= Int(clamping: message.exerciseCount)
  }
}
