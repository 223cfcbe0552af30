import Foundation
import HubProtocol
import ProgramSupport
import Testing

extension JSON {
  fileprivate var first: JSON? { if case .array(let items) = self { items.first } else { nil } }
}

extension String {
  fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}

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

  @Test("coverage and report of a person are of all that was worn, from the daemon and from the files")
  func coverageAndReport() throws {
    let hearth = try RunningDaemon(simulate: 2)
    try hearth.start()
    try waitUntil(hearth, "--json", "status", says: #""live": 2"#)
    for name in ["Ada", "Bob", "Fay"] { #expect(try hearth.hearth("wearer", "add", name).status == 0) }
    for strap in ["strap-01", "strap-02"] { #expect(try hearth.hearth("wearer", "assign", strap, "Ada").status == 0) }
    func rates(_ place: [String], _ person: String, _ strap: String) throws -> Int {
      let ask = ["export", "--person", person, "--device", strap, "--series", "heart_rate", "--format", "csv"]
      return try hearth.hearth(arguments: place + ask).output.count { $0 == "\n" } - 1
    }
    try waitUntil("two straps of Ada have values", saw: { try hearth.hearth("devices").output }) {
      try ["strap-01", "strap-02"].allSatisfy { try rates([], "Ada", $0) > 5 }
    }
    #expect(try hearth.hearth("wearer", "assign", "strap-01", "Bob").status == 0)
    try waitUntil("samples of Bob are stored", saw: { try hearth.hearth("devices").output }) {
      try rates([], "Bob", "strap-01") > 5
    }
    func check(_ place: [String]) throws {
      func json(_ words: String...) throws -> JSON {
        let (status, output) = try hearth.hearth(arguments: place + ["--json"] + words)
        #expect(status == 0, "\(output)")
        return try JSON.parse(Array(output.utf8))
      }
      let until = "2100-01-01"
      guard case .array(let ada) = try json("coverage", "Ada", "heart_rate", "--since", "2h", "--until", until) else {
        Issue.record("two wearables are two documents")
        return
      }
      #expect(ada.map { $0["device"]?.text } == ["strap-01", "strap-02"])
      let bob = try json("coverage", "2", "heart_rate", "--since", "2h")
      #expect(bob["device"]?.text == "strap-01" && bob["wearer"]?.text == "Bob")
      // The strap is split at the moment at which it was handed over.
      #expect(ada[0]["worn"]?.first?["to"] == bob["worn"]?.first?["from"] && ada[0]["worn"]?.first?["to"] != nil)
      if !place.isEmpty {
        for (document, person) in [(ada[0], "Ada"), (ada[1], "Ada"), (bob, "Bob")] {
          let strap = try #require(document["device"]?.text)
          #expect(document["series"]?.first?["samples"] == .integer(Int64(try rates(place, person, strap))))
        }
      }
      let text = try hearth.hearth(arguments: place + ["coverage", "Ada", "--since", "2h"]).output
      #expect(text.contains("Ada   strap-01   ") && text.contains("\nAda   strap-02   ") && text.contains("\nworn "))
      #expect(
        try hearth.hearth(arguments: place + ["coverage", "Fay"]).output.contains("wore no wearable in this time"))
      let file = hearth.folder.appendingPathComponent("ada.html").path
      let report = ["report", "Ada", "--day", "today", "--force", "--out", file]
      let said = try hearth.hearth(arguments: place + report)
      #expect(said.status == 0 && said.output.hasPrefix("Ada (strap-01, strap-02), "), "\(said.output)")
      let page = try String(contentsOfFile: file, encoding: .utf8)
      #expect(page.count(of: "<main>") == 2 && page.count(of: "worn by <b>Ada</b>, ") == 2 && !page.contains("Bob"))
      #expect(
        page.contains("<h1>strap-01 ") && page.contains("<h1>strap-02 ") && page.count(of: "heart_rate</text>") == 2)
      let done = try JSON.parse(Array(hearth.hearth(arguments: place + ["--json"] + report).output.utf8))
      #expect(done["name"]?.text == "Ada" && done["devices"] == JSON.array(["strap-01", "strap-02"]))
      for command in [["coverage", "Eve"], ["report", "Eve", "--out", "-"]] {
        let (status, output) = try hearth.hearth(arguments: place + command)
        let (usual, days) = try hearth.hearth(arguments: place + ["days", "Eve"])
        #expect(status == usual && output == days, "\(output)")
      }
    }
    try check([])
    hearth.end(SIGTERM)
    try check(["--config", hearth.configuration.path, "--store", hearth.store.path])
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
