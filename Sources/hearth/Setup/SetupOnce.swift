// hearth-setup.yaml on the boot partition, taken once at boot, before the daemon starts.
//
// The boot partition is FAT: no modes, no journal, and it may be read-only. So what decides is kept in a folder of
// root on the system's own disk: `pending` from the moment at which the answers were found good until they are
// applied, `applied` until the file is set aside. Whenever the power goes, the next start goes on from there: the
// answers are applied once, or not at all. Applying is the same however often it is begun: keys are set to values and
// users are members.

import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons

struct SetupOnce {
  enum Outcome {
    /// There is no such file, and nothing was left over.
    case nothing
    /// Done. `left`: why the file could not be set aside.
    case setUp(SetupAnswers, left: HearthError?)
    case refused([HearthError])
  }

  /// The file, on the boot partition.
  let path: String
  let configuration: String
  /// Readable and writable for root alone.
  let state: String
  let writing: SetupWriting
  var now = wallNow()

  private var pending: String { state + "/pending" }
  private var applied: String { state + "/applied" }
  private func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

  /// - Throws: what stops it between two steps, in tests; `setupNotWritten` where the state cannot be kept.
  func run() throws -> Outcome {
    if let record = try Record.read(pending) {
      let outcome = try carryOut(record)
      // Another file may have come in its place since.
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
      // Nothing of it holds: a card that is full, or users and files that are others than they were.
      try SetupFiles.remove(pending)
      return try refuse(record.bytes, [error], path: record.path)
    }
    try writing.reached(.done)
    return try setAside(record)
  }

  /// Says what was done beside the file, and calls the file another name.
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
      // The next start refuses it again, which changes nothing.
    }
    return .refused(problems)
  }

  /// The result first, so that a file that was set aside has one. On FAT a rename may be cut in two with both names on
  /// one chain of clusters; a copy, then a removal, leaves at worst two files.
  private func leave(_ path: String, _ bytes: [UInt8]?, _ name: String, _ result: String) throws {
    let folder = folder(of: path)
    try SetupFiles.write(Array(result.utf8), to: folder + "hearth-setup-result.txt")
    try writing.reached(.told)
    guard SetupFiles.isThere(path) else { return }
    if let bytes, bytes.count <= SetupFile.sizeLimit {
      try SetupFiles.write(bytes, to: folder + name)
      try writing.reached(.copied)
      // One that is not the same any more is another wish.
      if (try? SetupFile.bytes(of: path)) == bytes { try SetupFiles.remove(path) }
    } else {
      try SetupFiles.rename(path, to: folder + name)
    }
    try writing.reached(.removed)
  }

  // MARK: Words

  /// What was answered, and nothing else of the file.
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
    var text = "Hearth \(hearthVersion) did not set up this hub at \(now.rfc3339). Nothing was changed.\n\n"
    for problem in problems.prefix(Self.problemLimit) { text += render(problem) + "\n" }
    if problems.count > Self.problemLimit { text += "\(problems.count - Self.problemLimit) more\n\n" }
    return text
      + """
      The file is called hearth-setup.failed.yaml now. Correct it, call it hearth-setup.yaml again, and start the
      machine anew.

      """
  }

  /// Problems that are told in full.
  private static let problemLimit = 20

  /// A file with the path that it was read from.
  private struct Record {
    let path: String
    let bytes: [UInt8]

    func write(_ file: String) throws(HearthError) {
      try SetupFiles.replace(file, with: Array(path.utf8) + [0x0A] + bytes, mode: 0o600)
    }

    /// nil: there is none. One that is damaged is none: it is written whole or not at all.
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
