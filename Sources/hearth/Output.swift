// Standard output and standard error as descriptors: buffered, and able to detect a reader that has left.

import Glibc
import Reasons

/// The reader of standard output has left (`| head`). This is no error, but further output is pointless.
struct ReaderGone: Error {}

/// A descriptor for text.
final class Output {
  nonisolated(unsafe) static let standard = Output(1)
  nonisolated(unsafe) static let error = Output(2)

  private static let limit = 64 << 10
  private let descriptor: Int32
  private let name: String
  private var pending: [UInt8] = []
  /// Bytes that were taken.
  private(set) var size = 0

  /// - Parameter name: what an error calls it.
  init(_ descriptor: Int32, name: String = "standard output") { (self.descriptor, self.name) = (descriptor, name) }

  /// - Throws: `ReaderGone`, or `storeInputOutput` if the output is a file on a full disk.
  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    pending += bytes
    size += bytes.count
    if pending.count >= Self.limit { try flush() }
  }

  func flush() throws {
    var start = 0
    defer { pending.removeAll(keepingCapacity: true) }
    while start < pending.count {
      let count = pending.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + start }, pending.count - start)
      }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { throw ReaderGone() }
        throw failure(errno)
      }
      start += count
    }
  }

  /// Flushes, and waits until the output is on disk if it is a file.
  ///
  /// - Throws: as `write`.
  func settle() throws {
    try flush()
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, fsync(descriptor) != 0 {
      throw failure(errno)
    }
  }

  private func failure(_ code: Int32) -> HearthError {
    HearthError(.storeInputOutput, "\(name): \(String(cString: strerror(code)))")
  }

  /// Writes at once and ignores failures, for messages about errors.
  func say(_ text: String) {
    let line = text.hasSuffix("\n") || text.isEmpty ? text : text + "\n"
    try? write(line)
    try? flush()
  }
}

/// Whether text may have colour, and its largest width.
struct Style: Sendable {
  var isColoured: Bool
  /// Columns of the terminal; nil: lines are not folded.
  var width: Int? = 80

  static let plain = Style(isColoured: false)

  /// Colour only on a capable terminal, and not if `NO_COLOR` is set (no-color.org).
  static var ofStandardOutput: Style {
    let forbids = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return Style(isColoured: Terminal.isCapable(1) && !forbids, width: Terminal.width(1))
  }

  func good(_ text: String) -> String { painted(text, "32") }
  func attention(_ text: String) -> String { painted(text, "33") }
  func bold(_ text: String) -> String { painted(text, "1") }

  private func painted(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// Prints an error in the form of all messages of the hub: code, area and detail; effect on samples; next step.
func complain(_ error: HearthError) { Output.error.say(folded(render(error), Terminal.width(2))) }
