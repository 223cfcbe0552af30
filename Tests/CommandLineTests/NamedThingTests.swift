import ArgumentParser
import Foundation
import Reasons
import Testing

@testable import Configuration
@testable import hearth

/// Every command, key, code and file that a text names is there: texts of codes, pages, settings, units, and what the
/// programs print.
@Suite("What texts name")
struct NamedThingTests {
  private static let ofCodes = Reason.allCases.flatMap { reason in
    [reason.text.sentence, reason.text.effect, reason.text.next, reason.explanation].map {
      NamedText(place: reason.code, form: .prose, text: $0)
    }
  }
  private static let all = ofCodes + NamedText.pages + NamedText.literals

  @Test("each command that is named is one that the command line takes")
  func commands() {
    var count = 0
    for text in Self.all {
      let found = NamedCommands.faults(text)
      count += found.count
      #expect(found.faults.isEmpty, "\(text.place): \(found.faults)")
    }
    #expect(count > 500)
  }

  @Test("each key that is named is in the table of its file")
  func keys() {
    let tables = Self.tables
    let sections = Set(tables.compactMap { $0.split(separator: ".").first })
    let known = Set(
      tables.flatMap { key in
        let parts = key.split(separator: ".")
        return (1...parts.count).map { parts.prefix($0).joined(separator: ".") }
      })
    let key = /(?:^|[ '"(`|:])([a-z]+)\.([a-z][a-z_]+(?:\.[a-z][a-z_]+)*)(?=$|[ ;,:)'"`|]|\. |\.$)/
    let endings: Set = ["log", "prom", "backup", "yaml", "hearth", "service", "timer", "md", "swift", "varlink", "py"]
    var count = 0
    for text in Self.all where text.text.utf8.contains(UInt8(ascii: ".")) {
      for match in text.text.matches(of: key) where sections.contains(match.output.1) {
        let name = "\(match.output.1).\(match.output.2)"
        if endings.contains(String(name.split(separator: ".").last ?? "")) { continue }
        count += 1
        #expect(known.contains(name), "\(text.place): there is no key \(name)")
      }
    }
    #expect(count > 100)
  }

  /// Of hearth.yaml from the program; of the other programs' files from the files that have every key.
  private static let tables: Set<String> = {
    var keys = Set(Schema.keys.map(\.path))
    for file in ["config/export.yaml", "config/uplink.yaml", "config/sink.yaml"] {
      var path: [(depth: Int, name: Substring)] = []
      for line in NamedText.read(file).split(separator: "\n") {
        guard let match = line.prefixMatch(of: /( *)#?([a-z_]+):/) else { continue }
        path.removeAll { $0.depth >= match.output.1.count }
        path.append((match.output.1.count, match.output.2))
        keys.insert(path.map { String($0.name) }.joined(separator: "."))
      }
    }
    return keys
  }()

  @Test("each code that is named is there, and a setting's comment names the code that it is about")
  func codes() {
    let retired: Set = ["H2006", "H2107", "H3190", "H4104"]
    for text in Self.all where text.text.utf8.contains(UInt8(ascii: "H")) {
      for match in text.text.matches(of: /\bH\d{4}\b/) {
        let code = String(match.output)
        let reason = Reason(code: code)
        #expect(reason != nil || retired.contains(code), "\(text.place): there is no code \(code)")
        guard let reason, text.place.hasPrefix("config/") else { continue }
        let words = Set(reason.text.sentence.split { !$0.isLetter }.filter { $0.count > 4 && $0 != "wearable" })
        #expect(words.contains { text.text.contains($0) }, "\(text.place): \(code) means: \(reason.text.sentence)")
      }
    }
  }

  @Test("each file of the repository, unit and manual page that is named is there")
  func files() {
    let units = Set((try? FileManager.default.contentsOfDirectory(atPath: path("board"))) ?? [])
    let pages = Set(HearthCommand.configuration.subcommands.compactMap { $0.configuration.commandName }).union([""])
    let others: Set = [
      "export.yaml", "hearthd", "hearth.yaml", "hearth-setup.yaml", "hearth-uplink", "hearth-sink", "uplink.yaml",
    ]
    for text in Self.all {
      // A path, systemctl or man.
      if !text.text.holds("/"), !text.text.holds("systemctl "), !text.text.holds("man ") { continue }
      for match in text.text.matches(of: /(?:^|[ `(])((?:Sources|Tests|board|config)\/[A-Za-z0-9_.\/-]*[A-Za-z0-9])/) {
        let file = String(match.output.1)
        // A part of a name, or a place for one.
        let next = text.text[match.range.upperBound...].first
        if next == "_" || next == "*" || next == "<" || file.contains(/\/[A-Z]+$|-N$/) { continue }
        let isThere = [file, "\(file).swift"].contains { FileManager.default.fileExists(atPath: path($0)) }
        #expect(isThere, "\(text.place): there is no \(file)")
      }
      for match in text.text.matches(of: /systemctl (?:start|stop|restart|reload|status|enable|disable) ([a-z@.-]+)/) {
        let unit = String(match.output.1).trimmingCharacters(in: CharacterSet(charactersIn: "."))
        if !unit.hasPrefix("hearth") { continue }
        #expect(units.contains(unit) || units.contains("\(unit).service"), "\(text.place): there is no unit \(unit)")
      }
      for match in text.text.matches(of: /\bman (hearth[a-z.-]*[a-z])/) {
        let page = String(match.output.1)
        let isCommand = page == "hearth" || page.hasPrefix("hearth-") && pages.contains(String(page.dropFirst(7)))
        #expect(isCommand || others.contains(page), "\(text.place): there is no page \(page)")
      }
    }
  }

  private func path(_ file: String) -> String { NamedText.root.appendingPathComponent(file).path }

  @Test("a command, a key or an option that is not there would be found")
  func finds() {
    func faults(_ text: String, _ form: NamedText.Form = .prose) -> [String] {
      NamedCommands.faults(NamedText(place: "here", form: form, text: text)).faults
    }
    #expect(faults("see hearth device NAME; then wait").isEmpty)
    #expect(faults("the hub asks, and hearth devices shows who waits").isEmpty)
    #expect(!faults("check it; hearth enrol open, then wait").isEmpty)
    #expect(!faults("hearth device NAME forgett, then wait").isEmpty)
    #expect(!faults("it stays until hearth forget").isEmpty)
    #expect(!faults("hearth store --by-wearable shows it").isEmpty)
    #expect(!faults("sudo hearth device NAME report settings", .command).isEmpty)
    #expect(faults("sudo hearth wearer add 'Ada Lovelace' && true", .command).isEmpty)
    #expect(SwiftLiterals("let a = \"b \\(c(\"d\")) e\" // \"f\"").found.map(\.text).sorted() == ["b \u{25E6} e", "d"])
  }
}
