import Control
import Foundation
import HubProtocol
import ProgramSupport
import Reasons
import StoreDocuments
import Testing

@Suite("The command line against a running hub", .serialized)
struct CLIDaemonTests {
  private func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }
  private func json(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

  @Test("devices --json is an array with the promised members; status and device agree with it")
  func devices() throws {
    let daemon = try RunningDaemon(simulate: 2)
    try daemon.start()
    try waitUntil(daemon, "--json", "status", says: #""live": 2"#)
    guard case .array(let devices) = try json(daemon.hearth("devices", "--json").output) else {
      throw POSIXError(.EINVAL)
    }
    #expect(devices.count == 2)
    for device in devices {
      for member in ["name", "address", "kind", "state", "enrolled", "rssi", "battery", "last_seen"] {
        #expect(device[member] != nil, "\(member)")
      }
      let name = try #require(device["name"]?.text)
      let (status, page) = try daemon.hearth("device", name, "--json")
      #expect(status == 0)
      #expect(try json(page)["address"] == device["address"])
    }
    #expect(try daemon.hearth("device", "nobody").status == 5)
    #expect(try daemon.hearth("device", "nobody").output.hasPrefix("H2307 enrol: no wearable is called 'nobody'\n"))
  }

  @Test("a wearable is renamed and forgotten by name; its samples keep the name")
  func renameAndForget() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try waitUntil(daemon, "--json", "status", says: #""live": 1"#)
    #expect(try daemon.hearth("device", "strap-01", "rename", "anna").status == 0)
    #expect(try daemon.hearth("device", "strap-01").status == 5)
    #expect(try daemon.hearth("device", "anna").output.hasPrefix("anna   HR strap"))
    try waitUntil("samples are there", saw: { try daemon.hearth("devices").output }) {
      try !daemon.hearth("export", "--device", "anna").output.isEmpty
    }
    for arguments in [
      ["device", "anna", "forget"], ["device", "anna", "forget", "--no-input"], ["device", "anna", "forget", "--json"],
      ["device", "anna", "forget", "--yes-lose", "3"],
    ] {
      let refused = try daemon.hearth(arguments: arguments)
      #expect(refused.status == 7, "\(refused)")
      #expect(refused.output.hasPrefix("H6011 control: ") && refused.output.contains("to agree: --yes\n"), "\(refused)")
      #expect(refused.output.contains("its enrolment, with what was ordered of it"))
    }
    #expect(try daemon.hearth("device", "anna").status == 0, "refused, it is there still")
    #expect(try daemon.hearth("device", "anna", "forget", "--yes").status == 0)
    #expect(
      try lines(daemon.hearth("export", "--device", "anna").output).allSatisfy { $0.hasPrefix(#"{"device":"anna","#) })
  }

  @Test("live values come for as long as asked")
  func live() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try waitUntil(daemon, "--json", "status", says: #""live": 1"#)
    let (status, output) = try daemon.hearth("live", "--seconds", "3", "--json")
    #expect(status == 0)
    #expect(lines(output).contains { $0.contains(#""series":"heart_rate""#) })
    for line in lines(output) { #expect(try json(String(line))["origin"] == "live") }
    #expect(try daemon.hearth("live", "nobody").status == 5)
  }

  @Test("with the daemon killed, store and export answer from the files and say so; --store reads them silently")
  func offline() throws {
    let daemon = try RunningDaemon(simulate: 2)
    try daemon.start()
    try waitUntil("samples are stored", saw: { try daemon.hearth("devices").output }) {
      try lines(daemon.hearth("export").output).count > 10
    }
    let before = try lines(daemon.hearth("export", "--until", "0s").output).count
    #expect(try daemon.hearth("--store", daemon.store.path, "store").status == 6)
    daemon.end(SIGKILL)
    let (downStatus, downOutput) = try daemon.hearth("--config", daemon.configuration.path, "export")
    #expect(downStatus == 3)
    #expect(
      downOutput.contains(
        "hearth: no daemon answers at \(daemon.socketPath); read from the store at \(daemon.store.path)\n"))
    let (status, output) = try daemon.hearth("--store", daemon.store.path, "export")
    #expect(status == 0)
    #expect(lines(output).count >= before)
    #expect(lines(downOutput).count == lines(output).count + 1)
    let (csvStatus, csv) = try daemon.hearth("--store", daemon.store.path, "export", "--format", "csv")
    #expect(csvStatus == 0)
    #expect(
      csv.hasPrefix(
        """
        device,address,series,time,value,unit,origin,kind,manual,end,wearer,encoding,period_ns,count,record,data,clock,\
        quality\n
        """
      ))
    #expect(lines(csv).count == lines(output).count + 1)
    let store = try daemon.hearth("--store", daemon.store.path, "store", "--json")
    #expect(store.status == 0)
    #expect(try json(store.output)["daemon"] == false)
    #expect(try daemon.hearth("status").status == 3)
    #expect(try daemon.hearth("--store", daemon.folder.path, "store").status == 5)
  }

  @Test("an export by cursor gives each sample once, names its reader, and needs the daemon")
  func cursor() throws {
    let daemon = try RunningDaemon(simulate: 2)
    try daemon.start()
    try waitUntil("samples are stored", saw: { try daemon.hearth("devices").output }) {
      try lines(daemon.hearth("export").output).count > 10
    }
    // Straps stream on: what was there when the first export ended is what the second must not repeat.
    let first = try lines(daemon.hearth("export", "--cursor", "ward", "--series", "heart_rate").output).map(String.init)
    let again = try lines(daemon.hearth("export", "--cursor", "ward", "--series", "heart_rate", "--no-confirm").output)
      .map(String.init)
    let second = try lines(daemon.hearth("export", "--cursor", "ward", "--series", "heart_rate").output).map(
      String.init)
    #expect(!first.isEmpty && Set(first).isDisjoint(with: second) && second.starts(with: again))
    let store = try json(daemon.hearth("store", "--json").output)
    guard case .array(let readers) = store["readers"] else { throw POSIXError(.EINVAL) }
    #expect(readers.map { $0["name"] } == ["ward"])
    #expect(readers.first?["samples"] == .integer(Int64(first.count + second.count)))
    #expect(readers.first?["by"]?.text?.isEmpty == false)
    #expect(try daemon.hearth("export", "--cursor", "not a name").status == 2)
    let whole = try lines(daemon.hearth("export", "--cursor", "trial").output).count
    let forgotten = try daemon.hearth("store", "forget-cursor", "trial")
    #expect(forgotten.output.hasPrefix("cursor trial deleted; its reader had "), "\(forgotten)")
    #expect(try daemon.hearth("store", "forget-cursor", "trial").status == 2)
    #expect(try lines(daemon.hearth("export", "--cursor", "trial").output).count >= whole)
    daemon.end(SIGTERM)
    #expect(try daemon.hearth("--store", daemon.store.path, "export", "--cursor", "ward").status == 2)
    let offline = try daemon.hearth(
      "--store", daemon.store.path, "export", "--cursor", "ward", "--series", "heart_rate", "--no-confirm")
    #expect(offline.status == 0 && Set(first + second).isDisjoint(with: lines(offline.output).map(String.init)))
  }

  @Test("peek, days, events and verify answer from the daemon and from the files alike")
  func looking() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try waitUntil("samples are stored", saw: { try daemon.hearth("devices").output }) {
      try lines(daemon.hearth("export", "--series", "heart_rate").output).count > 10
    }
    let offline = ["--store", daemon.store.path]
    func check(_ prefix: [String]) throws {
      let peek = try daemon.hearth(
        arguments: prefix + ["store", "peek", "strap-01", "heart_rate", "--count", "5", "--json"])
      guard peek.status == 0, case .array(let samples) = try json(peek.output)["samples"] else {
        throw POSIXError(.EINVAL)
      }
      #expect(samples.count == 5)
      #expect(
        try daemon.hearth(arguments: prefix + ["store", "peek", "strap-01", "heart_rate"]).output.contains("min "))
      #expect(try daemon.hearth(arguments: prefix + ["store", "peek", "strap-01", "hart_rate"]).status == 2)
      #expect(try daemon.hearth(arguments: prefix + ["store", "peek", "nobody", "heart_rate"]).status == 5)
      let days = try daemon.hearth(arguments: prefix + ["days", "strap-01"])
      #expect(
        days.status == 0 && days.output.contains("DATE") && days.output.contains("BPM")
          && !days.output.contains("heart_rate"))
      #expect(
        try daemon.hearth(arguments: prefix + ["days", "strap-01", "--tables"]).output.contains(
          "strap-01 heart_rate in bpm"))
      let items = try daemon.hearth(arguments: prefix + ["items", "strap-01", "heart_rate", "--count", "7", "--json"])
      guard items.status == 0, case .array(let listed) = try json(items.output)["items"] else {
        throw POSIXError(.EINVAL)
      }
      #expect(
        listed.count == 7 && listed.compactMap { $0["start"]?.text } == listed.compactMap { $0["start"]?.text }.sorted()
      )
      #expect(try json(items.output)["next"]?.text != nil, "there are more")
      #expect(try daemon.hearth(arguments: prefix + ["items", "strap-01", "heart_rate"]).output.contains("automatic"))
      #expect(try daemon.hearth(arguments: prefix + ["items", "nobody", "heart_rate"]).status == 5)
      let measurements = try daemon.hearth(arguments: prefix + ["measurements", "strap-01"])
      #expect(measurements == (0, "strap-01   no measurements\n"))
      #expect(try daemon.hearth(arguments: prefix + ["measurements", "nobody", "--last"]).status == 5)
      #expect(try daemon.hearth(arguments: prefix + ["measurements", "strap-01", "--limit", "201"]).status == 2)
      #expect(
        try daemon.hearth(arguments: prefix + ["days", "strap-01", "--day", "today"]).output.contains("heart_rate"))
      #expect(try daemon.hearth(arguments: prefix + ["events", "strap-01"]) == (0, "no events\n"))
      #expect(try daemon.hearth(arguments: prefix + ["events", "--device", "strap-01", "--code", "H80"]).status == 0)
      #expect(try daemon.hearth(arguments: prefix + ["events", "--device", "strap-01", "strap-02"]).status == 2)
      #expect(try daemon.hearth(arguments: prefix + ["events", "--device", "strap-0l"]).status == 5)
      #expect(try daemon.hearth(arguments: prefix + ["events", "--code", "H2199"]).status == 2)
      #expect(try daemon.hearth(arguments: prefix + ["events", "nobody"]).status == 5)
      #expect(try daemon.hearth(arguments: prefix + ["events", "-n", "0"]).status == 2)
      let verify = try daemon.hearth(arguments: prefix + ["store", "verify"])
      #expect(verify.status == 0 && verify.output.contains("sound"), "\(verify)")
    }
    try check([])
    // A strap has no automatic measurement that could be ordered.
    #expect(try daemon.hearth("monitor", "strap-01").output.contains("how it measures by itself cannot be changed"))
    #expect(try daemon.hearth("monitor", "strap-01", "body_temperature", "every=60s").status == 2)
    #expect(try daemon.hearth("monitor", "nobody").status == 5)
    // A strap stores no days, and values that are only on the wearable are not looked for in the files.
    #expect(try daemon.hearth("days", "strap-01", "--today").status == 2)
    #expect(try daemon.hearth("days", "nobody", "--today").status == 5)
    daemon.end(SIGTERM)
    #expect(try daemon.hearth("days", "strap-01", "--today").status == 3)
    try check(offline)
    // A new store knows of no run; the start is told at the latest when the hub is stopped.
    func codes(_ arguments: String...) throws -> [JSON?] {
      guard
        case .array(let events) = try json(daemon.hearth(arguments: offline + ["events", "--json"] + arguments).output)
      else { throw POSIXError(.EINVAL) }
      return events.map { $0["code"] }
    }
    #expect(try codes("--code", "H80xx") == ["H8004"])
    #expect(try codes("--code", "H8001").isEmpty && codes("--code", "H80", "--until", "2h").isEmpty)
    #expect(try codes("--code", "8004", "--since", "2h", "-n", "1") == ["H8004"])
  }

  @Test("a purge without a person says what would be lost and deletes no sample; with the exact count it deletes")
  func purge() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try waitUntil("samples are stored", saw: { try daemon.hearth("devices").output }) {
      try lines(daemon.hearth("export").output).count > 20
    }
    let refused = try daemon.hearth("store", "purge", "strap-01", "--series", "rr_interval")
    #expect(refused.status == 7)
    #expect(
      refused.output.contains("never exported: deleted for good")
        && refused.output.contains("hearth: no data was deleted"))
    #expect(try daemon.hearth("store", "purge", "strap-01", "--yes-lose", "1").status == 7)
    // After it was forgotten it sends no more values: the count holds.
    _ = try daemon.hearth("device", "strap-01", "rename", "anna")
    _ = try daemon.hearth("device", "anna", "forget", "--yes")
    let plan = try daemon.hearth("store", "purge", "anna", "--json")
    #expect(plan.status == 7)
    let planned = try json(plan.output.components(separatedBy: "hearth: ")[0])
    guard case .integer(let count) = planned["samples"] else { throw POSIXError(.EINVAL) }
    let held = try lines(daemon.hearth("export", "--device", "anna").output).count
    // The newest chunk of the journal is beyond a purge's reach.
    #expect(count > 0 && held >= Int(count), "\(count) of \(held)")
    let done = try daemon.hearth("store", "purge", "anna", "--yes-lose", "\(count)")
    #expect(
      done.status == 0 && done.output.hasSuffix(" samples deleted, and overwritten in the store's file\n"), "\(done)")
    #expect(try lines(daemon.hearth("export", "--device", "anna").output).count == held - Int(count))
    #expect(try daemon.hearth("store", "purge", "nobody").status == 5)
    #expect(try daemon.hearth("store", "verify").status == 0)
    // The change, then the user that made it.
    let told = try daemon.hearth("events", "-n", "2").output
    #expect(told.contains("  \(Reason.storePurged.code)  anna: \(count) items purged by a person\n"), "\(told)")
    #expect(told.hasSuffix(": purge samples of anna: \(count) are gone\n"), "\(told)")
    daemon.end(SIGTERM)
    #expect(try daemon.hearth("store", "purge", "strap-01").status == 3)
    for arguments in [
      ["store", "purge", "anna"], ["export", "--cursor", "archive"], ["devices"], ["visit", "now", "anna"],
    ] {
      let told = try daemon.hearth(arguments: ["--store", daemon.store.path] + arguments)
      #expect(told.status == 2 && told.output.contains("--store asks no daemon"), "\(told)")
    }
    #expect(
      try daemon.hearth("--store", daemon.store.path, "events", "anna").output.contains(" items purged by a person\n"))
  }

  @Test(
    "visits, links, clocks, the radio, pairings and actions are answered by the hub; of what is not there it says so")
  func lane() throws {
    let daemon = try RunningDaemon(simulate: 1)
    try daemon.start()
    try waitUntil(daemon, "--json", "status", says: #""live": 1"#)
    let commands: [(word: String, arguments: [String])] = [
      ("visits", []), ("custody", ["strap-01"]), ("link", ["strap-01"]), ("clock", []), ("radio", []), ("pair", []),
    ]
    let names = [
      "visits": "visits", "custody": "custody", "link": "link", "clock": "clock", "radio": "radio", "pair": "pairings",
    ]
    for (word, arguments) in commands {
      let (status, output) = try daemon.hearth(arguments: [word] + arguments + ["--json"])
      #expect(status == 0, "\(word): \(output)")
      #expect(try json(output)["schema"]?.text == "io.hearth.\(names[word] ?? "")/1")
      // Into a pipe the text is not cut, painted or folded.
      let piped = try daemon.hearth(arguments: [word] + arguments).output
      #expect(!piped.contains("\u{1B}") && !piped.contains("~"), "\(piped)")
    }
    for arguments in [
      ["visits", "nobody"], ["visit", "now", "nobody"], ["custody", "nobody"], ["link", "nobody"], ["clock", "nobody"],
      ["action", "nobody"],
      ["recordings", "nobody"], ["settings", "nobody"], ["wearer", "assign", "strap-01", "nobody"],
      ["wearer", "body", "nobody"], ["wearer", "history", "nobody"],
    ] {
      #expect(try daemon.hearth(arguments: arguments).status == 5, "\(arguments)")
    }
    #expect(try daemon.hearth("pair", "answer", "strap-01", "yes").status == 5)
    let near = try daemon.hearth("device", "strap-1").output
    #expect(near.hasPrefix("H2307 enrol: no wearable is called 'strap-1' (did you mean 'strap-01'?)\n"), "\(near)")
    #expect(
      try daemon.hearth("export", "--series", "hart_rate").output.contains("'hart_rate' (did you mean 'heart_rate'?)"))
    let recovery = try daemon.hearth("radio", "recover")
    #expect(recovery.status == 7 && recovery.output.contains("1 link for some seconds"), "\(recovery)")
    #expect(recovery.output.contains("the live values of 1 wearable in that time"))
    #expect(try daemon.hearth("radio", "recover", "--yes").status == 0)
    let set = try daemon.hearth("link", "strap-01", "set", "foreground", "--json")
    #expect(set.status == 0)
    #expect(try json(set.output)["override"] == "foreground")
    #expect(try json(daemon.hearth("link", "strap-01", "set", "auto", "--json").output)["override"] == .null)
    daemon.end(SIGTERM)
    for arguments in [
      ["link", "strap-01"], ["clock"], ["radio"], ["radio", "recover"], ["pair"], ["action", "strap-01"],
      ["visit", "now", "strap-01"],
    ] {
      #expect(try daemon.hearth(arguments: arguments).status == 3, "\(arguments)")
    }
    let visits = try daemon.hearth("--config", daemon.configuration.path, "visits")
    #expect(visits.status == 3 && visits.output.contains("read from the store at"))
    #expect(try daemon.hearth("--store", daemon.store.path, "custody", "strap-01").status == 0)
    #expect(try daemon.hearth("--store", daemon.store.path, "custody", "nobody").status == 5)
  }

  @Test("a reader that leaves ends an export quietly")
  func brokenPipe() throws {
    let daemon = try RunningDaemon(simulate: 3)
    try daemon.start()
    try waitUntil("samples are stored", saw: { try daemon.hearth("devices").output }) {
      try lines(daemon.hearth("export").output).count > 10
    }
    let shell = Process()
    let output = Pipe()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    let hearth = RunningDaemon.programs.appendingPathComponent("hearth").path
    shell.arguments = [
      "-c", "'\(hearth)' --socket '\(daemon.socketPath)' live --json 2>&1 | head -n 1; echo ${PIPESTATUS[0]}",
    ]
    shell.standardOutput = output
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(lines(text).count == 2)
    #expect(lines(text).last == "0")
  }

  @Test("config check says where a file is wrong; config show says where a value comes from")
  func configuration() throws {
    let daemon = try RunningDaemon()
    let path = daemon.configuration.path
    let (good, answer) = try daemon.hearth("config", "check", path)
    #expect(good == 0)
    #expect(answer.hasPrefix("ok: \(path); "))
    let shown = try lines(daemon.hearth("--config", path, "config", "show", "--origin").output)
    #expect(shown.first?.split(separator: " ").map(String.init) == ["hub.name", "test", "\(path):2"])
    try daemon.write(configuration: "lights:\n  bord: none")
    let (bad, message) = try daemon.hearth("config", "check", path)
    #expect(bad == 1)
    #expect(message.hasPrefix("H1003 config: \(path):"))
    #expect(message.contains("unknown key 'bord' (did you mean 'board'?)\n"))
    #expect(try json(daemon.hearth("config", "check", path, "--json").output)["error"]?["code"] == "H1003")
    let misuse = try daemon.hearth("--config", path, "status")
    #expect(misuse.status == 2)
    #expect(misuse.output.hasPrefix("H1003 config: \(path):"))
  }

  @Test(
    "the daemon's own arguments are refused with another code than its configuration, and systemd tries neither again")
  func refusedArguments() throws {
    func status(_ arguments: String...) throws -> Int32 {
      let process = Process()
      process.executableURL = RunningDaemon.programs.appendingPathComponent("hearthd")
      process.arguments = arguments
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }
    #expect(try status("--bogus") == 64)
    #expect(try status("--simulate", "5") == 64, "no simulation is in it")
    #expect(try status("--config", "/nowhere/hearth.yaml") == 2)
    let unit = URL(filePath: #filePath).appending(path: "../../../board/hearthd.service").standardized
    #expect(try String(contentsOf: unit, encoding: .utf8).contains("\nRestartPreventExitStatus=2 64\n"))
  }

  @Test("words that need no daemon are answered without one")
  func withoutDaemon() throws {
    let daemon = try RunningDaemon()
    #expect(try daemon.hearth("explain", "h2102").output.hasPrefix("H2102 link: "))
    #expect(try daemon.hearth("explain", "H9999").status == 5)
    #expect(try daemon.hearth("explain", "blood", "pressure").output.contains("hearth measure "))
    #expect(try daemon.hearth("explain", "pasword").output.contains("did you mean 'password'?"))
    #expect(try daemon.hearth("explain", "pasword").status == 5)
    #expect(try json(daemon.hearth("version", "--json").output)["version"] == .string(hearthVersion))
    #expect(try daemon.hearth("led", "legend", "--print", "--language", "ward").output.contains("not an alarm"))
    #expect(
      try daemon.hearth("statsu").output
        == "hearth: there is no command 'statsu' (did you mean 'status'?); see hearth --help\n")
    #expect(try daemon.hearth("statsu").status == 2)
    #expect(try daemon.hearth("devices", "--bogus").status == 2)
  }
}
