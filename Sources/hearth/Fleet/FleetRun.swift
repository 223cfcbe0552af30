// Child processes in parallel: bounded output, a common timeout, and no process left behind.
//
// A single poll covers all pipes. Foundation's Process waits with select, which takes no descriptor above 1023.

import Glibc

/// The end of a child.
enum FleetEnd: Sendable, Hashable {
  case exited(Int32)
  case killed(Int32)
  /// Hub still running, or not started yet, at the timeout.
  case late
  /// The output exceeded its limit.
  case flooded
  /// errno of posix_spawn or pipe.
  case notStarted(Int32)
}

/// Output and end of a child.
struct FleetOutcome: Sendable, Hashable {
  var end: FleetEnd
  var output: [UInt8] = []
  /// First bytes of standard error.
  var errors: [UInt8] = []
}

struct FleetBounds: Sendable {
  var atOnce = 32
  /// Limit for one child. An answer of a hub is below 1 MB; a log of 100,000 lines has about 15 MB.
  var outputBytes = 16 << 20
  /// Limit for all children together. Their output is in memory until the last one has ended.
  var totalBytes = 256 << 20
  var errorBytes = 64 << 10
  /// Timeout for all, in milliseconds.
  var patience: Int64 = 60_000
  /// Milliseconds between the request to end a child and the forced end.
  var grace: Int64 = 300
}

final class FleetRun {
  private struct Child {
    let index: Int
    let process: pid_t
    /// -1 after it was closed.
    var output: Int32
    var errors: Int32
    var outcome = FleetOutcome(end: .late)
  }

  private let commands: [[String]]
  private let bounds: FleetBounds
  private let isInterrupted: () -> Bool
  private let progress: ([Int]) -> Void
  private var outcomes: [FleetOutcome]
  private var running: [Child] = []
  private var next = 0
  private var total = 0
  private var piece = [UInt8](repeating: 0, count: 64 << 10)

  private init(
    _ commands: [[String]], _ bounds: FleetBounds, _ isInterrupted: @escaping () -> Bool,
    _ progress: @escaping ([Int]) -> Void
  ) {
    self.commands = commands
    self.bounds = bounds
    self.isInterrupted = isInterrupted
    self.progress = progress
    outcomes = Array(repeating: FleetOutcome(end: .late), count: commands.count)
  }

  /// Runs all commands, at most `atOnce` at a time.
  ///
  /// - Parameters:
  /// - isInterrupted: called several times a second.
  /// - progress: called as often, with the indices of the running ones.
  /// - Returns: outcomes in the order of the commands, after the end of every child; nil after an interruption, when
  ///   every child has been ended.
  static func run(
    _ commands: [[String]], _ bounds: FleetBounds, isInterrupted: @escaping () -> Bool = { false },
    progress: @escaping ([Int]) -> Void = { _ in }
  ) -> [FleetOutcome]? {
    let run = FleetRun(commands, bounds, isInterrupted, progress)
    return run.runAll() ? run.outcomes : nil
  }

  private func runAll() -> Bool {
    let end = Self.now() + bounds.patience
    while next < commands.count || !running.isEmpty {
      if isInterrupted() {
        stop(Array(running.indices), as: .late)
        return false
      }
      let left = end - Self.now()
      if left <= 0 {
        stop(Array(running.indices), as: .late)
        return true
      }
      while running.count < bounds.atOnce, next < commands.count { start() }
      progress(running.map(\.index))
      wait(left)
      reap()
    }
    return true
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  // MARK: Waiting

  /// Milliseconds. A signal that comes just before poll is noticed after this time.
  private static let tick: Int64 = 100
  /// Milliseconds. A child with closed pipes is about to end.
  private static let endTick: Int64 = 5

  private func wait(_ left: Int64) {
    var entries: [pollfd] = []
    var isEnding = false
    for child in running {
      // poll skips descriptors below 0.
      entries.append(pollfd(fd: child.output, events: Int16(POLLIN), revents: 0))
      entries.append(pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0))
      if child.output < 0, child.errors < 0 { isEnding = true }
    }
    if poll(&entries, nfds_t(entries.count), Int32(min(left, isEnding ? Self.endTick : Self.tick))) <= 0 { return }
    var flooded: [Int] = []
    for place in running.indices {
      if entries[2 * place].revents != 0 { readOutput(place) }
      if entries[2 * place + 1].revents != 0 { readErrors(place) }
      if isFlooded(place) { flooded.append(place) }
    }
    if !flooded.isEmpty { stop(flooded, as: .flooded) }
  }

