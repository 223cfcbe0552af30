// Lines for somebody else to read, which never wait for that reader.

internal import CLinux
internal import Glibc
internal import Synchronization

/// The end of a log that another process drains: journald, a terminal, a pipe.
///
/// A reader that stands still (journald, while it waits for a card) stops nothing here: a line that does not fit at
/// once is counted and left out, and how many those were is one line before the next that fits. Of a line that fitted
/// in part, the rest goes first. From any thread.
public final class LogOutput: Sendable {
  public static let standardError = LogOutput(2)

  private struct State {
    var rest: [UInt8] = []
    var missing = 0
  }

  /// What the kernel takes without waiting depends on what the descriptor is.
  private enum Kind {
    case socket
    /// Opened once more for this process: a flag on the one that was inherited would be its parent's, too.
    case unblocked(Int32)
    /// A pipe or terminal of another user: asked before each write. A pipe with room has at least 4096 bytes of it.
    case asked
    /// A file waits for a disk and for nobody's reading.
    case file
  }

  private let descriptor: Int32
  private let kind: Kind
  private let state = Mutex(State())

  /// - Parameter descriptor: stays the caller's, and open for as long as this is.
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

  /// Writes one line, or counts it.
  /// - Parameters:
  ///   - line: with its line feed.
  ///   - missing: a line that says how many are left out before this one.
  public func write(_ line: String, missing: (_ count: Int) -> String) {
    state.withLock { state in
      // In one piece: a short line may fit where this one does not.
      let text = state.missing == 0 ? line : missing(state.missing) + line
      if sendRest(&state.rest), send(text, &state.rest) { state.missing = 0 } else { state.missing += 1 }
    }
  }

  /// - Returns: false where something of it is left.
  private func sendRest(_ rest: inout [UInt8]) -> Bool {
    if rest.isEmpty { return true }
    let taken = rest.withUnsafeBytes { attempt($0) }
    rest.removeFirst(max(taken, 0))
    return rest.isEmpty
  }

  /// - Returns: false where nothing of it was taken.
  private func send(_ line: String, _ rest: inout [UInt8]) -> Bool {
    var line = line
    return line.withUTF8 { bytes in
      let taken = attempt(UnsafeRawBufferPointer(bytes))
      if taken > 0 { rest = Array(bytes[taken...]) }
      return taken > 0
    }
  }

  /// How many bytes were taken; -1: none.
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
