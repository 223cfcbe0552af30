// Whether the hub's backups are as young as they are wanted.

import EventLoop
import Reasons

/// What is known of backups: when the newest was made, and whether the last one failed.
struct BackupWatch {
  private(set) var madeAt: WallTime?
  private var failure: HearthError?
  /// The hub's start: without any backup the time counts from it.
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

  /// What a person should know; nil where all is well, and where none are wanted and none failed.
  func trouble(every: Duration?, _ now: WallTime) -> HearthError? {
    if let failure { return failure }
    guard let every, now - (madeAt ?? since) > every * 2 else { return nil }
    return HearthError(.backupOverdue, madeAt.map { "the newest is of \($0.rfc3339)" } ?? "there is none yet")
  }
}
