import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import Testing

@testable import hearth

/// The command itself, in a terminal, beside a hub that serves simulated wearables.
@Suite("hearth sync beside a hub", .serialized)
struct CLISyncCommandTests {
  /// Waits until one of the hub's wearables is as it should be.
  private func wait(_ daemon: RunningDaemon, _ name: String, until isSo: (JSON) -> Bool) throws {
    func devices() throws -> String { try daemon.hearth("devices", "--json").output }
    try waitUntil("\(name) is as it should be", saw: devices) {
      guard case .array(let devices) = try JSON.parse(Array(devices().utf8)) else { return false }
      return devices.contains { $0["name"]?.text == name && isSo($0) }
    }
  }

  @Test("Ctrl-C leaves a sync to the hub and says how to see it; another one meanwhile is refused with H2143")
  func interrupted() throws {
    let daemon = try RunningDaemon(
      simulate: 3, population: "gym", extra: "enroll: {mode: all, pairing: always}")
    try daemon.start()
    try wait(daemon, "band-01") { if case .integer? = $0["rssi"] { true } else { false } }
    let terminal = try PseudoTerminal(columns: 100, rows: 30)
    let program = RunningDaemon.programs.appendingPathComponent("hearth")
    try terminal.run(program, ["--socket", daemon.socketPath, "sync", "band-01"], ["TERM": "xterm", "NO_COLOR": "1"])
    try terminal.wait("how far it is") { $0.text.contains("band-01  0 of 8") }
    let second = try daemon.hearth("sync", "band-01")
    #expect(second.status == 6 && second.output.contains("H2143"), "\(second)")
    terminal.signal(SIGINT)
    try terminal.wait("what goes on") { $0.text.contains("see: hearth sync band-01 --last") }
    terminal.process.waitUntilExit()
    #expect(terminal.process.terminationReason == .uncaughtSignal && terminal.process.terminationStatus == SIGINT)
    let last = try JSON.parse(Array(daemon.hearth("sync", "band-01", "--last", "--json").output.utf8))
    guard case .array(let syncs)? = last["syncs"] else { throw POSIXError(.EINVAL) }
    #expect(syncs.count == 1 && syncs[0]["number"] == .integer(1) && (syncs[0]["reason"] ?? .null) == .null, "\(last)")
    daemon.end(SIGTERM)
  }

  @Test("--all names wearables that were not synced, with the code; if all failed, it ends with 1")
  func nobody() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try wait(daemon, "strap-01") { $0["state"]?.text == "live" }
    let (status, output) = try daemon.hearth("sync", "--all")
    #expect(status == 1 && output.contains("strap-01: not synced, H2131"), "\(output)")
    let none = try daemon.hearth("sync", "strap-01", "--last")
    #expect(none.status == 0 && none.output == "no sync was ordered\n", "\(none)")
    let usage = try daemon.hearth("sync")
    #expect(usage.status == 2, "\(usage)")
    daemon.end(SIGTERM)
  }
}
