// The configuration: checks of a file, and the settings in force.

import ArgumentParser
import Configuration
import HubProtocol
import Reasons

struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check a configuration file, or show the settings in force.",
    discussion: """
      hearth config check              errors of the file, before a restart
      hearth config show --origin      each key, its value and the value's origin
      """,
    subcommands: [Check.self, Show.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check a configuration file as the daemon would. Needs no daemon.",
      discussion:
        """
        Shows all errors: unknown keys, values that do not fit or that contradict each other, missing folders.

        hearth config check /etc/hearth/hearth.yaml
        """
    )
    @ParentCommand var root: HearthCommand

    @Argument(
      help: "File to check. Default: --config, else \(Configuration.defaultPath).",
      completion: .file(extensions: ["yaml"]))
    var file: String?

    func run() throws {
      let path = file ?? root.options.config ?? Configuration.defaultPath
      let found = Configuration.check(path: path)
      var problems = found.problems
      // Without a file the defaults hold; a file that was named has to exist.
      let isThere = Configuration.isThere(path)
      if problems.isEmpty, !isThere, file != nil || root.options.config != nil {
        problems = [HearthError(.configUnreadable, "\(path): no such file")]
      }
      let json: JSON = [
        "schema": "io.hearth.check/1", "ok": .bool(problems.isEmpty), "file": .string(path),
        "error": problems.first.map { JSON(encoding: TroubleDocument($0)) } ?? .null,
        "errors": .array(problems.map { JSON(encoding: TroubleDocument($0)) }),
      ]
      if root.options.json { try Output.standard.write(json.pretty + "\n") }
      if problems.isEmpty {
        let entries = found.configuration.entries
        let set = entries.count { $0.origin != "default" && !$0.origin.hasPrefix("preset ") }
        let text =
          """
          ok: \(isThere ? "" : "there is no ")\(harmless(path, limit: 1024)); \(set) of \(entries.count) keys set, the \
          rest at their defaults\n
          """
        if !root.options.json { try Output.standard.write(text) }
        return
      }
      if !root.options.json {
        for problem in problems { complain(problem) }
        if problems.count > 1 { Output.error.say("\(counted(problems.count, "error")) in all\n") }
      }
      throw ExitCode(1)
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show every key with its value: the daemon's, or those of a file with --config.")
    @ParentCommand var root: HearthCommand

    @Flag(help: "Also show the origin of each value.")
    var origin = false

    func run() throws {
      let session = try Session(root.options)
      if root.options.config == nil, let client = try session.connectUnlessDown() {
        let settings = try client.configShow().settings
        return try show(settings, session)
      }
      // Without a daemon the file itself is the answer, with its errors.
      let path = root.options.config ?? Configuration.defaultPath
      let settings = try Configuration.load(path: path)
      if root.options.config == nil {
        let source = Configuration.isThere(path) ? "read from" : "these are the defaults, for there is no"
        Output.error.say("hearth: no daemon answers at \(session.socket); \(source) \(path)\n")
      }
      try show(settings.entries.map { SettingDocument(key: $0.key, value: $0.value, origin: $0.origin) }, session)
    }

    private func show(_ settings: [SettingDocument], _ session: Session) throws {
      try session.show(["schema": "io.hearth.settings/1", "settings": JSON(encoding: settings)]) { _ in
        render(settings, origin: origin)
      }
    }
  }
}
