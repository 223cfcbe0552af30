// A file of a scheduled export while it is written.

import Glibc
import Reasons

/// A draft that is being written.
final class DeliveryFile {
  private(set) var name: String
  let output: Output
  private let folder: DeliveryFolder
  private var draft: String
  private var descriptor: Int32

  /// - Throws: `storeInputOutput`.
  init(_ name: String, in folder: DeliveryFolder) throws(HearthError) {
    (self.name, self.folder, draft) = (name, folder, folder.draft(name))
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o640)
    if descriptor < 0 { throw DeliveryFolder.failure(draft, errno) }
    output = Output(descriptor, name: draft)
  }

  /// An incomplete one is of no use.
  deinit {
    if descriptor < 0 { return }
    close(descriptor)
    unlink(draft)
  }

  /// Gives the draft another ending.
  ///
  /// - Throws: `storeInputOutput`.
  func end(in ending: String) throws(HearthError) {
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    let new = "\(stem).\(ending)"
    if rename(draft, folder.draft(new)) != 0 { throw DeliveryFolder.failure(draft, errno) }
    (name, draft) = (new, folder.draft(new))
  }

  /// The draft is complete and on the disk when this returns.
  ///
  /// - Throws: `storeInputOutput`.
  func finish() throws {
    try output.settle()
    let code = close(descriptor) == 0 ? 0 : errno
    descriptor = -1
    if code != 0 {
      unlink(draft)
      throw DeliveryFolder.failure(draft, code)
    }
  }
}
