// Why something was not written though the disk did not fail.

internal import Glibc

extension DatabaseFailure {
  /// Somebody else changed a ring between reading and writing. Never leaves the writer.
  static let conflict = DatabaseFailure(call: "conflict", code: ESTALE)
  var isConflict: Bool { call == "conflict" }
  /// A commit of samples that may not be written before an earlier one is (`CommitChain`).
  static let behindFailure = DatabaseFailure(call: "commit behind one that failed", code: ESTALE)
  /// There is no room but that of samples which should have stayed on their wearable. Never leaves the writer either.
  static let refusal = DatabaseFailure(call: "refusal", code: ENOSPC)
  var isRefusal: Bool { call == "refusal" }
}
