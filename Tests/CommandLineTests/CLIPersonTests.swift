import Foundation
import HubProtocol
import ProgramSupport
import Testing

@Suite("Exports by person, of several wearables and series", .serialized)
struct CLIPersonTests {
  private func lines(_ hearth: RunningDaemon, _ words: String...) throws -> [String] {
    let (status, output) = try hearth.hearth(arguments: ["export"] + words)
    #expect(status == 0, "\(output)")
    return output.split(separator: "\n").map(String.init)
  }

  @Test("what a person wore is exported while it was on them, and a wearable handed over is split at the moment")
  func person() throws {
    let hearth = try RunningDaemon(simulate: 2)
    try hearth.start()
    try waitUntil(hearth, "--json", "status", says: #""live": 2"#)
    for name in ["Ada", "Bob"] { #expect(try hearth.hearth("wearer", "add", name).status == 0) }
    #expect(try hearth.hearth("wearer", "assign", "strap-01", "Ada").status == 0)
    try waitUntil("samples of Ada are stored", saw: { try hearth.hearth("devices").output }) {
      try lines(hearth, "--person", "Ada").count > 5
    }
    #expect(try hearth.hearth("wearer", "assign", "strap-01", "Bob").status == 0)
    #expect(try hearth.hearth("wearer", "assign", "strap-02", "Ada").status == 0)
    try waitUntil("samples of Bob are stored", saw: { try hearth.hearth("devices").output }) {
      try lines(hearth, "--person", "Bob").count > 5
    }
    hearth.end(SIGTERM)
    let all = try lines(hearth, "--store", hearth.store.path)
    for (name, number) in [("Ada", "1"), ("Bob", "2")] {
      let expected = all.filter { $0.contains(#""wearer":"\#(name)""#) }
      #expect(!expected.isEmpty)
      #expect(try lines(hearth, "--store", hearth.store.path, "--person", name) == expected)
      #expect(try lines(hearth, "--store", hearth.store.path, "--person", number) == expected)
      #expect(
        try lines(hearth, "--store", hearth.store.path, "--person", name, "--device", "strap-01")
          == expected.filter { $0.hasPrefix(#"{"device":"strap-01""#) })
    }
    let (status, output) = try hearth.hearth("--store", hearth.store.path, "export", "--person", "nobody")
    #expect(status == 5 && output.hasPrefix("H2320"), "\(output)")
    #expect(try hearth.hearth("export", "--person", "Ada", "--cursor", "ward").status == 2)
  }

  @Test("with --ordinals each line says its place, which rises by one along a series, from the daemon and the files")
  func ordinals() throws {
    let hearth = try RunningDaemon(simulate: 1)
    try hearth.start()
    try waitUntil("samples are stored", saw: { try hearth.hearth("devices").output }) {
      try lines(hearth, "--series", "heart_rate").count > 5
    }
    let online = try lines(hearth, "--series", "heart_rate", "--ordinals")
    for (index, line) in online.enumerated() {
      #expect(line.hasSuffix(#","enrolment":1,"way":"live","ordinal":\#(index)}"#), "\(line)")
    }
    hearth.end(SIGTERM)
    let offline = try lines(hearth, "--store", hearth.store.path, "--series", "heart_rate", "--ordinals")
    #expect(Array(offline.prefix(online.count)) == online)
    #expect(try hearth.hearth("export", "--ordinals", "--format", "csv").status == 2)
  }

  @Test("several wearables and several series are all exported, from the daemon and from the files")
  func several() throws {
    let hearth = try RunningDaemon(simulate: 3)
    try hearth.start()
    let two = ["--device", "strap-01", "--device", "strap-03", "--series", "heart_rate", "--series", "rr_interval"]
    func isAsked(_ line: String) -> Bool {
      ["strap-01", "strap-03"].contains { line.hasPrefix(#"{"device":"\#($0)""#) }
        && ["heart_rate", "rr_interval"].contains { line.contains(#""series":"\#($0)""#) }
    }
    try waitUntil("samples of both are stored", saw: { try hearth.hearth("devices").output }) {
      let found = try hearth.hearth(arguments: ["export"] + two).output
      return found.contains(#""device":"strap-01""#) && found.contains(#""device":"strap-03""#)
        && found.contains("rr_interval") && found.contains("heart_rate")
    }
    let online = try hearth.hearth(arguments: ["export"] + two).output.split(separator: "\n").map(String.init)
    #expect(online.allSatisfy(isAsked))
    let cursor = try hearth.hearth(arguments: ["export", "--cursor", "both"] + two).output
    #expect(Set(cursor.split(separator: "\n").map(String.init)).isSuperset(of: online))
    hearth.end(SIGTERM)
    let offline = try hearth.hearth(arguments: ["--store", hearth.store.path, "export"] + two).output
    let all = try hearth.hearth("--store", hearth.store.path, "export").output
    #expect(offline.split(separator: "\n") == all.split(separator: "\n").filter { isAsked(String($0)) })
  }
}
