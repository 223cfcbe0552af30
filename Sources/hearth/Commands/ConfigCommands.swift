// The configuration: is it right, and what holds.

import ArgumentParser
import Configuration
import HubProtocol
import Lights
import Reasons

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "The configuration: check a file, show what holds.",
    subcommands: [Check.self, Show.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Would the daemon accept this file? Needs no daemon.")
    @ParentCommand var root: HearthCommand

    @Argument(help: "Default: --config, else \(Configuration.defaultPath).")
    var file: String?

    func run() throws {
      let path = file ?? root.options.config ?? Configuration.defaultPath
      do {
        let settings = try Configuration.load(path: path)
        if let board = settings.boardFile { _ = try Board.load(path: board) }
        let set = settings.entries.count { $0.origin != "default" && !$0.origin.hasPrefix("preset ") }
        let text =
          """
          ok: \(harmless(path, limit: 1024)); \(set) of \(settings.entries.count) keys set, the rest at their \
          defaults\n
          """
        let json: JSON = ["schema": "io.hearth.check/1", "ok": true, "file": .string(path), "error": .null]
        try Output.standard.write(root.options.json ? json.pretty + "\n" : text)
      } catch let error as HearthError {
        let json: JSON = [
          "schema": "io.hearth.check/1", "ok": false, "file": .string(path),
          "error": JSON(encoding: TroubleDocument(error)),
        ]
        if root.options.json { try Output.standard.write(json.pretty + "\n") } else { complain(error) }
        throw ExitCode(1)
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Every key with its value: of the daemon, or with --config of a file.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "Also say where each value comes from.")
    var origin = false

    func run() throws {
      let session = try Session(root.options)
      if root.options.config == nil, let client = try session.connectUnlessDown() {
        let settings: [SettingDocument] = try client.fetch("settings", of: "ConfigShow")
        return try show(settings, session)
      }
      // Without a daemon the file itself is the answer, errors included.
      let settings = try Configuration.load(path: root.options.config ?? Configuration.defaultPath)
      try show(settings.entries.map { SettingDocument(key: $0.key, value: $0.value, origin: $0.origin) }, session)
    }

    private func show(_ settings: [SettingDocument], _ session: Session) throws {
      try session.show(["schema": "io.hearth.settings/1", "settings": JSON(encoding: settings)]) { _ in
        render(settings, origin: origin)
      }
    }
  }
}
