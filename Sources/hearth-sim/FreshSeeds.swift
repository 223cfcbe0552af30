// New seeds: drawn at random each time, each with a world of its own, and printed before the run.

import CivilTime
import Glibc
import Health
import Simulation

/// The value of `--seeds fresh:N`.
struct FreshSeeds {
  let count: Int

  /// nil: invalid.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "fresh", let count = Int(parts[1]), (1...1_000_000).contains(count) else {
      return nil
    }
    self.count = count
  }

  /// A world that takes one to three seconds of a processor; one in forty is some ten times as large.
  ///
  /// - Parameter bands: days of bands alone, half of them with a change of the clock; else worlds of the other
  ///   populations.
  static func draw(_ seed: UInt64, bands: Bool = false) -> TrialOptions {
    var draw = SeededRandom(seed: seed).split(0xF2_E5_4)
    let faults: HearthSim.FaultChoice = draw.chance(0.65) ? .all : .gym
    let isLarge = draw.chance(0.025)
    let isPolar = draw.chance(0.6)
    let isWard = draw.chance(0.4)
    var options = TrialOptions(seed: seed, visits: 0, wearables: 0, faults: faults)
    if bands {
      options.population = .bands
      options.days = 1
      options.wearables = isLarge ? draw.integer(in: 10...16) : draw.integer(in: 3...9)
      if draw.chance(0.5) { (options.zone, options.from) = changes[draw.below(changes.count)] }
    } else if isPolar {
      options.population = .polar
      options.days = isLarge ? draw.integer(in: 4...7) : draw.integer(in: 1...3)
      options.wearables = isLarge ? draw.integer(in: 8...12) : draw.integer(in: 3...8)
    } else if isWard {
      options.population = .ward
      options.days = isLarge ? draw.integer(in: 2...4) : 1
      options.wearables = isLarge ? draw.integer(in: 16...40) : draw.integer(in: 8...16)
    } else {
      options.visits = isLarge ? 5000 : draw.integer(in: 200...900)
      options.wearables = isLarge ? draw.integer(in: 16...40) : draw.integer(in: 2...12)
      options.adapters = draw.chance(0.5) ? draw.integer(in: 2...5) : 1
    }
    return options
  }

  /// Days with a change of the clock within 24 hours from 10:00 UTC: in either direction, by an hour and by half an
  /// hour.
  private static let changes: [(String, LocalDate?)] = [
    ("Europe/Berlin", "2026-03-28"), ("Europe/Berlin", "2026-10-24"), ("America/New_York", "2026-03-07"),
    ("America/New_York", "2026-10-31"), ("Australia/Lord_Howe", "2026-04-04"), ("Australia/Lord_Howe", "2026-10-03"),
  ].map { ($0, LocalDate(text: $1)) }

  /// Draws a seed from the system's random source; short enough to be read aloud.
  static func newSeed() -> UInt64 { UInt64.random(in: 1_000_000...999_999_999) }
}

/// Runs a seed in a process of its own: a crash, an endless run and leftovers affect only this run.
enum ChildRun {
  /// Output and failure; nil: it succeeded.
  static func run(_ arguments: [String], processorSeconds: UInt) -> (output: String, failure: String?) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return ("", "no pipe (errno \(errno))") }
    defer { close(ends[0]) }
    let words = ["hearth-sim"] + arguments
    var argv = words.map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    // The child inherits the limit.
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
    let before = limit
    limit.rlim_cur = min(limit.rlim_max, rlim_t(processorSeconds))
    var child = pid_t()
    setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
    let error = posix_spawn(&child, "/proc/self/exe", &actions, nil, &argv, environ)
    var own = before
    setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &own)
    close(ends[1])
    if error != 0 { return ("", "it could not be started (errno \(error))") }
    let output = read(ends[0])
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    let code = status >> 8 & 0xFF
    if signal == SIGXCPU { return (output, "it came to no end in \(processorSeconds) s of processor time") }
    if signal != 0 { return (output, "it was ended by signal \(signal)") }
    return (output, code == 0 ? nil : "exit status \(code)")
  }

  private static func read(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
