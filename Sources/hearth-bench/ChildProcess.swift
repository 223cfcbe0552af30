// Programs started beside the benchmark, with only the descriptors that they need.

import Glibc

struct BenchFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A started program. The starter must wait for it.
struct ChildProcess {
  let pid: pid_t
  /// The read end of its standard output, if asked for.
  private let output: Int32?

  /// - Parameters:
  ///   - descriptor: given to the program as descriptor 3.
  ///   - readsOutput: keep its standard output for `finish`; else it shares ours.
  init(
    _ program: String, _ arguments: [String], descriptor: Int32? = nil, readsOutput: Bool = false, quiet: Bool = false
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var ends: [Int32] = [-1, -1]
    if readsOutput {
      guard pipe(&ends) == 0 else { throw BenchFailure("pipe: errno \(errno)") }
      for end in ends { setCloseOnExec(end) }
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    } else if quiet {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }

    var pid = pid_t()
    var argv = ([program] + arguments).map { strdup($0) }
    argv.append(nil)
    defer { for argument in argv { free(argument) } }
    let result = posix_spawnp(&pid, program, &actions, nil, argv, environ)
    if readsOutput { close(ends[1]) }
    guard result == 0 else {
      if readsOutput { close(ends[0]) }
      throw BenchFailure("\(program) could not be started: \(String(cString: strerror(result)))")
    }
    self.pid = pid
    output = readsOutput ? ends[0] : nil
  }

  /// Output, after a successful end.
  func finish() throws -> String {
    var text: [UInt8] = []
    if let output {
      var part = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(output, &part, part.count)
        if count > 0 { text.append(contentsOf: part[..<count]) } else if count == 0 || errno != EINTR { break }
      }
      close(output)
    }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      throw BenchFailure(
        """
        process \(pid) ended with \
        \(status & 0x7F == 0 ? "exit code \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)")
        """
      )
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Asks it to end, and waits for that.
  func terminate() {
    kill(pid, SIGTERM)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }
}

/// A connected pair that preserves message boundaries, as an ATT channel does. Not inherited by programs, unless it is
/// passed to one.
func packetPair() throws -> (Int32, Int32) {
  var pair: [Int32] = [-1, -1]
  guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
    throw BenchFailure("socketpair: errno \(errno)")
  }
  return (pair[0], pair[1])
}

private func setCloseOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

/// The path of this program, for starting it in another role.
func ownExecutable() throws -> String {
  var path = [UInt8](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &path, path.count)
  guard count > 0, count < path.count else { throw BenchFailure("/proc/self/exe cannot be read") }
  return String(decoding: path[..<count], as: UTF8.self)
}

/// Path of a program that is built beside this one.
func siblingProgram(_ name: String, of program: String) -> String {
  (program.lastIndex(of: "/").map { String(program[...$0]) } ?? "") + name
}

/// A new directory below `parent`, else below $TMPDIR or /tmp.
func temporaryDirectory(in parent: String? = nil) throws -> String {
  let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var template = Array((parent + "/hearth-bench.XXXXXX").utf8CString)
  guard mkdtemp(&template) != nil else { throw BenchFailure("\(parent) takes no directory: errno \(errno)") }
  return String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Removes what a receiver left in its directory, and the directory.
func removeDirectory(_ path: String) {
  if let directory = opendir(path) {
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name == "." || name == ".." { continue }
      if unlink("\(path)/\(name)") != 0 { removeDirectory("\(path)/\(name)") }
    }
    closedir(directory)
  }
  rmdir(path)
}

/// User and system time of all threads of this process.
func processCPU() -> Int64 {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  func nanoseconds(_ time: timeval) -> Int64 { Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000 }
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
}
