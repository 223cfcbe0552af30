import ArgumentParser
import Foundation
import ProgramSupport
import Reasons
import Testing

@testable import hearth

@Suite("Options of the command line")
struct CLIOptionTests {
  /// A command with the words that name it.
  private struct Named {
    let type: any ParsableCommand.Type
    let words: [String]
  }

  private static var all: [Named] {
    func walk(_ one: Named) -> [Named] {
      [one]
        + one.type.configuration.subcommands.flatMap { child in
          walk(Named(type: child, words: one.words + [child.configuration.commandName ?? ""]))
        }
    }
    return walk(Named(type: HearthCommand.self, words: []))
  }

  private struct Dump: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
      var word: String { (kind == "long" ? "--" : "-") + name }
    }
    struct Argument: Decodable {
      let kind: String
      let isRepeating: Bool
      let names: [Name]?
    }
    struct Command: Decodable { let arguments: [Argument]? }
    let command: Command
  }

  private func options(_ type: any ParsableArguments.Type) throws -> [Dump.Argument] {
    let dump = try JSONDecoder().decode(Dump.self, from: Data(type._dumpHelp().utf8))
    return (dump.command.arguments ?? []).filter { $0.kind == "option" }
  }

  @Test("an option of every command takes several values, or is refused when it is given twice")
  func repeated() throws {
    var (single, several) = (0, 0)
    for command in Self.all {
      let own = command.words.isEmpty ? [] : try options(command.type)
      for option in try own + options(GlobalOptions.self) {
        for name in option.names ?? [] {
          // Whatever the values are, and in both spellings.
          for twice in [[name.word, "a", name.word, "b"], ["\(name.word)=a", name.word, "b"]] {
            let line = command.words + twice
            if option.isRepeating {
              several += 1
              #expect(throws: Never.self) { try refuseRepeatedOptions(line, of: command.type) }
            } else {
              single += 1
              let refusal = #expect(throws: Misuse.self, "\(line)") {
                try refuseRepeatedOptions(line, of: command.type)
              }
              #expect(refusal?.error.detail == "\(name.word) takes one value, and is given more than once")
            }
          }
          #expect(throws: Never.self) { try refuseRepeatedOptions(command.words + [name.word, "a"], of: command.type) }
        }
      }
    }
    #expect(single > 500 && several > 0, "\(single), \(several)")
  }

  @Test("a wearable may be called like a subcommand; what a subcommand does not take is refused")
  func subcommands() throws {
    let shown = try #require(try HearthCommand.parseAsRoot(["device", "pause"]) as? DeviceCommand.Show)
    #expect(shown.device.name == "pause")
    let paused = try HearthCommand.parseAsRoot(["device", "pause", "pause", "--for", "2h", "--json"])
    #expect((paused as? DeviceCommand.Pause)?.device.name == "pause")
    #expect((paused as? DeviceCommand.Pause)?.device.root.options.json == true)
    let order = try HearthCommand.parseAsRoot(["settings", "set", "set", "set", "set"])
    #expect((order as? SettingsCommand.Order.Setting)?.settings.name == "set")
    for words in [
      ["device", "a", "paint"], ["device", "a", "rename"], ["device", "a", "erase", "perhaps"],
      ["device", "a", "listen"], ["device", "a", "absent-after", "1s"], ["device", "a", "--yes"],
      ["device", "a", "resume", "--for", "2h"], ["device", "a", "pause", "--for", "x"], ["alerts", "a", "set"],
      ["alerts", "a", "set", "rest-above", "x"], ["alerts", "a", "set", "exercise", "120"],
      ["alerts", "a", "set", "loud", "120"], ["recordings", "a", "start"], ["recordings", "a", "stop", "a", "b"],
      ["settings", "a", "set"], ["settings", "a", "set", "secret", "0011"], ["settings", "a", "set", "rates", "acc"],
      ["settings", "a", "--generate"], ["settings", "a", "set", "streams", "loudness"], ["link", "a", "set", "asleep"],
      ["link", "a", "set", "auto", "--central"], ["training", "a", "pause"],
    ] {
      #expect(throws: (any Error).self, "\(words)") { try HearthCommand.parseAsRoot(words) }
    }
  }

  @Test("a wrong time has its code and its next step, also as the end of a pause or of a mute")
  func ends() throws {
    for words in [
      ["device", "a", "pause", "--until", "25:00"], ["mute", "H2230", "--until", "25:00"],
      ["events", "--until", "25:00"], ["wearer", "correct", "a", "25:00", "--nobody"],
    ] {
      var command = try HearthCommand.parseAsRoot(words)
      let refusal = #expect(throws: Misuse.self, "\(words)") { try command.run() }
      #expect(refusal?.error.reason == .timeNotUnderstood, "\(words)")
    }
  }

  @Test("without a daemon and without a store, the option for another store is named")
  func noStore() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("no-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, socket) = (folder.path + "/hearth.yaml", folder.path + "/none.sock")
    try Data("store: {path: \(folder.path)/none}\n".utf8).write(to: URL(fileURLWithPath: file))
    for words in [["store"], ["events"], ["days", "Ada"]] {
      var command = try HearthCommand.parseAsRoot(words + ["--config", file, "--socket", socket])
      let refusal = #expect(throws: HearthError.self, "\(words)") { try command.run() }
      #expect(refusal?.reason == .daemonDown, "\(words)")
      #expect(
        refusal?.detail.hasSuffix("there is no store at \(folder.path)/none: --store names another folder") == true)
    }
  }

  @Test("flags given twice, values that look like options, and words behind -- are no repetition")
  func others() throws {
    for line in [
      ["export", "--json", "--json"], ["export", "--since", "-2h", "--until", "-2h"],
      ["action", "a", "b", "--", "--json", "--socket", "--socket"],
    ] {
      let command = try HearthCommand.parseAsRoot(line.first == "action" ? ["action", "a"] : line)
      #expect(throws: Never.self) { try refuseRepeatedOptions(line, of: type(of: command)) }
    }
  }

  @Test("a repeated option ends with H6005 and 2, and no answer is printed")
  func exported() throws {
    let hearth = try RunningDaemon(simulate: 1)
    try hearth.start()
    let (status, output) = try hearth.hearth("export", "--format", "csv", "--format", "ndjson")
    #expect(
      status == 2 && output.hasPrefix("H6005 control: --format takes one value, and is given more than once"),
      "\(output)")
    // An end that is not later than its begin is one everywhere.
    for command in [
      ["export"], ["items", "strap-01", "heart_rate"], ["events"], ["visits"], ["days", "strap-01", "heart_rate"],
      ["coverage", "strap-01"], ["access"], ["store", "peek", "strap-01", "heart_rate"],
    ] {
      for times in [["--since", "2026-11-22", "--until", "2026-11-20"], ["--since", "1h", "--until", "2h"]] {
        let (status, output) = try hearth.hearth(arguments: command + times)
        #expect(status == 2 && output.contains("H6005 control: --until ("), "\(command + times): \(output)")
      }
    }
    let (fine, text) = try hearth.hearth("visits", "--since", "2026-11-20", "--until", "2026-11-20")
    #expect(fine == 0, "\(text)")
  }
}
