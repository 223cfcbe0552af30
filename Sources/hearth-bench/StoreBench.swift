// The store compared with SQLite and bare LMDB: written bytes, memory, speed.

import ArgumentParser
import EventLoop
import Glibc

struct StoreBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Measure flash writes, size, speed and memory of the store, beside SQLite and bare LMDB.",
    discussion: """
      Stores a simulated day of wearables, each with a heart rate and an RR interval per second. The stores are \
      Hearth's, SQLite and LMDB (sample by sample). SQLite runs in WAL mode: with synchronous=NORMAL once in a table \
      with an index and once WITHOUT ROWID, and with synchronous=FULL WITHOUT ROWID. It also runs as an expert would \
      use it, with packed rows, in both modes. All get the same samples in the \
      same order, with times in whole milliseconds, and commit at the same points. Time is virtual, so a day takes \
      seconds; commits are real, on a real disk. Each store runs in a process of its own, which measures its writes, \
      memory and time. Each reads everything back: any missing, doubled or changed sample fails the run.
      """)

  @Option(help: "Hours to simulate.")
  var hours = 24
  @Option(help: "Number of wearables, at most 512.")
  var wearables = 30
  @Option(help: "Seed of the data.")
  var seed: UInt64 = 1
  @Option(help: "Seconds between two commits.")
  var commit = 15
  @Option(help: "Folder on a disk for the measured stores.")
  var path = "/var/tmp"
  @Option(help: "Measure only this store: hearth, sqlite or lmdb.")
  var only: Only?
  @Option(help: "Number of rounds; the one with the median time counts.")
  var rounds = 1
  @Option(help: "Number of reading passes, and of openings of the big store; the median counts.")
  var passes = 5
  @Option(help: "Also fill a store to this size (as 1500MB) and measure its opening. Takes minutes.")
  var big: String?
  @Option(help: "Keep the filled store in this folder, and reuse one that is there.")
  var bigStore: String?
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Exit with 1 if a goal is missed.")
  var check = false

  enum Only: String, ExpressibleByArgument, CaseIterable { case hearth, sqlite, lmdb }

  func validate() throws {
    if !(1...24 * 366).contains(hours) || !(1...512).contains(wearables) {
      throw ValidationError("--hours is 1 to 8784, --wearables 1 to 512")
    }
    if !(1...900).contains(commit) || !(1...99).contains(rounds) || !(1...99).contains(passes) {
      throw ValidationError("--commit is 1 to 900, --rounds and --passes 1 to 99")
    }
    if big != nil, bigSize == nil { throw ValidationError("--big is a size of at least 2MB, as 1500MB or 1.5GB") }
    if bigStore != nil, big == nil { throw ValidationError("--big-store needs --big") }
  }

  func run() throws {
    let fileSystem = try FileSystem(of: path)
    if fileSystem.isMemory {
      throw BenchFailure("\(path) is on \(fileSystem.name), which is memory: give --path a directory on a disk")
    }
    let scratch = try temporaryDirectory(in: path)
    defer { removeDirectory(scratch) }
    let shape = LoadShape(wearables: wearables, hours: hours, seed: seed, commit: commit)
    let load = scratch + "/load"
    say("making the load")
    let content = try writeLoad(shape, to: load)
    var result = StoreResult(
      shape: shape, content: content, path: path, fileSystem: fileSystem.name,
      durablePage: try durablePageMilliseconds(in: scratch),
      rounds: rounds, passes: passes)
    for round in 1...rounds {
      for contestant in StoreContender.allCases where only == nil || contestant.group == only {
        say("round \(round) of \(rounds): \(contestant.name)")
        let report = try measure(contestant, shape, load, scratch)
        guard report.all == content.all, report.range == content.range else {
          throw BenchFailure(
            """
            \(contestant.name) gave back \(report.all) and \(report.range), stored was \(content.all) and \
            \(content.range)
            """
          )
        }
        result.runs[contestant, default: []].append(report)
      }
    }
    if let bigSize, only == nil || only == .hearth {
      say("filling a store, or taking the one that is there")
      result.opening = try measureOpening(bigSize, load, scratch)
    }
    print(json ? result.json : result.table)
    if check, !result.reachesGoals { throw ExitCode(1) }
  }

  private func measure(_ contestant: StoreContender, _ shape: LoadShape, _ load: String, _ scratch: String) throws
    -> StoreReport
  {
    let directory = scratch + "/store"
    guard mkdir(directory, 0o700) == 0 else { throw BenchFailure("\(directory): \(String(cString: strerror(errno)))") }
    defer { removeDirectory(directory) }
    // Pending writes of others must not delay this contestant.
    sync()
    let own = try ownExecutable()
    let device = deviceBytesWritten(below: directory)
    let child: ChildProcess
    if let kind = contestant.peerKind {
      child = try ChildProcess(
        siblingProgram("bench-peer-store", of: own),
        [
          kind, directory, load, "\(shape.start)", "\(commit * 1000)", "\(wearables)", "\(shape.rangeStart)",
          "\(passes)",
        ],
        readsOutput: true)
    } else {
      child = try ChildProcess(
        own,
        [
          "store-contestant", "--directory", directory, "--load", load, "--wearables", "\(wearables)", "--hours",
          "\(hours)", "--commit", "\(commit)",
          "--passes", "\(passes)",
        ], readsOutput: true)
    }
    let output = try child.finish()
    guard var report = StoreReport(line: output) else { throw BenchFailure("\(contestant.name) said: \(output)") }
    sync()
    if let device, let after = deviceBytesWritten(below: directory) { report.device = after &- device }
    return report
  }

  private func measureOpening(_ size: Int, _ load: String, _ scratch: String) throws -> OpeningReport {
    let directory = bigStore ?? scratch + "/big"
    let child = try ChildProcess(
      ownExecutable(),
      [
        "store-opening", "--directory", directory, "--load", load, "--wearables", "\(wearables)", "--hours", "\(hours)",
        "--size", "\(size)",
        "--opens", "\(passes)",
      ], readsOutput: true)
    let output = try child.finish()
    guard let report = OpeningReport(line: output) else { throw BenchFailure("the opening said: \(output)") }
    return report
  }

  /// `--big` in bytes.
  private var bigSize: Int? {
    guard let big else { return nil }
    let units: [(String, Double)] = [("GB", 1e9), ("MB", 1e6), ("G", 1e9), ("M", 1e6)]
    guard let (unit, factor) = units.first(where: { big.uppercased().hasSuffix($0.0) }),
      let number = Double(big.dropLast(unit.count)),
      number * factor >= 2e6, number * factor <= 1e12
    else { return nil }
    return Int(number * factor)
  }

  /// Progress for people; not part of the result.
  private func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(2, line, line.count)
  }
}

