// Why a read or a write failed.

internal import CLMDB
internal import Glibc

/// A failed call into LMDB. Positive codes are errno values, negative ones LMDB's own.
struct DatabaseFailure: Error {
  let call: String
  let code: Int32

  /// Whether the environment refuses every call until it is opened again, because a root page could not be written.
  var isPanic: Bool { code == MDB_PANIC }
  /// Whether roots were written that may never reach the disk.
  var isOfRoots: Bool { isPanic || call == Environment.proving }
  /// Whether LMDB found a contradiction in its own pages.
  var isOfPages: Bool { code == MDB_CORRUPTED }
  /// Whether the kernel's cache of the file may differ from the disk. The kernel reports that only once.
  var spoilsCache: Bool { isOfRoots || code == EIO }
  var text: String { "\(call): \(String(cString: mdb_strerror(code)))" }
}

@inline(__always)
func check(_ call: @autoclosure () -> Int32, _ name: String) throws(DatabaseFailure) {
  let code = call()
  if code != 0 { throw DatabaseFailure(call: name, code: code) }
}

extension DatabaseFailure {
  /// Another transaction changed a ring between reading and writing. Stays inside the writer.
  static let conflict = DatabaseFailure(call: "conflict", code: ESTALE)
  var isConflict: Bool { call == "conflict" }
  /// A commit of samples that must not be written because an earlier one failed (`CommitChain`).
  static let behindFailure = DatabaseFailure(call: "commit behind one that failed", code: ESTALE)
  /// The only room left is that of samples of rings that refuse eviction. Stays inside the writer.
  static let refusal = DatabaseFailure(call: "refusal", code: ENOSPC)
  var isRefusal: Bool { call == "refusal" }
}
