// Results of `hearth-bench store`, compared with the goals.

import Glibc

struct StoreResult {
  let shape: LoadShape
  let content: LoadContent
  let path: String
  let fileSystem: String
  /// Milliseconds for one durable page.
  let durablePage: Double
  let rounds: Int
  let passes: Int
  var runs: [StoreContender: [StoreReport]] = [:]
  var opening: OpeningReport?

  /// A goal with its result.
  struct Goal {
    let key: String
    let figure: String
    let limit: String
    /// nil if not measured.
    let isReached: Bool?

    var line: String {
      let verdict =
        switch isReached {
        case true?: "reached:  "
        case false?: "MISSED:   "
        case nil: "unknown:  "
        }
      return "\(verdict)\(figure) (goal: \(limit))"
    }
  }

  /// The run with the median time.
  private func report(_ contestant: StoreContender) -> StoreReport? {
    guard let reports = runs[contestant]?.sorted(by: { $0.elapsed < $1.elapsed }), !reports.isEmpty else { return nil }
    return reports[reports.count / 2]
  }

  /// Goals for a day hold for a day of 30 wearables: other loads are scaled by their samples.
  private var days: Double { Double(content.all.samples) / (30 * 2 * 86_400) }

  var goals: [Goal] {
    var goals: [Goal] = []
    func add(_ key: String, _ figure: String, _ limit: String, _ isReached: Bool?) {
      goals.append(Goal(key: key, figure: figure, limit: limit, isReached: isReached))
    }
    let hearth = report(.hearth)
    let daily = hearth.map { $0.megabytesWritten / days }
    add(
      "flash_mb_per_day", "\(daily.map { decimals($0, 1) } ?? "-") MB written for a day of 30 wearables", "at most 45",
      daily.map { $0 <= 45 })
    let size = hearth.map(\.bytesPerSample)
    add(
      "bytes_per_sample", "\(size.map { decimals($0, 3) } ?? "-") bytes a sample, all files", "at most 1.25",
      size.map { $0 <= 1.25 })
    // What an expert would write in SQLite, durable at the same points.
    let peer = report(.sqlitePackedFull)
    func addShare(_ key: String, _ what: String, atMost limit: Double, _ figure: (StoreReport) -> Double) {
      let share = hearth.flatMap { own in peer.map { figure(own) / figure($0) } }
      add(
        key, "\(share.map { decimals($0, 2) } ?? "-") times the \(what) of packed SQLite with synchronous=FULL",
        "at most \(decimals(limit, 2))", share.map { $0 <= limit })
    }
    addShare("processor_of_packed", "processor time", atMost: 0.5) { Double($0.cpu) }
    addShare("time_of_packed", "time", atMost: 0.33) { Double($0.elapsed) }
    let timesFaster = hearth.flatMap { own in peer.map { own.readRate / $0.readRate } }
    add(
      "read_above_packed",
      "\(timesFaster.map { decimals($0, 1) } ?? "-") times as fast as packed SQLite in reading a range", "at least 2",
      timesFaster.map { $0 >= 2 })
    let slowest = opening.flatMap { $0.cold.max() }.map { Double($0) / 1e6 }
    add(
      "open_ms",
      """
      \(slowest.map { decimals($0, 1) } ?? "-") ms to open a store of \
      \(opening.map { decimals(Double($0.bytes) / 1e6, 0) } ?? "-") MB, at worst
      """,
      "at most 50", slowest.map { $0 <= 50 })
    let memory = hearth.map(\.megabytesOfMemory)
    add(
      "memory_mb", "\(memory.map { decimals($0, 2) } ?? "-") MB of memory beyond mapped pages", "at most 8",
      memory.map { $0 <= 8 })
    return goals
  }

  /// Whether all measured goals are reached.
  var reachesGoals: Bool { goals.allSatisfy { $0.isReached != false } }

  // MARK: for people

