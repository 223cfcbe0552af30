// Set-up from hearth-setup.yaml on the boot partition, applied once at boot, before the daemon starts.
//
// The boot partition is FAT: it has no modes and no journal, and may be read-only. The state is therefore in a folder
// of root on the system's own disk. `pending` exists from the check of the answers until they are applied, `applied`
// until the file is set aside. After a power cut the next start continues from there, so that the answers are applied
// once or not at all. A repetition is harmless: keys are set to values, and users are made members.

import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons

struct SetupOnce {
  enum Outcome {
    /// State without a file, and without a state of an earlier start.
    case nothing
    /// Done. `left`: the reason if the file could not be set aside.
    case setUp(SetupAnswers, left: HearthError?)
    case refused([HearthError])
  }

  /// Path of the file on the boot partition.
  let path: String
  let configuration: String
  /// Folder of the state, readable and writable only by root.
  let state: String
  let writing: SetupWriting
  var now = wallNow()

  private var pending: String { state + "/pending" }
  private var applied: String { state + "/applied" }
  private func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  /// - Throws: an error that stops it between two steps, in tests; `setupNotWritten` if the state cannot be stored.
  func run() throws -> Outcome {
    if let record = try Record.read(pending) {
      let outcome = try carryOut(record)
      // Another file may have replaced it since.
      if case .setUp(_, nil) = outcome, SetupFiles.isThere(path) { return try run() }
      return outcome
    }
    if let record = try Record.read(applied) {
      if let bytes = try? SetupFile.bytes(of: record.path), bytes == record.bytes { return try setAside(record) }
      try SetupFiles.remove(applied)
    }
    if !SetupFiles.isThere(path) { return .nothing }
    let bytes: [UInt8]
    do throws(HearthError) { bytes = try SetupFile.bytes(of: path) } catch { return try refuse(nil, [error]) }
    let (answers, problems) = SetupFile.read(bytes, file: path)
    if !problems.isEmpty { return try refuse(bytes, problems) }
    do throws(HearthError) {
      _ = try SetupPlan(path: configuration, answers: answers, writing.machine)
    } catch { return try refuse(bytes, [error]) }
    let record = Record(path: path, bytes: bytes)
    try record.write(pending)
    try writing.reached(.remembered)
    return try carryOut(record)
  }

  private func carryOut(_ record: Record) throws -> Outcome {
    do {
      let (answers, problems) = SetupFile.read(record.bytes, file: record.path)
      if let first = problems.first { throw first }
      try writing.apply(try SetupPlan(path: configuration, answers: answers, writing.machine))
      try SetupFiles.rename(pending, to: applied)
    } catch let error as HearthError {
      // Nothing was applied: the card is full, or users or files have changed since the check.
      try SetupFiles.remove(pending)
      return try refuse(record.bytes, [error], path: record.path)
    }
    try writing.reached(.done)
    return try setAside(record)
  }

  /// Writes the result beside the file, and renames the file.
  private func setAside(_ record: Record) throws -> Outcome {
    let answers = SetupFile.read(record.bytes, file: record.path).answers
    do {
      try leave(record.path, record.bytes, "hearth-setup.done.yaml", resultText(answers, record.path))
    } catch let error as HearthError {
      return .setUp(answers, left: HearthError(.setupFileLeft, error.detail))
    }
    try SetupFiles.remove(applied)
    try writing.reached(.forgotten)
    return .setUp(answers, left: nil)
  }

  private func refuse(_ bytes: [UInt8]?, _ problems: [HearthError], path: String? = nil) throws -> Outcome {
    let path = path ?? self.path
    do {
      try leave(path, bytes, "hearth-setup.failed.yaml", resultText(problems, path))
    } catch is HearthError {
      // The next start refuses the file again, which is harmless.
    }
    return .refused(problems)
  }

  /// Writes the result first, so that a file that was set aside always has one. On FAT a power cut during a rename may
  /// leave both names on one chain of clusters. A copy followed by a removal leaves at worst two files.
  private func leave(_ path: String, _ bytes: [UInt8]?, _ name: String, _ result: String) throws {
    let folder = folder(of: path)
    try SetupFiles.write(Array(result.utf8), to: folder + "hearth-setup-result.txt")
    try writing.reached(.told)
    guard SetupFiles.isThere(path) else { return }
    if let bytes, bytes.count <= SetupFile.sizeLimit {
      try SetupFiles.write(bytes, to: folder + name)
      try writing.reached(.copied)
      // A file with new content is a new order and stays.
      if (try? SetupFile.bytes(of: path)) == bytes { try SetupFiles.remove(path) }
    } else {
      try SetupFiles.rename(path, to: folder + name)
    }
    try writing.reached(.removed)
  }

  // MARK: Words

  /// Text of the result: only the answers, no other text of the file.
  func resultText(_ answers: SetupAnswers, _ path: String) -> String {
    var text = "Hearth \(hearthVersion) set up this hub at \(now.rfc3339).\n\n"
    for question in SetupQuestion.allCases {
      let value =
        question == .users
        ? answers.users.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") } : answers.values[question]
      text += "\(question.rawValue): \(value.map { harmless($0, limit: 256) } ?? "as it was")\n"
    }
    return text
      + """

      The file is called hearth-setup.done.yaml now and is not read again. What holds: hearth config show --origin

      """
  }

  func resultText(_ problems: [HearthError], _ path: String) -> String {
    var text = "Hearth \(hearthVersion) did not set up this hub at \(now.rfc3339). No file was changed.\n\n"
    for problem in problems.prefix(Self.problemLimit) { text += render(problem) + "\n" }
    if problems.count > Self.problemLimit { text += "\(problems.count - Self.problemLimit) more\n\n" }
    return text
      + """
      The file is called hearth-setup.failed.yaml now. Correct it, call it hearth-setup.yaml again, and start the
      machine again.

      """
  }

  /// Number of problems that are listed in full.
  private static let problemLimit = 20

  /// The bytes of a file, with the path from which they were read.
  private struct Record {
    let path: String
    let bytes: [UInt8]

    func write(_ file: String) throws(HearthError) {
      try SetupFiles.replace(file, with: Array(path.utf8) + [0x0A] + bytes, mode: 0o600)
    }

    /// Reads a record; nil: there is no whole one. A record is written completely or not at all, so that a damaged one
    /// counts as absent.
    static func read(_ file: String) throws(HearthError) -> Record? {
      if !SetupFiles.isThere(file) { return nil }
      guard let all = try? PrivateFile.read(file, limit: SetupFile.sizeLimit + 4096) else {
        throw SetupFiles.failure(file, errno)
      }
      guard let end = all.firstIndex(of: 0x0A) else { return nil }
      return Record(path: String(decoding: all[..<end], as: UTF8.self), bytes: Array(all[(end + 1)...]))
    }
  }
}
