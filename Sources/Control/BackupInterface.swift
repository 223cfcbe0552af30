// The methods of `io.hearth.Hub` about backups. What they give has keys in clear: it is for administrators
// (`AccessRules`).

internal import EventLoop
internal import HubProtocol
internal import JSONText
internal import Reasons
internal import RingStore

extension HubInterface {
  func backupNext(_ parameters: Methods.BackupNext.Parameters) async throws -> Methods.BackupNext.Reply {
    let samples = parameters.samples ?? false
    do {
      try server.access.refuseKeys(connection.peer, "a backup")
      if parameters.begin ?? false {
        connection.backup = try await stored.beginBackup(samples: samples)
        server.noteChange("read everything\(samples ? " and all samples" : "") for a backup", by: connection.peer)
      }
      guard let session = connection.backup else {
        throw HearthError(.controlBadParameter, "no backup was begun on this connection")
      }
      let page = try session.page()
      if page.isLast { connection.backup = nil }
      return .init(page: Base64.text(page.bytes), last: page.isLast)
    } catch {
      connection.backup = nil
      throw error
    }
  }

  func backupTell(_ parameters: Methods.BackupTell.Parameters) async throws {
    let (madeAt, failure) = (parameters.madeAt, parameters.failure)
    guard (madeAt == nil) != (failure == nil) else { throw VarlinkError.invalidParameter("made_at") }
    try await changed(madeAt == nil ? "report that a backup failed" : "report a backup") {
      if let madeAt {
        try await service.noteBackup(.success(WallTime(microseconds: madeAt)))
      } else {
        try await service.noteBackup(.failure(HearthError(.backupFailed, harmless(failure ?? "", limit: 200))))
      }
    }
  }
}
