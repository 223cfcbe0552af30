// The methods of `io.hearth.Hub` about backups. What they give has keys in clear: it is for administrators
// (`AccessRules`).

public import EventLoop
internal import HubProtocol
import JSONText
public import Reasons
public import RingStore

/// What the control socket needs of a hub about its backups.
@LoopActor
public protocol BackupService: AnyObject {
  /// Of everything that is durable; ends the one before.
  func beginBackup(samples: Bool) async throws(HearthError) -> BackupSession
  /// What became of one. Durable when it returns.
  func noteBackup(_ outcome: Result<WallTime, HearthError>) async throws(HearthError)
}

extension HubInterface {
  /// nil if the method is none of these.
  func performBackup(_ call: VarlinkCall) async throws(VarlinkError) -> JSON? {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "BackupNext":
      let begins = try parameters.optionalTruth("begin") ?? false
      let samples = try parameters.optionalTruth("samples") ?? false
      try parameters.end()
      return try await backupNext(begins, samples)
    case "BackupTell":
      let madeAt = try parameters.optionalInteger("made_at", 0...Int64.max)
      let failure = try parameters.optionalText("failure")
      try parameters.end()
      guard (madeAt == nil) != (failure == nil) else { throw .invalidParameter("made_at") }
      return try await changed(madeAt == nil ? "tell that a backup failed" : "tell of a backup") {
        () async throws(HearthError) in
        if let madeAt {
          try await service.noteBackup(.success(WallTime(microseconds: madeAt)))
        } else {
          try await service.noteBackup(.failure(HearthError(.backupFailed, harmless(failure ?? "", limit: 200))))
        }
        return [:]
      }
    default: return nil
    }
  }

  private func backupNext(_ begins: Bool, _ samples: Bool) async throws(VarlinkError) -> JSON {
    do throws(HearthError) {
      try server.access.refuseKeys(connection.peer, "a backup")
      if begins {
        connection.backup = try await service.beginBackup(samples: samples)
        server.noteChange("read everything\(samples ? " and all samples" : "") for a backup", by: connection.peer)
      }
      guard let session = connection.backup else {
        throw HearthError(.controlBadParameter, "no backup was begun on this connection")
      }
      let page = try session.page()
      if page.isLast { connection.backup = nil }
      return ["page": .string(Base64.text(page.bytes)), "last": .bool(page.isLast)]
    } catch {
      connection.backup = nil
      throw .refused(error)
    }
  }
}
