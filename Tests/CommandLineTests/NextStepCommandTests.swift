import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import Testing

@testable import hearth

/// Refusals of commands, with a hub behind them: what the next step names is looked up or said, and then it is taken.
@Suite("Next steps of commands that are walked", .serialized)
struct NextStepCommandTests {
  private func json(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

  private func refused(_ daemon: RunningDaemon, _ reason: Reason, _ arguments: String...) throws {
    let (status, output) = try daemon.hearth(arguments: arguments)
    #expect(status == reason.exitStatus, "\(arguments): \(output)")
    #expect(output.contains("\(reason.code) ") && output.contains("next: "), "\(arguments): \(output)")
  }

  @discardableResult
  private func taken(_ daemon: RunningDaemon, _ arguments: String...) throws -> String {
    let (status, output) = try daemon.hearth(arguments: arguments)
    #expect(status == 0, "\(arguments): \(output)")
    return output
  }

  @Test("H2307, H6005 and H6010: a name that is listed, a parameter that fits and every form of a time are taken")
  func words() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try listed(daemon)
    try refused(daemon, .noSuchWearable, "device", "strap-99")
    guard case .array(let devices) = try json(taken(daemon, "devices", "--json")) else { throw POSIXError(.EINVAL) }
    for device in devices {
      try taken(daemon, "device", try #require(device["name"]?.text))
      try taken(daemon, "device", try #require(device["address"]?.text))
    }
    try refused(daemon, .controlBadParameter, "events", "--code", "H2199")
    #expect(try taken(daemon, "events", "--help").contains("H21xx"))
    try taken(daemon, "events", "--code", "H21xx")
    try refused(daemon, .timeNotUnderstood, "events", "--since", "soon")
    let next = Reason.timeNotUnderstood.text.next.replacingOccurrences(of: " or ", with: " ")
    let forms = next.dropFirst("use ".count).split(separator: ", ").map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: "' "))
    }
    #expect(forms.count == 7, "\(forms)")
    for form in forms { try taken(daemon, "events", "--since", form) }
    daemon.end(SIGTERM)
  }

  @Test("H2320 to H2322 and H2324 to H2326: people are named, assigned, corrected and erased as the refusals say")
  func people() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try listed(daemon)
    try refused(daemon, .wearerNameInvalid, "wearer", "add", "Ada\nLovelace")
    try taken(daemon, "wearer", "add", "Ada")
    try refused(daemon, .wearerNameTaken, "wearer", "add", "Ada")
    try taken(daemon, "wearer", "add", "Ada (bed 4)")
    try refused(daemon, .noSuchWearer, "wearer", "assign", "strap-01", "Adda")
    #expect(try taken(daemon, "wearer").contains("Ada (bed 4)"))
    try taken(daemon, "wearer", "assign", "strap-01", "Ada (bed 4)")
    try taken(daemon, "wearer", "assign", "strap-01", "Ada", "--from", "2026-01-01 10:00")
    try taken(daemon, "wearer", "assign", "strap-01", "Ada (bed 4)", "--from", "2026-01-03 10:00")

    try refused(daemon, .noSuchAssignment, "wearer", "correct", "strap-01", "2026-01-01 09:00", "--nobody", "--yes")
    guard
      case .array(let history)? = try json(taken(daemon, "wearer", "history", "strap-01", "--json"))["assignments"]
    else { throw POSIXError(.EINVAL) }
    let begins = history.compactMap { $0["from"]?.text }
    #expect(begins.count == 3, "\(history)")
    let first = try #require(begins.min())
    try taken(daemon, "wearer", "correct", "strap-01", first, "--nobody", "--yes")
    try refused(daemon, .assignmentTaken, "wearer", "correct", "strap-01", first, "--from", "2026-01-03 10:00", "--yes")
    try taken(daemon, "wearer", "correct", "strap-01", first, "--from", "2026-01-02 10:00", "--yes")

    try refused(daemon, .wearerStillWears, "wearer", "erase", "Ada (bed 4)", "--yes-lose", "0")
    try taken(daemon, "wearer", "unassign", "strap-01")
    let plan = try daemon.hearth("wearer", "erase", "Ada (bed 4)", "--json")
    guard case .integer(let samples)? = try json(plan.output.components(separatedBy: "hearth: ")[0])["samples"] else {
      throw POSIXError(.EINVAL)
    }
    try taken(daemon, "wearer", "erase", "Ada (bed 4)", "--yes-lose", "\(samples)")
    daemon.end(SIGTERM)
  }

  @Test(
    "H4005, H6001 and H6008: the holder of store and socket is asked; stopped, it makes room, the store still reads")
  func daemons() throws {
    let first = try RunningDaemon(simulate: 1)
    try refused(first, .daemonDown, "status")
    try first.start()
    try listed(first)
    let sameStore = try RunningDaemon(in: first.folder).runToEnd()
    #expect(sameStore.status == 1 && sameStore.log.contains("H4005"))
    let elsewhere = "store:\n  path: \(first.folder.path)/other"
    let sameSocket = try RunningDaemon(extra: elsewhere, in: first.folder).runToEnd()
    #expect(sameSocket.status == 1 && sameSocket.log.contains("H6001"))
    #expect(try taken(first, "devices", "--json").contains("strap-01"))
    try refused(first, .storeInUse, "--store", first.store.path, "store")
    #expect(first.end(SIGTERM) == 0)
    try refused(first, .daemonDown, "status")
    try taken(first, "--store", first.store.path, "store")
    let second = try RunningDaemon(in: first.folder)
    try second.start()
    #expect(try taken(second, "devices", "--json").contains("strap-01"))
    second.end(SIGTERM)
  }

  @Test("H4001, H4002, H4009 and H6002: a path of the store or the socket is put right, and the hub starts")
  func paths() throws {
    func starts(_ text: String, _ what: Reason?) throws {
      let daemon = try RunningDaemon(simulate: 0)
      try text.replacingOccurrences(of: "FOLDER", with: daemon.folder.path).write(
        to: daemon.configuration, atomically: true, encoding: .utf8)
      guard let what else {
        try daemon.start()
        daemon.end(SIGTERM)
        return
      }
      let (status, log) = try daemon.runToEnd()
      #expect(status == 1 && log.contains("\(what.code) "), "\(log)")
      #expect(log.contains("next: \(what.text.next)"))
    }
    let socket = "control: {socket: FOLDER/s}\n"
    try starts("store: {path: FOLDER/no/such/mount}\n\(socket)", .storeUnwritable)
    try starts("store: {path: FOLDER/store}\n\(socket)", nil)
    try starts("store: {path: FOLDER/store}\ncontrol: {socket: FOLDER/none/s}\n", .socketUnavailable)

    let daemon = try RunningDaemon(simulate: 0)
    let foreign = daemon.folder.appendingPathComponent("foreign")
    try FileManager.default.createDirectory(at: foreign, withIntermediateDirectories: true)
    try Data(repeating: 0x41, count: 8192).write(to: foreign.appendingPathComponent("data.mdb"))
    try starts("store: {path: \(foreign.path)}\n\(socket)", .storeForeign)
    try starts("store: {path: \(daemon.folder.path)/empty}\n\(socket)", nil)

    let wrong = try daemon.hearth("--store", daemon.folder.path + "/nowhere", "store")
    #expect(wrong.status == Reason.storeAbsent.exitStatus && wrong.output.contains("H4009 "), "\(wrong)")
    try daemon.write(configuration: "store:\n  path: \(daemon.folder.path)/empty")
    let shown = try daemon.hearth("--config", daemon.configuration.path, "config", "show", "--origin").output
    let path = try #require(shown.split(separator: "\n").first { $0.hasPrefix("store.path ") })
    let words = path.split(separator: " ").map { String($0) }
    #expect(words.count == 3 && words[2].hasPrefix(daemon.configuration.path))
    try taken(daemon, "--store", words[1], "store")
  }

  @Test("a store that this user may not read is not called broken")
  func unreadable() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    daemon.end(SIGTERM)
    for (file, mode) in [("data.mdb", 0o640), ("", 0o750)] {
      let path = file.isEmpty ? daemon.store.path : daemon.store.appendingPathComponent(file).path
      #expect(chmod(path, 0) == 0)
      let found = try daemon.hearth(arguments: ["--store", daemon.store.path, "store"], isBound: true)
      #expect(chmod(path, mode_t(mode)) == 0)
      #expect(found.status == 4 && found.output.contains("H4018 "), "\(found)")
    }
    try taken(daemon, "--store", daemon.store.path, "store")
  }

  /// Waits until the one strap is enrolled and live.
  private func listed(_ daemon: RunningDaemon) throws {
    try waitUntil(daemon, "--json", "status", says: #""live": 1"#)
  }
}
