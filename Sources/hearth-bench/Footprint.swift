// Resources of a running daemon: memory, threads, wake-ups.

import ArgumentParser
import Glibc

struct Footprint: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a daemon and print its memory, threads and wake-ups.",
    discussion:
      """
      Goals: at most 12 MB resident, one thread (two with the disk thread), at most 2 wake-ups a second when idle \
      and without lights.
      """
  )

  @Option(help: "The daemon to run: hearthd, or hearth-sim with --simulate.")
  var hearthd: String
  @Option(help: "Number of straps that hearth-sim serves; with 0, no `serve` is put before the arguments.")
  var simulate = 0
  @Option(help: "Seconds to settle before measuring.")
  var settle = 5
  @Option(help: "Seconds to measure.")
  var seconds = 20
  @Flag(help: "Print JSON.")
  var json = false
  @Argument(parsing: .postTerminator, help: "Further arguments for the daemon, after --.")
  var arguments: [String] = []

  func validate() throws {
    if seconds < 1 || settle < 0 { throw ValidationError("--seconds is at least 1, --settle at least 0") }
  }

  func run() throws {
    let daemon = try ChildProcess(
      hearthd, (simulate > 0 ? ["serve", "--population", "straps", "--wearables", "\(simulate)"] : []) + arguments,
      quiet: true)
    defer { daemon.terminate() }
    sleep(UInt32(settle))
    let before = try ProcessStatus(daemon.pid)
    let cpuBefore = try ProcessStatus.cpuSeconds(daemon.pid)
    sleep(UInt32(seconds))
    let after = try ProcessStatus(daemon.pid)
    let cpu = (try ProcessStatus.cpuSeconds(daemon.pid) - cpuBefore) / Double(seconds)
    // A process that waits gives the processor up voluntarily: once per wake-up.
    let wakeUps = Double(after.voluntarySwitches &- before.voluntarySwitches) / Double(seconds)
    if json {
      print(
        """
        {"rss_kb":\(after.resident),"rss_anon_kb":\(after.anonymous),"rss_file_kb":\(after.file),"rss_peak_kb":\
        \(after.peak),
        """
          + """
          "threads":\(after.threads),"wake_ups_per_second":\(decimals(wakeUps, 2)),"cpu_percent":\
          \(decimals(cpu * 100, 2))}
          """
      )
    } else {
      print(
        "resident        \(after.resident) kB   (anonymous \(after.anonymous), files \(after.file), peak \(after.peak))"
      )
      print("threads         \(after.threads)")
      print("wake-ups        \(decimals(wakeUps, 2)) a second")
      print("CPU             \(decimals(cpu * 100, 2)) %")
    }
  }
}

/// /proc/PID/status, and its threads'. Sizes in kB.
struct ProcessStatus {
  let resident: Int
  let anonymous: Int
  let file: Int
  let peak: Int
  let threads: Int
  /// Sum over all threads.
  let voluntarySwitches: Int

  init(_ pid: pid_t) throws {
    let fields = try Self.fields("/proc/\(pid)/status")
    func number(_ name: String) -> Int { fields[name] ?? 0 }
    guard number("VmRSS") > 0 else { throw BenchFailure("process \(pid) has ended") }
    resident = number("VmRSS")
    anonymous = number("RssAnon")
    file = number("RssFile")
    peak = number("VmHWM")
    threads = number("Threads")
    var switches = 0
    guard let tasks = opendir("/proc/\(pid)/task") else { throw BenchFailure("process \(pid) has ended") }
    defer { closedir(tasks) }
    while let entry = readdir(tasks) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if Int(name) == nil { continue }
      switches += try Self.fields("/proc/\(pid)/task/\(name)/status")["voluntary_ctxt_switches"] ?? 0
    }
    voluntarySwitches = switches
  }

  /// User and system time of all threads so far (fields 14 and 15 of /proc/PID/stat, counted after the name).
  static func cpuSeconds(_ pid: pid_t) throws -> Double {
    let text = try contents("/proc/\(pid)/stat")
    guard let end = text.lastIndex(of: ")") else { throw BenchFailure("/proc/\(pid)/stat is not understood") }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw BenchFailure("/proc/\(pid)/stat is not understood")
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func fields(_ path: String) throws -> [String: Int] {
    var fields: [String: Int] = [:]
    for line in try contents(path).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, let number = parts[1].split(whereSeparator: \.isWhitespace).first.flatMap({ Int($0) }) {
        fields[String(parts[0])] = number
      }
    }
    return fields
  }

  private static func contents(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw BenchFailure("\(path): errno \(errno)") }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { throw BenchFailure("\(path): errno \(errno)") }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// `1.50` for (1.5, 2); without Foundation's formatting.
func decimals(_ value: Double, _ digits: Int) -> String {
  guard value.isFinite else { return "-" }
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let scaled = (value.magnitude * scale).rounded()
  guard scaled < 9e15 else { return "\(value)" }
  let number = Int64(scaled)
  let whole = number / Int64(scale)
  let fraction = "\(number % Int64(scale))"
  let sign = value < 0 && number != 0 ? "-" : ""
  if digits == 0 { return "\(sign)\(whole)" }
  return "\(sign)\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
}
