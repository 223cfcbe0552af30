import CivilTime
import Export
import Foundation
import HubProtocol
import ProgramSupport
import Pseudonyms
import Reasons
import RingStore
import Testing

@testable import hearth

@Suite("Exports for data that leave the house", .serialized)
struct CLIExportTests {
  private static let formats = [
    ["ndjson"], ["ndjson", "--ordinals"], ["csv"], ["csv", "--explode", "--no-raw"], ["csv-wide"],
  ]

  private func output(_ hearth: RunningDaemon, _ words: [String], status: Int32 = 0) throws -> String {
    let (code, output) = try hearth.hearth(arguments: words)
    #expect(code == status, "\(words): \(output.prefix(2000))")
    return output
  }

  private func key(_ hearth: RunningDaemon, _ text: String = "0123456789abcdef0123456789abcdef") throws -> String {
    let file = hearth.folder.appendingPathComponent("persons.key")
    try text.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  /// Two straps on Ada and Bob; Bob has an identifier of the house.
  private func gym() throws -> RunningDaemon {
    let hearth = try RunningDaemon(simulate: 2)
    try hearth.start()
    try waitUntil(hearth, "--json", "status", says: #""live": 2"#)
    for (name, strap) in [("Ada Lovelace", "strap-01"), ("Bob", "strap-02")] {
      #expect(try hearth.hearth("wearer", "add", name).status == 0)
      #expect(try hearth.hearth("wearer", "assign", strap, name).status == 0)
    }
    #expect(try hearth.hearth("wearer", "set", "Bob", "id", "M-42").status == 0)
    try waitUntil("samples of both are stored", saw: { try hearth.hearth("devices").output }) {
      try ["Ada Lovelace", "Bob"].allSatisfy { try hearth.hearth("export", "--person", $0).output.count > 2000 }
    }
    return hearth
  }

  private func addresses(_ hearth: RunningDaemon) throws -> [String] {
    guard case .array(let devices) = try JSON.parse(Array(output(hearth, ["--json", "devices"]).utf8)) else {
      return []
    }
    return devices.compactMap { $0["address"]?.text }
  }

  @Test("no name and no address of the store is in the bytes of any format, with a daemon and without")
  func hidden() throws {
    let hearth = try gym()
    let (key, addresses) = (try key(hearth), try addresses(hearth))
    #expect(addresses.count == 2)
    let secrets = ["Ada", "Lovelace", "Bob", "M-42", "strap-"] + addresses
    let words = NamePseudonyms(NameKey(Array("0123456789abcdef0123456789abcdef".utf8)), of: .hub("hearth/test"))
    let (ada, bob) = (words.person("Ada Lovelace", houseID: nil), words.person("Bob", houseID: "M-42"))
    #expect(bob.hasPrefix("house/") && ada != bob)
    func check(_ place: [String]) throws {
      for format in Self.formats {
        let plain = try output(hearth, place + ["export", "--format"] + format)
        #expect(secrets.allSatisfy { $0 == "M-42" || plain.contains($0) })
        let numbered = try output(hearth, place + ["export", "--no-names", "--format"] + format)
        #expect(numbered.contains("device-1") && numbered.contains("device-2"))
        let replaced = try output(hearth, place + ["export", "--pseudonyms", key, "--format"] + format)
        for name in ["strap-01", "strap-02"] { #expect(replaced.contains(words.thing(name))) }
        for name in addresses { #expect(replaced.contains(words.thing(name))) }
        #expect(replaced.contains(ada) && replaced.contains(bob))
        for secret in secrets {
          #expect(!numbered.contains(secret) && !replaced.contains(secret), "\(format), \(secret)")
        }
      }
      let rr = try output(hearth, place + ["export", "--format", "rr", "--person", "Bob", "--no-names"])
      #expect(secrets.allSatisfy { !rr.contains($0) })
      let ask = place + ["export", "--format", "fit", "--person", "Bob", "--sport", "running"]
      let activity = try output(hearth, ask)
      #expect(activity.contains(".FIT") && activity.contains("strap-02") && !activity.contains("Bob"))
      let numbered = try output(hearth, ask + ["--no-names"])
      let replaced = try output(hearth, ask + ["--pseudonyms", key])
      #expect(numbered.contains("device-2") && replaced.contains(words.thing("strap-02")))
      for secret in secrets { #expect(!numbered.contains(secret) && !replaced.contains(secret), "\(secret)") }
      for refused in [ask + ["--format", "csv"], place + ["export", "--format", "fit"]] {
        _ = try output(hearth, refused, status: 2)
      }
    }
    try check([])
    let online = try output(hearth, ["export", "--pseudonyms", key]).split(separator: "\n")
    hearth.end(SIGTERM)
    let store = ["--config", hearth.configuration.path, "--store", hearth.store.path]
    try check(store)
    #expect(
      Set(try output(hearth, store + ["export", "--pseudonyms", key]).split(separator: "\n")).isSuperset(of: online))
    let house = try output(hearth, store + ["export", "--pseudonyms", key, "--pseudonyms-of", "house"])
    let ofHouse = NamePseudonyms(NameKey(Array("0123456789abcdef0123456789abcdef".utf8)), of: .house)
    #expect(house.contains(ofHouse.person("Ada Lovelace", houseID: nil)) && house.contains(bob))
  }

  @Test("times move by whole days in every format, with a daemon and without, and so do the days of a correction")
  func days() throws {
    let hearth = try gym()
    func moved(_ text: some StringProtocol, _ days: Int) -> String {
      let time = String(text).firstMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/)?.0 ?? ""
      return momentText((moment(rfc3339: String(time)) ?? 0) + Int64(days) * 86_400_000_000, .milliseconds)
    }
    func check(_ place: [String]) throws {
      for format in ["ndjson", "csv"] {
        let ask = place + ["export", "--series", "heart_rate", "--device", "strap-01", "--format", format]
        let (plain, later) = (try output(hearth, ask), try output(hearth, ask + ["--shift-days", "-400"]))
        for (one, other) in zip(plain.split(separator: "\n"), later.split(separator: "\n")).dropFirst().prefix(20) {
          #expect(moved(one, -400) == moved(other, 0))
        }
        let today = try #require(plain.firstMatch(of: /\d{4}-\d\d-\d\dT/)).0
        #expect(!later.contains(today))
      }
    }
    try check([])
    let cursor = ["export", "--cursor", "ward", "--device", "strap-01"]
    _ = try output(hearth, cursor)
    let begin = try #require(
      output(hearth, ["--json", "wearer", "history", "strap-01"]).firstMatch(of: /"from": "([^"]+)"/)?.1)
    _ = try output(hearth, ["wearer", "correct", "strap-01", String(begin), "--to", "Bob", "--yes"])
    let correction = try #require(
      output(hearth, cursor + ["--no-confirm", "--no-names", "--shift-days", "1000"]).split(separator: "\n").first)
    #expect(correction.hasPrefix(#"{"correction":{"device":"device-1","enrolment":1,"from":""#), "\(correction)")
    #expect(!correction.contains("Ada") && !correction.contains("Bob") && !correction.contains(begin.prefix(10)))
    let told = try output(hearth, cursor + ["--format", "csv", "--pseudonyms", key(hearth)])
    #expect(told.contains("hearth: correction: ") && !told.contains("Ada") && !told.contains("strap-01"))
    hearth.end(SIGTERM)
    try check(["--store", hearth.store.path])
  }

  @Test("progress has rows, share and seconds left, as far as they are known")
  func progress() {
    #expect(ExportProgress.text(4_712_000, of: 10_471_111, after: 4_900) == "4 712 000 rows   45 %   6 s left")
    #expect(ExportProgress.text(10, of: 10, after: 4_900) == "10 rows   100 %   0 s left")
    for expected: UInt64? in [nil, 0, 9] { #expect(ExportProgress.text(10, of: expected, after: 1) == "10 rows") }
    #expect(ExportProgress.text(0, of: 10, after: 1) == "0 rows")
    #expect(ExportProgress.text(1, of: 100_000, after: 1000) == "1 row   0 %   1 d 3 h left")
  }

  @Test("a gap and a correction carry no names of people or wearables")
  func notes() throws {
    let gap = MissingRowsDocument(
      device: "strap-01", address: "F0:F1", enrolment: 7, series: "ecg", way: "live", from: 1, to: 2, cause: "damaged")
    let correction = CorrectionDocument(
      device: "strap-01", enrolment: 7, from: "2026-11-21T10:00:00.000Z", to: "2026-11-22T10:00:00.000Z", was: "Ada",
      wearer: "Bob")
    func run(_ mask: RowMask) -> ExportRun { ExportRun(LineOutput(isCSV: false), mask, isNDJSON: true) }
    let hidden = run(RowMask(.hidden, days: 1))
    #expect(hidden.hidden(gap).device == "device-7" && hidden.hidden(gap).address == nil)
    #expect(
      hidden.hidden(correction)
        == CorrectionDocument(
          device: "device-7", enrolment: 7, from: "2026-11-22T10:00:00.000Z", to: "2026-11-23T10:00:00.000Z"))
    let replaced = run(RowMask(.replaced(person: { "p\($0)".lowercased() }, thing: { "t\($0.utf8.count)" })))
    #expect(replaced.hidden(gap).device == "t8" && replaced.hidden(gap).address == "t5")
    #expect(replaced.hidden(correction).was == "pada" && replaced.hidden(correction).wearer == "pbob")
    let journal = MissingRowsDocument(cause: "damaged")
    #expect(
      hidden.hidden(journal) == journal && replaced.hidden(journal) == journal && run(RowMask()).hidden(gap) == gap)
  }

