// Which trainings a wearable holds, of what a walk through its folders found.

import CivilTime
import Health

@testable import PolarFamily

/// A training: its session file, and the files of its exercises.
struct TrainingReference: Hashable, Sendable {
  struct File: Hashable, Sendable {
    let path: String
    /// Bytes.
    let size: UInt64
  }

  struct Exercise: Hashable, Sendable {
    /// The number of its folder.
    let index: Int
    /// `/U/0/20250202/E/163020/00/`.
    let folder: String
    var files: [File]
  }

  let session: File
  let day: LocalDate
  /// Seconds since midnight, of the wearable's clock.
  let timeOfDay: Int
  /// In the order of their numbers.
  var exercises: [Exercise]

  /// All its files, the session's first: fetched in this order, what a later one needs is there.
  var files: [File] { [session] + exercises.flatMap(\.files) }
  /// Bytes of all of them.
  var size: UInt64 { files.reduce(0) { $0.addingReportingOverflow($1.size).overflow ? .max : $0 + $1.size } }

  private struct Key: Hashable {
    let day: LocalDate
    let time: Int
  }

  /// Of files in any order: the session may be listed after its exercises. What belongs to no session is left out.
  static func references(of files: some Sequence<(path: String, size: UInt64)>) -> [TrainingReference] {
    var sessions: [Key: TrainingReference] = [:]
    var parts: [Key: [Int: Exercise]] = [:]
    for (path, size) in files {
      guard let file = PolarFile(path: path), let day = file.day, let time = file.timeOfDay else { continue }
      let key = Key(day: day, time: time)
      if file.kind == .trainingSession {
        sessions[key] = TrainingReference(
          session: File(path: path, size: size), day: day, timeOfDay: time, exercises: [])
      } else if let index = file.exercise, let end = path.lastIndex(of: "/") {
        let empty = Exercise(index: index, folder: String(path[...end]), files: [])
        parts[key, default: [:]][index, default: empty].files.append(File(path: path, size: size))
      }
    }
    return sessions.map { key, session in
      var session = session
      session.exercises = (parts[key] ?? [:]).values.sorted { $0.index < $1.index }
      return session
    }.sorted { ($0.day, $0.timeOfDay) < ($1.day, $1.timeOfDay) }
  }

  /// Whether a walk from `/U/0/` goes into a folder, or takes a file, on its way to trainings.
  static func isOnTheWay(_ name: String) -> Bool {
    guard name.hasSuffix("/") else { return name.hasSuffix(".BPB") || name.hasSuffix(".GZB") }
    return name == "E/" || PolarFile.isDigits(name.dropLast())
  }
}
