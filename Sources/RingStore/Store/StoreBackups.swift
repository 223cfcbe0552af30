// Backups of an open store.

public import EventLoop
public import Reasons

extension Store {
  /// Begins a backup of everything that is durable, what waits in memory included. Ends the one before.
  ///
  /// - Throws: as `flush`; `storeInputOutput`.
  public func beginBackup(samples: Bool) async throws(HearthError) -> BackupSession {
    try await flush()
    hold(nil)
    guard let environment = disk.environment, !disk.isClosing else {
      throw HearthError(.storeFailing, "\(disk.options.path) is not open")
    }
    do {
      let session = try BackupSession(disk.loop, registry.secrets, environment, samples: samples)
      hold(session)
      return session
    } catch {
      throw HearthError(.storeInputOutput, "\(disk.options.path): \(error.text)")
    }
  }

  /// When the newest backup was made that somebody told of; nil: there is none.
  public func lastBackup() throws(HearthError) -> WallTime? {
    try disk.reading { transaction throws(DatabaseFailure) in try BackupMark.load(transaction) }
  }

  /// Keeps when a backup was made; durable when it returns.
  public func keepBackup(at time: WallTime) async throws(HearthError) {
    try await disk.change(pages: 8) { transaction throws(DatabaseFailure) in try BackupMark.keep(transaction, time) }
  }
}
