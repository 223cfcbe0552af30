// A file of a scheduled export while it is written.

import Glibc
import Reasons

/// A draft that is being written.
final class DeliveryFile {
  let name: String
  let output: Output
  private let draft: String
  private var descriptor: Int32

  /// - Throws: `storeInputOutput`.
  init(_ name: String, in folder: DeliveryFolder) throws(HearthError) {
    (self.name, draft) = (name, folder.draft(name))
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