  private func isFlooded(_ place: Int) -> Bool {
    running[place].outcome.output.count > bounds.outputBytes || total > bounds.totalBytes
  }

  private func readOutput(_ place: Int) {
    guard let count = take(running[place].output) else {
      running[place].output = -1
      return
    }
    running[place].outcome.output += piece[..<count]
    total += count
  }

  private func readErrors(_ place: Int) {
    guard let count = take(running[place].errors) else {
      running[place].errors = -1
      return
    }
    let room = bounds.errorBytes - running[place].outcome.errors.count
    running[place].outcome.errors += piece[..<min(count, max(0, room))]
  }

  /// Reads once; nil at the end, after the descriptor was closed.
  private func take(_ descriptor: Int32) -> Int? {
    var count = read(descriptor, &piece, piece.count)
    while count < 0, errno == EINTR { count = read(descriptor, &piece, piece.count) }
    if count > 0 { return count }
    close(descriptor)
    return nil
  }

  // MARK: Begin and end of a child

  private func start() {
    let index = next
    next += 1
    guard let output = Self.pipe() else {
      outcomes[index].end = .notStarted(errno)
      return
    }
    guard let errors = Self.pipe() else {
      outcomes[index].end = .notStarted(errno)
      close(output.read)
      close(output.write)
      return
    }
    let spawned = spawn(commands[index], output: output.write, errors: errors.write)
    close(output.write)
    close(errors.write)
    switch spawned {
    case .success(let process):
      running.append(Child(index: index, process: process, output: output.read, errors: errors.read))
    case .failure(let failure):
      outcomes[index].end = .notStarted(failure.code)
      close(output.read)
      close(errors.read)
    }
  }

  /// A pipe with ends that no other child inherits. nil: see errno.
  private static func pipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    if Glibc.pipe(&ends) != 0 { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private struct SpawnFailure: Error { let code: Int32 }

  /// POSIX_SPAWN_SETSID of spawn.h, which Swift does not import.
  private static let inOwnSession: Int32 = 0x80

  /// Starts a child in its own session. Its process group can be ended as a whole, as ssh may have children
  /// (ProxyCommand), and no member has a terminal for questions. Signals are reset to defaults: this program ignores
  /// SIGPIPE and catches Ctrl-C.
  private func spawn(_ words: [String], output: Int32, errors: Int32) -> Result<pid_t, SpawnFailure> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(
      &attributes, Int16(Self.inOwnSession | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for word in arguments { free(word) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
    return code == 0 ? .success(process) : .failure(SpawnFailure(code: code))
  }

  /// Collects children that have ended, with their whole output.
  private func reap() {
    for place in running.indices.reversed() where hasEnded(running[place].process) {
      // A grandchild may still hold the pipes; their present content is the answer.
      drain(place)
      // The process number stays reserved until the leader of the group is collected.
      kill(-running[place].process, SIGTERM)
      let status = collect(running[place].process)
      finish(place, isFlooded(place) ? .flooded : status)
    }
  }

  private func hasEnded(_ process: pid_t) -> Bool {
    var info = siginfo_t()
    info.si_signo = 0
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_signo == SIGCHLD
  }

  private func collect(_ process: pid_t) -> FleetEnd {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .killed(status & 0x7F)
  }

  private func drain(_ place: Int) {
    func isReady(_ descriptor: Int32) -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return descriptor >= 0 && poll(&entry, 1, 0) > 0
    }
    while isReady(running[place].output), !isFlooded(place) { readOutput(place) }
    // A pipe holds 64 KiB. More bytes come only from a process that goes on writing.
    for _ in 0..<16 where isReady(running[place].errors) { readErrors(place) }
  }

  private func finish(_ place: Int, _ end: FleetEnd) {
    var child = running.remove(at: place)
    for descriptor in [child.output, child.errors] where descriptor >= 0 { close(descriptor) }
    child.outcome.end = end
    if end == .flooded || end == .late {
      total -= child.outcome.output.count
      child.outcome.output = []
    }
    outcomes[child.index] = child.outcome
  }

  /// Ends children: first by a request, then by force.
  private func stop(_ places: [Int], as end: FleetEnd) {
    for place in places { kill(-running[place].process, SIGTERM) }
    let limit = Self.now() + bounds.grace
    while Self.now() < limit, !places.allSatisfy({ hasEnded(running[$0].process) }) { usleep(5000) }
    for place in places.sorted(by: >) {
      kill(-running[place].process, SIGKILL)
      _ = collect(running[place].process)
      finish(place, end)
    }
  }
}
