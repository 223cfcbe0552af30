// CPU per notification, from the channel to the disk, compared with a minimal program in C and one in Python.

import ArgumentParser
import Glibc

struct Notify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure CPU per notification from an ATT channel to durable samples, beside C and Python.",
    discussion: """
      A process pushes notifications of heart rate and RR intervals over an AF_UNIX SEQPACKET pair. Three receivers \
      take the same data in turn, each in its own process. The first is the hub's real path (bearer, GATT client, \
      driver, store). The second is a C program (recv, decode, LMDB put). The third is a hub in Python (asyncio, \
      decode, sqlite3 in WAL mode). The peers commit as often as the hub did in the same round. Each measures its \
      own user and system time from the first value to the last commit, and reads everything back. A second Python \
      program does the least that Python can do for one wearable (blocking, rows inserted in bulk). That row is a \
      comparison without a goal.

      Two more rows are live ECG, for the hub and the C program. Notifications have 73 samples, as a strap sends \
      them 1.8 times a second.

      Goals: at most 1.5 times C for both kinds of notification, and at least 10 times better than the hub in Python.
      """)

  /// Limit: multiple of C's CPU per notification.
  static let goalC = 1.5
  /// Goal: multiple of our CPU per notification that Python takes.
  static let goalPython = 10.0

  /// Limit for ECG: pushed at once they are 1.2 MB, which is what the store holds while the disk is busy. More would be
  /// dropped; no radio sends that much.
  static let mostOfECG = 5000

  @Option(help: "Notifications for each receiver; of ECG at most 5000.")
  var notifications = 200_000
  @Option(help: "Seed of the data.")
  var seed: UInt64 = 1
  @Option(help: "Number of rounds; the median counts.")
  var rounds = 3
  @Option(help: "Commit size of the hub in bytes (store.commit.bytes).")
  var commitBytes = 4096
  @Option(help: "Commit interval of the hub in seconds (store.commit.every).")
  var commitSeconds = 15
  @Option(help: "The Python to run.")
  var python = "python3"
  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Exit with 1 if a goal is missed.")
  var check = false

  func validate() throws {
    if notifications < 1 || rounds < 1 { throw ValidationError("--notifications and --rounds are at least 1") }
    if commitBytes < 256 || commitSeconds < 1 {
      throw ValidationError("--commit-bytes is at least 256, --commit-seconds at least 1")
    }
  }

  func run() throws {
    let expected = [
      false: NotifyData.tally(seed: seed, count: notifications),
      true: ECGData.tally(seed: seed, count: min(notifications, Self.mostOfECG)),
    ]
    var runs: [Contestant: [ReceiverReport]] = [:]
    // The hub commits by bytes, with one commit for all that came while the disk was busy. The peers commit by count:
    // as often as the hub just did. So the hub is the first of all contestants.
    var commitEvery = notifications
    for _ in 0..<rounds {
      for contestant in Contestant.allCases {
        let notifications = contestant.count(of: notifications)
        let report = try measure(contestant, commitEvery)
        guard let sent = expected[contestant.isECG], report.tally == sent else {
          throw BenchFailure(
            "\(contestant.name) stored \(report.tally), sent was \(expected[contestant.isECG] ?? Tally())")
        }
        runs[contestant, default: []].append(report)
        if contestant == .hearth || contestant == .hearthECG {
          commitEvery = (notifications + report.commits - 1) / max(1, report.commits)
        }
      }
    }
    let result = NotifyResult(runs: runs, notifications: notifications, seed: seed)
    print(json ? result.json : result.table)
    if check, !result.reachesGoals { throw ExitCode(1) }
  }

  private func measure(_ contestant: Contestant, _ commitEvery: Int) throws -> ReceiverReport {
    let notifications = contestant.count(of: notifications)
    let directory = try temporaryDirectory()
    defer { removeDirectory(directory) }
    let (near, far) = try packetPair()
    let own = try ownExecutable()
    let receiver: ChildProcess
    let pusher: ChildProcess
    do {
      defer {
        close(near)
        close(far)
      }
      let peerArguments = ["3", "\(notifications)", "\(commitEvery)", directory]
      let kind = contestant.isECG ? ["--ecg"] : []
      switch contestant {
      case .hearth, .hearthECG:
        receiver = try ChildProcess(
          own,
          [
            "notify-receiver", "--descriptor", "3", "--notifications", "\(notifications)", "--directory", directory,
            "--commit-bytes", "\(commitBytes)", "--commit-seconds", "\(commitSeconds)",
          ] + kind, descriptor: near, readsOutput: true)
      case .c, .cECG:
        receiver = try ChildProcess(
          siblingProgram("bench-peer-c", of: own), peerArguments + [contestant.isECG ? "ecg" : "hr"], descriptor: near,
          readsOutput: true)
      case .python, .leastPython:
        let script = String(decoding: PackageResources.peer_py, as: UTF8.self)
        let kind = contestant == .python ? "hub" : "least"
        receiver = try ChildProcess(python, ["-c", script, kind] + peerArguments, descriptor: near, readsOutput: true)
      }
      pusher = try ChildProcess(
        own,
        ["notify-pusher", "--descriptor", "3", "--notifications", "\(notifications)", "--seed", "\(seed)"]
          + kind + (contestant == .hearth || contestant == .hearthECG ? [] : ["--immediately"]), descriptor: far)
    }
    let output = try receiver.finish()
    _ = try pusher.finish()
    guard let report = ReceiverReport(line: output) else { throw BenchFailure("\(contestant.name) said: \(output)") }
    return report
  }
}