  @Test("an invalid key, and options that do not go together, are refused with a code before any output is written")
  func refused() throws {
    let hearth = try RunningDaemon(simulate: 1)
    let store = ["--store", hearth.store.path]
    try hearth.start()
    try waitUntil("samples are stored", saw: { try hearth.hearth("devices").output }) {
      try hearth.hearth("export", "--series", "rr_interval").output.count > 500
    }
    hearth.end(SIGTERM)
    for text in ["short", String(repeating: "x", count: 65), ""] {
      let said = try output(hearth, store + ["export", "--pseudonyms", key(hearth, text)], status: 2)
      #expect(
        said.hasPrefix("H1001 config: ") && said.contains("(--pseudonyms) is no key of 16 to 64 bytes"), "\(said)")
    }
    let absent = try output(hearth, store + ["export", "--pseudonyms", "/nowhere"], status: 2)
    #expect(absent.hasPrefix("H1001 config: ") && absent.contains("/nowhere (--pseudonyms): No such file"), "\(absent)")
    for words in [
      ["--pseudonyms", "k", "--no-names"], ["--pseudonyms-of", "house"],
      ["--pseudonyms", "k", "--pseudonyms-of", "gym"],
      ["--pseudonyms", "k", "--pseudonyms-of", "a/b/c"], ["--shift-days", "36526"], ["--shift-days", "x"],
      ["--explode"], ["--every", "1s"], ["--format", "csv-wide", "--every", "2s"], ["--format", "rr", "--no-raw"],
      ["--format", "rr", "--series", "heart_rate"], ["--format", "rr", "--cursor", "a"],
      ["--format", "csv-wide", "--cursor", "a"], ["--format", "csv-wide", "--series", "ecg"],
      ["--format", "csv", "--ordinals"],
    ] { _ = try output(hearth, store + ["export"] + words, status: 2) }
    let rr = try output(hearth, store + ["export", "--format", "rr"]).split(separator: "\n")
    #expect(rr.count > 3 && rr.dropLast().allSatisfy { Double($0).map { (200...3000).contains($0) } == true })
    #expect(rr.last?.hasPrefix("hearth: \(rr.count - 1) interval") == true)
  }

  @Test("intervals of two wearables are refused with the next step, with a daemon and without")
  func ambiguous() throws {
    let hearth = try gym()
    func check(_ place: [String]) throws {
      let refused = try output(hearth, place + ["export", "--format", "rr"], status: 2)
      #expect(refused.contains("give --device or --person") || refused.contains("give --person"), "\(refused)")
      let lines = try output(hearth, place + ["export", "--format", "rr", "--device", "strap-01"]).split(
        separator: "\n")
      #expect(lines.count > 3 && lines.dropLast().allSatisfy { Double($0) != nil }, "\(lines)")
      let bob = try output(hearth, place + ["export", "--format", "rr", "--person", "Bob"]).split(separator: "\n")
      #expect(bob.count > 3)
    }
    try check([])
    let wide = try output(hearth, ["export", "--format", "csv-wide", "--every", "1m"]).split(separator: "\n")
    #expect(
      wide.first?.hasPrefix("time,device,address,wearer,heart_rate_mean [bpm],rr_interval_mean [ms],battery_last [%]")
        == true)
    #expect(
      wide.count >= 3 && wide.dropFirst().allSatisfy { $0.split(separator: "T")[1].hasPrefix(/\d\d:\d\d:00Z,strap-0/) })
    hearth.end(SIGTERM)
    try check(["--store", hearth.store.path])
  }
}

extension Substring {
  fileprivate func hasPrefix(_ pattern: some RegexComponent) -> Bool { prefixMatch(of: pattern) != nil }
}
