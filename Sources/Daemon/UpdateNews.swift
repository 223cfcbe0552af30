// Report of the last update: the record that hearth-update keeps, read when the hub starts or reads its configuration
// again.

import Glibc
import Hub
import Reasons
import Updates

extension DaemonRun {
  /// Shows an update that was reverted or got stuck, until a better one or an operator removes it from the record.
  func noteUpdate() {
    guard let path = parts.updateRecordPath else { return }
    let trouble = UpdateFile.read(path)?.trouble
    if let trouble { logger.error("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)"]) }
    hub?.noteUpdate(trouble)
  }
}

/// File of an `UpdateRecord`: some hundred bytes in a folder of root.
enum UpdateFile {
  /// nil if the file is missing or no valid record.
  static func read(_ path: String) -> UpdateRecord? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0 { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: UpdateRecord.limit + 1)
    var length = 0
    while length < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + length }, buffer.count - length)
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      length += count
    }
    return UpdateRecord(String(decoding: bytes[..<length], as: UTF8.self))
  }
}
