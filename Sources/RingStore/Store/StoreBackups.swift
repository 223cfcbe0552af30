// Backups of an open store.

public import EventLoop
public import Reasons

extension Store {
  /// Begins a backup of all durable data; commits what waits in memory first. Ends an earlier backup.
  ///
  /// - Throws: the store's error, see `Store`.
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

  /// The time of the newest recorded backup; nil before the first.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func lastBackup() throws(HearthError) -> WallTime? {
    try disk.reading { transaction throws(DatabaseFailure) in try BackupMark.load(transaction) }
  }

  /// Records when a backup was made; durable on return.
  ///
  /// - Throws: the disk's error, see `Store`.
  public func keepBackup(at time: WallTime) async throws(HearthError) {
    try await disk.change(pages: 8) { transaction throws(DatabaseFailure) in try BackupMark.keep(transaction, time) }
  }
}
