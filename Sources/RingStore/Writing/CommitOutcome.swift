// What came of one transaction, for the loop.

struct CommitOutcome: Sendable {
  var extent: StoreSummary
  var losses: [RingLoss] = []
  /// Bytes kept of items that are not whole, given up to make room.
  var stagedLosses: [StagedLoss] = []
  /// Durable only with what is written next: another commit waits already (`Environment.prove`).
  var isRootLeft = false
  /// Heads of long values that were wrong and were written again.
  var headsMended = 0
}
