// Children side by side: each with its output in bounds, all of them within one time, and none left behind.
//
// One poll over all pipes. Foundation's Process waits with select, which takes no descriptor above 1023.

import Glibc

/// How a child ended.
enum FleetEnd: Sendable, Hashable {
  case exited(Int32)
  case killed(Int32)
  /// It was still running, or its turn had not come, when the time was over.
  case late
  /// It said more than is read.
  case flooded
  /// The errno of posix_spawn or pipe.
  case notStarted(Int32)
}

/// What a child said, and how it ended.
struct FleetOutcome: Sendable, Hashable {
  var end: FleetEnd
  var output: [UInt8] = []
  /// Of standard error the begin.
  var errors: [UInt8] = []
}

struct FleetBounds: Sendable {
  var atOnce = 32
  /// Of one child. What a hub says in one answer is below 1 MB; a log of 100,000 lines has some 15.
  var outputBytes = 16 << 20
  /// Of all together, which are in memory until the last one has ended.
  var totalBytes = 256 << 20
  var errorBytes = 64 << 10
  /// Milliseconds for all.
  var patience: Int64 = 60_000
  /// Milliseconds between asking a child to end and ending it.
  var grace: Int64 = 300
}

final class FleetRun {
  private struct Child {
    let index: Int
    let process: pid_t
    /// -1 where it is closed.
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

  /// Runs each command, at most `atOnce` together.
  ///
  /// - Parameters:
  ///   - isInterrupted: asked several times a second.
  ///   - progress: told as often of the places of those that run.
  /// - Returns: outcomes in the order of the commands, when every child has ended; nil if it was interrupted, when
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

  /// A signal that comes just before poll is seen after this. Milliseconds.
  private static let tick: Int64 = 100
  /// A child whose pipes are closed is about to end. Milliseconds.
  private static let endTick: Int64 = 5

  private func wait(_ left: Int64) {
    var entries: [pollfd] = []
    var isEnding = false
    for child in running {
      // poll passes over what is below 0.
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

  /// Reads once what is there; nil at the end, where the descriptor is closed.
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

  /// No other child has its ends. nil: errno says why.
  private static func pipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    if Glibc.pipe(&ends) != 0 { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private struct SpawnFailure: Error { let code: Int32 }

  /// POSIX_SPAWN_SETSID of spawn.h, which Swift does not see.
  private static let inOwnSession: Int32 = 0x80

  /// In a session of its own: its process group is ended as one, as ssh may have children (ProxyCommand), and none of
  /// them has a terminal to ask at. Signals are as a fresh process has them: this program ignores SIGPIPE and takes
  /// Ctrl-C.
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

  /// Takes those that have ended, with all that they said.
  private func reap() {
    for place in running.indices.reversed() where hasEnded(running[place].process) {
      // A child of the child may have the pipes still; what is in them now is the answer.
      drain(place)
      // Until the leader of the group is taken, its number is nobody else's.
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
    // Pipes hold 64 KiB; more comes only from somebody who goes on.
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

  /// Ends children: first as asked, then by force.
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
