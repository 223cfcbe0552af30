// Successive commits of samples, and their state as shared between loop and disk.
//
// LMDB waits twice in a commit: for its pages, then for the root that names them. If another commit waits already, its
// wait for pages covers the root too, so that a busy disk waits once a commit. A commit counts as durable only when its
// root is.

internal import Synchronization

/// Commits of samples that follow each other without trouble.
final class CommitChain: Sendable {
  private let newest = Atomic<UInt64>(0)
  private let broken = Atomic(false)

  /// The number of the last one that was given to the disk. Set by the loop.
  var last: UInt64 {
    get { newest.load(ordering: .relaxed) }
    set { newest.store(newValue, ordering: .relaxed) }
  }

  /// A commit failed: later ones may not be written before it was. Set on the disk's side, which may have the next one
  /// in its hands before the loop knows, and on the loop.
  var isBroken: Bool {
    get { broken.load(ordering: .relaxed) }
    set { broken.store(newValue, ordering: .relaxed) }
  }

  /// - Throws: `behindFailure` once one of them has failed.
  func check() throws(DatabaseFailure) {
    if isBroken { throw DatabaseFailure.behindFailure }
  }
}
