// Sources of log lines: journalctl, as a child without a shell, or a file.

import Glibc
import HubProtocol
import Reasons

/// Lines of a descriptor, each with a bounded length.
struct LineReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private var isSkipping = false
  private var isAtEnd = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Whether a read would block.
  var wouldWait: Bool {
    if buffer[start...].contains(0x0A) { return false }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 0
  }

  /// Returns the next line without its end; too long lines are cut. nil at the end.
  mutating func next() -> [UInt8]? {
    while true {
      if let end = buffer[start...].firstIndex(of: 0x0A) {
        let line = Array(buffer[start..<end].prefix(LogEntry.lineLimit))
        start = end + 1
        if isSkipping {
          isSkipping = false
          continue
        }
        return line
      }
      if isAtEnd {
        let rest = isSkipping ? [] : Array(buffer[start...])
        (buffer, start) = ([], 0)
        return rest.isEmpty ? nil : rest
      }
      if buffer.count - start > LogEntry.lineLimit {
        let line = isSkipping ? [] : Array(buffer[start...].prefix(LogEntry.lineLimit))
        (buffer, start) = ([], 0)
        if isSkipping { continue }
        isSkipping = true
        return line
      }
      fill()
    }
  }

  private mutating func fill() {
    buffer.removeFirst(start)
    start = 0
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    var count = read(descriptor, &piece, piece.count)
    while count < 0, errno == EINTR { count = read(descriptor, &piece, piece.count) }
    if count > 0 { buffer += piece[..<count] } else { isAtEnd = true }
  }
}

/// A running journalctl, and its standard output.
struct JournalChild {
  let output: Int32
  private let process: pid_t

  /// - Throws: `logUnavailable` if journalctl is missing or cannot be started.
  init(_ arguments: [String]) throws(HearthError) {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { throw Self.refusal("no pipe to journalctl: \(String(cString: strerror(errno)))") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    var words: [UnsafeMutablePointer<CChar>?] = (["journalctl"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    // A signal that this program ignores would be ignored by the child too. Then the child would not notice that its
    // reader has left.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var child: pid_t = 0
    let code = posix_spawnp(&child, "journalctl", &actions, &attributes, &words, environ)
    close(ends[1])
    if code != 0 {
      close(ends[0])
      throw Self.refusal(
        code == ENOENT
          ? "this machine has no journalctl: hearthd does not run under systemd here"
          : "journalctl cannot be run: \(String(cString: strerror(code)))")
    }
    output = ends[0]
    process = child
  }

  /// Ends the child if it still runs.
  ///
  /// - Returns: its own exit status; 0 if it was ended here.
  func end(isDone: Bool) -> Int32 {
    close(output)
    if !isDone { kill(process, SIGTERM) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return isDone ? (status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)) : 0
  }

  static func refusal(_ why: String) -> HearthError { HearthError(.logUnavailable, why) }
}