enum Contestant: CaseIterable {
  case hearth, c, python, leastPython, hearthECG, cECG

  /// Contestants with live ECG; the others have heart beats.
  var isECG: Bool { self == .hearthECG || self == .cECG }

  func count(of notifications: Int) -> Int { isECG ? min(notifications, Notify.mostOfECG) : notifications }

  var name: String {
    switch self {
    case .hearth: "Hearth"
    case .c: "C, LMDB"
    case .python: "Python, asyncio"
    case .leastPython: "Python, least"
    case .hearthECG: "Hearth, ECG"
    case .cECG: "C, LMDB, ECG"
    }
  }
}

/// Medians of all rounds, and their comparison.
///
/// The hub's commits differ from round to round with the speed of the disk, and a commit costs as much as hundreds of
/// notifications. Only what was measured in one round is therefore compared.
struct NotifyResult {
  let runs: [Contestant: [ReceiverReport]]
  let notifications: Int
  let seed: UInt64

  /// Nanoseconds of CPU per notification, by round.
  private func figures(_ contestant: Contestant) -> [Double] {
    (runs[contestant] ?? []).map { Double($0.cpuNanoseconds) / Double(contestant.count(of: notifications)) }
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    if sorted.isEmpty { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Returns how many times as much CPU `contestant` takes as `other` does.
  private func times(_ contestant: Contestant, _ other: Contestant) -> Double {
    median(zip(figures(contestant), figures(other)).map { $0 / $1 })
  }

  var timesC: Double { times(.hearth, .c) }
  var timesCOfECG: Double { times(.hearthECG, .cECG) }
  var betterThanPython: Double { times(.python, .hearth) }
  var reachesGoals: Bool {
    timesC <= Notify.goalC && timesCOfECG <= Notify.goalC && betterThanPython >= Notify.goalPython
  }

  var table: String {
    var lines = [
      "\(notifications) notifications, seed \(seed), \(runs[.hearth]?.count ?? 0) rounds, CPU per notification", "",
    ]
    lines.append(row("", "median", "fastest", "slowest", "commits", "× Hearth"))
    for contestant in Contestant.allCases {
      let values = figures(contestant)
      lines.append(
        row(
          contestant.name, decimals(median(values), 0) + " ns", decimals(values.min() ?? .nan, 0),
          decimals(values.max() ?? .nan, 0),
          decimals(median((runs[contestant] ?? []).map { Double($0.commits) }), 0),
          decimals(times(contestant, contestant.isECG ? .hearthECG : .hearth), 2)))
    }
    lines.append("")
    lines.append(goal("\(decimals(timesC, 2)) × C", "at most \(decimals(Notify.goalC, 1))", timesC <= Notify.goalC))
    lines.append(
      goal("ECG: \(decimals(timesCOfECG, 2)) × C", "at most \(decimals(Notify.goalC, 1))", timesCOfECG <= Notify.goalC))
    lines.append(
      goal(
        "\(decimals(betterThanPython, 1)) × better than a hub in Python", "at least \(decimals(Notify.goalPython, 0))",
        betterThanPython >= Notify.goalPython))
    lines.append("         (C itself: \(decimals(times(.python, .c), 1)) × better)")
    return lines.joined(separator: "\n")
  }

  var json: String {
    let medians = Contestant.allCases.map { decimals(median(figures($0)), 1) }
    return "{\"notifications\":\(notifications),\"seed\":\(seed),\"rounds\":\(runs[.hearth]?.count ?? 0),"
      + """
      "hearth_ns":\(medians[0]),"c_ns":\(medians[1]),"python_ns":\(medians[2]),"least_python_ns":\(medians[3]),
      """
      + "\"hearth_ecg_ns\":\(medians[4]),\"c_ecg_ns\":\(medians[5]),\"times_c_ecg\":\(decimals(timesCOfECG, 3)),"
      + "\"times_c\":\(decimals(timesC, 3)),\"better_than_python\":\(decimals(betterThanPython, 2)),"
      + "\"c_better_than_python\":\(decimals(times(.python, .c), 2)),\"goals_reached\":\(reachesGoals)}"
  }

  private func row(_ cells: String...) -> String {
    zip(cells, [17, 10, 10, 10, 10, 11]).enumerated().map { index, cell in
      let blanks = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      return index == 0 ? cell.0 + blanks : blanks + cell.0
    }.joined()
  }

  private func goal(_ figure: String, _ limit: String, _ isReached: Bool) -> String {
    "\(isReached ? "reached" : "MISSED "): \(figure) (goal: \(limit))"
  }
}
