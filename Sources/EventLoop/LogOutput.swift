// Log output that never waits for its reader.

internal import CLinux
internal import Glibc
internal import Synchronization

/// Writing end of a log that another process drains: journald, a terminal, a pipe.
///
/// A stalled reader (journald, while it waits for a card) never blocks the hub. A line that does not fit at once is
/// dropped and counted; before the next line that fits, one line reports the count. The rest of a partly written line
/// is sent first. Callable from any thread.
public final class LogOutput: Sendable {
  /// Standard error of the process.
  public static let standardError = LogOutput(2)

  private struct State {
    var rest: [UInt8] = []
    var missing = 0
  }

  /// Kind of descriptor, which decides how much the kernel takes without waiting.
  private enum Kind {
    case socket
    /// Opened again for this process: a flag on the inherited descriptor would affect the parent as well.
    case unblocked(Int32)
    /// Pipe or terminal of another user: polled before each write. A pipe that is writable has room for at least 4096
    /// bytes.
    case asked
    /// File: writing waits for a disk, never for a reader.
    case file
  }

  private let descriptor: Int32
  private let kind: Kind
  private let state = Mutex(State())

  /// - Parameter descriptor: stays the caller's, and must be open as long as this object exists.
  public init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    switch fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG {
    case S_IFSOCK: kind = .socket
    case S_IFIFO, S_IFCHR:
      let own = hearth_open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)
      kind = own < 0 ? .asked : .unblocked(own)
    default: kind = .file
    }
  }

  deinit { if case .unblocked(let own) = kind { close(own) } }

  /// Writes one line, or counts it as dropped.
  /// - Parameters:
  ///   - line: with its line feed.
  ///   - missing: returns a line that reports the number of lines dropped before this one.
  public func write(_ line: String, missing: (_ count: Int) -> String) {
    state.withLock { state in
      // Sent in one piece: otherwise the short line might fit alone.
      let text = state.missing == 0 ? line : missing(state.missing) + line
      if sendRest(&state.rest), send(text, &state.rest) { state.missing = 0 } else { state.missing += 1 }
    }
  }

  /// - Returns: false if part of it is left.
  private func sendRest(_ rest: inout [UInt8]) -> Bool {
    if rest.isEmpty { return true }
    let taken = rest.withUnsafeBytes { attempt($0) }
    rest.removeFirst(max(taken, 0))
    return rest.isEmpty
  }

  /// - Returns: false if no byte was taken.
  private func send(_ line: String, _ rest: inout [UInt8]) -> Bool {
    var line = line
    return line.withUTF8 { bytes in
      let taken = attempt(UnsafeRawBufferPointer(bytes))
      if taken > 0 { rest = Array(bytes[taken...]) }
      return taken > 0
    }
  }

  /// Number of bytes taken; -1: no byte.
  private func attempt(_ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
      let taken: Int
      switch kind {
      case .socket: taken = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      case .unblocked(let own): taken = Glibc.write(own, bytes.baseAddress, bytes.count)
      case .asked:
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&question, 1, 0) == 1, question.revents & Int16(POLLOUT) != 0 else { return -1 }
        taken = Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
      case .file: taken = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if taken >= 0 || errno != EINTR { return taken }
    }
  }
}
