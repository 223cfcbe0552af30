// Whether the hub's backups are recent enough.

import EventLoop
import Reasons

/// State of backups: time of the newest, and whether the last one failed.
struct BackupWatch {
  private(set) var madeAt: WallTime?
  private var failure: HearthError?
  /// The hub's start: without any backup the age counts from it.
  private let since: WallTime

  init(madeAt: WallTime?, since: WallTime) {
    self.madeAt = madeAt
    self.since = since
  }

  mutating func note(_ outcome: Result<WallTime, HearthError>) {
    switch outcome {
    case .success(let time):
      madeAt = max(madeAt ?? time, time)
      failure = nil
    case .failure(let error): failure = error
    }
  }

  /// The trouble to show; nil if all is well, or if no backups are configured and no backup failed.
  func trouble(every: Duration?, _ now: WallTime) -> HearthError? {
    if let failure { return failure }
    guard let every, now - (madeAt ?? since) > every * 2 else { return nil }
    return HearthError(.backupOverdue, madeAt.map { "the newest is of \($0.rfc3339)" } ?? "no backup was made yet")
  }
}
