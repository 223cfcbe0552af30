// Removals that were planned: performed, and read back.

import CivilTime
import EventLoop
import Health
import MessageReading
import PolarMessages
import Wearable

extension PSFTPClient {
  /// Performs a call, and reads back whether the path is gone. A path that did not exist counts as removed.
  func remove(_ call: RemovalCall) async throws(VisitTrouble) -> RemovalOutcome {
    guard let message = PSFTP.Message.request(.remove, call.path) else { throw .unsupported("an invalid path") }
    switch try await perform(message, limit: Self.queryLimit).answer {
    case .done, .failed(.noSuchFileOrDirectory): break
    case .failed(.operationNotPermitted): return .notNow("\(call.path): \(PSFTPError.operationNotPermitted.text)")
    case .failed(let error): throw trouble(error, message.what)
    }
    if try await exists(call.path) { return .ineffective("\(call.path) is still there") }
    if call.clearsParents { try await removeEmptyDirectories(from: PolarPath.parent(call.path)) }
    return .erased
  }

  private func exists(_ path: String) async throws(VisitTrouble) -> Bool {
    guard let parent = PolarPath.parent(path), let directory = try await list(parent) else { return false }
    let name = path.dropFirst(parent.count)
    return directory.entries.contains { $0.name == name || $0.name == name + "/" }
  }
}

extension PSFTP {
  /// The day of a file of automatic samples; nil for a file without a day.
  static func sampleDay(_ file: [UInt8]) -> LocalDate? {
    guard let message = try? automaticSamples(file), message.hasDay else { return nil }
    return ClockFace.date(message.day)
  }

  /// Decodes the file up to its day. Of repeated day fields the first one counts.
  private static func automaticSamples(_ file: [UInt8]) throws -> PbAutomaticSampleSessions {
    var reader = MessageReader<PbAutomaticSampleSessions>(
      FileShape.automatic, PolarFile.Kind.automaticSamples.bounds)
    var place = 0
    while place < file.count, !reader.message.hasDay {
      let count = try file[place...].withUnsafeBytes { try reader.next($0) }
      if count == 0 { throw ReadingDefect.malformed }
      place += count
    }
    return reader.message
  }
}
