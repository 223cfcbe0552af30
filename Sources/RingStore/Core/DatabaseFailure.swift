// Why something was not read or written.

internal import CLMDB
internal import Glibc

/// A call into LMDB that failed. Positive codes are errno values, negative ones LMDB's own.
struct DatabaseFailure: Error {
  let call: String
  let code: Int32

  /// The environment refuses everything until it is opened again: a page of its own roots could not be written.
  var isPanic: Bool { code == MDB_PANIC }
  /// Roots were written and nobody knows whether they will ever be on the disk.
  var isOfRoots: Bool { isPanic || call == Environment.proving }
  /// What LMDB reads of its own pages contradicts itself.
  var isOfPages: Bool { code == MDB_CORRUPTED }
  /// What the kernel has in memory of the file may differ from what the disk has, and it does not say so twice.
  var spoilsCache: Bool { isOfRoots || code == EIO }
  var text: String { "\(call): \(String(cString: mdb_strerror(code)))" }
}

@inline(__always)
func check(_ call: @autoclosure () -> Int32, _ name: String) throws(DatabaseFailure) {
  let code = call()
  if code != 0 { throw DatabaseFailure(call: name, code: code) }
}

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