  var table: String {
    var system = utsname()
    uname(&system)
    let kernel = withUnsafeBytes(of: system.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let machine = withUnsafeBytes(of: system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let commits = Double(shape.hours * 3600 / shape.commit)
    var lines = [
      """
      \(shape.hours) hours of \(shape.wearables) wearables, heart rate and RR interval at 1 Hz: \
      \(grouped(content.all.samples)) samples, seed \(shape.seed), 
      """
        + "commit every \(shape.commit) s",
      "on \(path) (\(fileSystem), a durable page takes \(decimals(durablePage, 2)) ms), Linux \(kernel) \(machine), "
        + "\(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors, pages of \(sysconf(Int32(_SC_PAGESIZE))) bytes",
      """
      two durable pages a commit, the least that LMDB waits for: \(decimals(durablePage * 2 * commits / 1000, 2)) s \
      of the whole load
      """,
      "",
    ]
    let measured = StoreContender.allCases.filter { report($0) != nil }
    lines.append(row("", measured.map(\.name)))
    func line(_ label: String, _ figure: (StoreReport) -> String) {
      lines.append(row(label, measured.map { contestant in report(contestant).map(figure) ?? "-" }))
    }
    line("written, MB") { decimals($0.megabytesWritten, 1) }
    line("  by the disk, everybody's") { $0.device.map { decimals(Double($0) / 1e6, 1) } ?? "-" }
    line("  by pages made dirty") { decimals(Double($0.dirtied) / 1e6, 1) }
    line("commits") { grouped($0.commits) }
    line("moves into rings") { $0.moves == 0 ? "-" : grouped($0.moves) }
    line("bytes a sample, all files") { decimals($0.bytesPerSample, 3) }
    line("whole load, s") { decimals($0.seconds, 2) }
    line("  of a processor, s") { decimals(Double($0.cpu) / 1e9, 2) }
    line("  of it waiting, s") { decimals($0.secondsWaiting, 2) }
    line("append, million/s") { decimals($0.appendRate, 2) }
    line("read, million/s") { decimals($0.readRate, 1) }
    line("memory, MB") { decimals($0.megabytesOfMemory, 2) }
    if let opening {
      lines += ["", "a store of \(grouped(opening.bytes)) bytes with \(grouped(opening.samples)) samples opens in"]
      for (name, values) in [("cold", opening.cold), ("warm", opening.warm)] {
        lines.append("  \(name)  " + values.map { decimals(Double($0) / 1e6, 2) }.joined(separator: "  ") + " ms")
      }
    }
    lines.append("")
    lines += goals.map(\.line)
    return lines.joined(separator: "\n")
  }

  private func row(_ label: String, _ cells: [String]) -> String {
    label + String(repeating: " ", count: max(0, 27 - label.count))
      + cells.map { String(repeating: " ", count: max(0, 18 - $0.count)) + $0 }.joined()
  }

  // MARK: for programs

  var json: String {
    let contestants = StoreContender.allCases.compactMap { contestant in
      report(contestant).map { report in
        """
        "\(contestant.peerKind ?? "hearth")":{"written_bytes":\(report.written),"device_bytes":\
        \(report.device.map { "\($0)" } ?? "null"),"dirtied_bytes":\(report.dirtied),"moves":\(report.moves),
        """
          + "\"stored_bytes\":\(report.stored),\"commits\":\(report.commits),"
          + "\"seconds\":\(decimals(report.seconds, 3)),\"seconds_waiting\":\(decimals(report.secondsWaiting, 3)),"
            + """
            "append_per_second":\(decimals(report.appendRate * 1e6, 0)),"read_per_second":\
            \(decimals(report.readRate * 1e6, 0)),
            """
          + "\"memory_bytes\":\((report.anonymousPeak - report.anonymousStart) * 1024)}"
      }
    }
    func list(_ values: [Int64]) -> String { values.map { decimals(Double($0) / 1e6, 3) }.joined(separator: ",") }
    let open = opening.map {
      "{\"bytes\":\($0.bytes),\"samples\":\($0.samples),\"cold_ms\":[\(list($0.cold))],\"warm_ms\":[\(list($0.warm))]}"
    }
    let verdicts = goals.map { "\"\($0.key)\":\($0.isReached.map { "\($0)" } ?? "null")" }
    return
      """
      {"hours":\(shape.hours),"wearables":\(shape.wearables),"seed":\(shape.seed),"commit_seconds":\(shape.commit),
      """
        + """
        "samples":\(content.all.samples),"file_system":"\(fileSystem)","durable_page_ms":\(decimals(durablePage, 3)),
        """
          + """
          "contestants":{\(contestants.joined(separator: ","))},"open":\(open ?? "null"),"goals":\
          {\(verdicts.joined(separator: ","))}}
          """
  }
}

/// `1,234,567`
private func grouped(_ number: UInt64) -> String {
  var groups: [String] = []
  var rest = number
  while rest >= 1000 {
    let group = "\(rest % 1000)"
    groups.insert(String(repeating: "0", count: 3 - group.count) + group, at: 0)
    rest /= 1000
  }
  groups.insert("\(rest)", at: 0)
  return groups.joined(separator: ",")
}