/// The contestants, in this order.
enum StoreContender: CaseIterable {
  case hearth, sqliteIndexed, sqliteLean, sqliteFull, sqlitePacked, sqlitePackedFull, lmdb

  var name: String {
    switch self {
    case .hearth: "Hearth"
    case .sqliteIndexed: "SQLite, index"
    case .sqliteLean: "SQLite, no rowid"
    case .sqliteFull: "SQLite, FULL"
    case .sqlitePacked: "packed"
    case .sqlitePackedFull: "packed, FULL"
    case .lmdb: "bare LMDB"
    }
  }

  /// The name in `bench-peer-store`.
  var peerKind: String? {
    switch self {
    case .hearth: nil
    case .sqliteIndexed: "sqlite-indexed"
    case .sqliteLean: "sqlite-lean"
    case .sqliteFull: "sqlite-full"
    case .sqlitePacked: "sqlite-packed"
    case .sqlitePackedFull: "sqlite-packed-full"
    case .lmdb: "lmdb"
    }
  }

  var group: StoreBench.Only {
    switch self {
    case .hearth: .hearth
    case .sqliteIndexed, .sqliteLean, .sqliteFull, .sqlitePacked, .sqlitePackedFull: .sqlite
    case .lmdb: .lmdb
    }
  }
}
