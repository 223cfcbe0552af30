import CLinux
import Foundation
import ProgramSupport
import Testing

@Suite("The running daemon", .serialized)
struct DaemonLifeTests {
  @Test("has one thread, and one more once the disk has work")
  func threads() throws {
    let daemon = try RunningDaemon()
    try daemon.start()
    try waitUntil("samples are stored", saw: { try daemon.hearth("devices").output }) {
      try daemon.hearth("export", "--format", "ndjson").output.contains("heart_rate")
    }
    #expect((1...2).contains(daemon.threads))
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.process.processIdentifier)/task")
      .map {
        try String(contentsOfFile: "/proc/\(daemon.process.processIdentifier)/task/\($0)/comm", encoding: .utf8)
          .trimmingCharacters(in: .newlines)
      }
    #expect(names.sorted() == ["hearth-disk", "hearth-sim"])
    #expect(daemon.end(SIGTERM) == 0)
  }

  @Test("reports to systemd that it is ready, alive and stopping, and ends with 0 on SIGTERM")
  func serviceManager() throws {
    let daemon = try RunningDaemon(environment: ["WATCHDOG_USEC": "400000"])
    try daemon.start()
    try daemon.wait(for: "WATCHDOG=1")
    daemon.forget("WATCHDOG=1")
    try daemon.wait(for: "WATCHDOG=1")
    #expect(daemon.end(SIGTERM) == 0)
    try daemon.wait(for: "STOPPING=1")
  }

  @Test("a reload with a broken file keeps the old configuration and says so; a good one takes effect")
  func reload() throws {
    let daemon = try RunningDaemon()
    try daemon.start()
    daemon.forget("READY=1")
    try daemon.write(configuration: "lights:\n  bord: none")
    kill(daemon.process.processIdentifier, SIGHUP)
    try daemon.wait(for: "READY=1")
    let refused = try daemon.hearth("status")
    #expect(refused.status == 1)
    #expect(refused.output.contains("H1006"))
    daemon.forget("READY=1")
    try daemon.write(configuration: "log:\n  level: warning")
    kill(daemon.process.processIdentifier, SIGHUP)
    try daemon.wait(for: "READY=1")
    let accepted = try daemon.hearth("config", "show")
    #expect(accepted.output.contains("warning"))
    #expect(try !daemon.hearth("status").output.contains("H1006"))
    #expect(daemon.end(SIGTERM) == 0)
  }

  @Test("a wrong configuration ends it with 2 before anything is made")
  func wrongConfiguration() throws {
    let daemon = try RunningDaemon(extra: "radio:\n  slotz: 5")
    daemon.useDaemonProgram()
    let (status, log) = try daemon.runToEnd()
    #expect(status == 2)
    #expect(log.contains("slotz"))
    #expect(log.contains("slots"))
    #expect(!FileManager.default.fileExists(atPath: daemon.store.path))
    #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
  }

  @Test("a store that is not ours is refused with 1, and not a byte of it changes")
  func foreignStore() throws {
    let daemon = try RunningDaemon()
    daemon.useDaemonProgram()
    try FileManager.default.createDirectory(at: daemon.store, withIntermediateDirectories: true)
    let file = daemon.store.appendingPathComponent("data.mdb")
    try Data(repeating: 0x41, count: 8192).write(to: file)
    let (status, log) = try daemon.runToEnd()
    #expect(status == 1)
    #expect(log.contains("H4002"))
    #expect(try Data(contentsOf: file) == Data(repeating: 0x41, count: 8192))
  }

  @Test("a second daemon on the same store or socket is refused with 1 and the first goes on")
  func secondDaemon() throws {
    let first = try RunningDaemon()
    try first.start()
    let sameStore = try RunningDaemon(in: first.folder)
    let (status, log) = try sameStore.runToEnd()
    #expect(status == 1)
    #expect(log.contains("H4005"))
    let sameSocket = try RunningDaemon(extra: "store:\n  path: \(first.folder.path)/other", in: first.folder)
    let (socketStatus, socketLog) = try sameSocket.runToEnd()
    #expect(socketStatus == 1)
    #expect(socketLog.contains("H6001"))
    #expect(try first.hearth("devices", "--json").status == 0)
    #expect(first.end(SIGTERM) == 0)
  }

  @Test("killed at once and started again, it keeps its wearables and every durable sample, without duplicates")
  func killAndRestart() throws {
    let first = try RunningDaemon()
    try first.start()
    try waitUntil("samples are stored", saw: { try first.hearth("devices").output }) {
      try first.hearth("export", "--format", "ndjson").output.contains("heart_rate")
    }
    let before = try first.hearth("export", "--format", "ndjson").output.split(separator: "\n")
    first.end(SIGKILL)
    let second = try RunningDaemon(in: first.folder)
    try second.start()
    let after = try second.hearth("export", "--format", "ndjson").output.split(separator: "\n")
    #expect(Array(after.prefix(before.count)) == before)
    let devices = try second.hearth("devices", "--json").output
    #expect(devices.contains("strap-01") && devices.contains("strap-03"))
    #expect(second.end(SIGTERM) == 0)
  }

}
