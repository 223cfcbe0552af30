// Main program of the sink: arguments, settings, one loop.

import ArgumentParser
import EventLoop
import Glibc
import Reasons
import Sink

@main
struct HearthSink: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-sink",
    abstract: "Store the rows of many hubs from a message broker in PostgreSQL (sink).",
    discussion: """
      Runs on a server, not on a hub. A message is acknowledged to the broker when its rows are committed. The \
      program may be killed at any time: rows are neither lost nor doubled.

      hearth-sink gaps --since yesterday     rows that are missing

      Exit codes: 0 done. 1 the database cannot be used. 2 settings refused. 3 rows are missing (gaps). 64 arguments \
      refused.
      """,
    version: hearthVersion, subcommands: [Run.self, Schema.self, Gaps.self, Ask.self, Again.self, Adopt.self],
    defaultSubcommand: Run.self)
}

struct SettingsFile: ParsableArguments {
  @Option(help: ArgumentHelp("Settings file.", valueName: "file"))
  var config: String = "/etc/hearth/sink.yaml"

  func read() throws -> SinkSettings {
    do { return try SinkSettings(file: config) } catch {
      complain(error)
      throw ExitCode(2)
    }
  }
}

struct Span: ParsableArguments {
  @Option(help: ArgumentHelp("Start time, as PostgreSQL reads times: 2026-11-01, yesterday.", valueName: "time"))
  var since: String = "-infinity"

  @Option(help: ArgumentHelp("End time.", valueName: "time"))
  var until: String = "infinity"

  @Flag(help: "Print JSON.")
  var json = false

  var asked: AskedSpan { AskedSpan(since: since, until: until) }
}

extension HearthSink {
  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Consume messages until SIGTERM.")
    @OptionGroup var file: SettingsFile

    func run() throws {
      let settings = try file.read()
      try answered { loop in try await SinkRun(loop, settings).run() }
    }
  }

  struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the schema, or bring the database up to it.")
    @OptionGroup var file: SettingsFile

    @Flag(help: "Apply the schema; a repetition is harmless.")
    var apply = false

    @Flag(help: "Print the variant for a database with TimescaleDB.")
    var timescale = false

    func run() throws {
      if !apply { return put(SinkSchema.text(timescale: timescale)) }
      let settings = try file.read()
      let divides = try answered { loop in try await SinkSchema.apply(loop, settings) }
      put("schema applied, rows divided by \(divides ? "TimescaleDB" : "month")")
    }
  }

  struct Gaps: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List missing rows (gaps).",
      discussion: """
        Ordinals show the rows that are missing between others. Before the oldest and behind the newest row of a \
        ring, the hub's own reports count. Five minutes after a hub reported rows as acknowledged by the broker, \
        they must be here. Rows that a hub says it does not have are not missing.

        hearth-sink gaps --since yesterday
        """)
    @OptionGroup var file: SettingsFile
    @OptionGroup var span: Span

    func run() throws {
      let settings = try file.read()
      let (span, json) = (span.asked, span.json)
      let found = try answered { loop in try await SinkAsking.gaps(loop, settings, span, json: json) }
      put(found.text)
      if found.missing > 0 { throw ExitCode(3) }
    }
  }

  struct Again: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Retry the messages that were put aside (quarantine).",
      discussion: """
        Messages that can be stored now leave the quarantine. The rest stays there with its bytes and its cause.

        hearth-sink again
        """)
    @OptionGroup var file: SettingsFile

    func run() throws {
      let settings = try file.read()
      let done = try answered { loop in try await SinkAsking.again(loop, settings) }
      put("\(done.stored) messages stored, \(done.left) still aside")
    }
  }

  struct Adopt: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a hub take over a store that another hub had.",
      discussion: """
        Two hubs with one store number are a card and its copy, so rows of the second hub are put aside (H9105). \
        Rows of the same machine under another name are accepted at once. Otherwise the first hub must have left or \
        died as long ago as database.takeover says. This command accepts the rows now, and retries those that are \
        aside.
        """)
    @OptionGroup var file: SettingsFile

    @Argument(help: "Number of the store, as in the log.")
    var store: String

    @Argument(help: ArgumentHelp("Hub that has the store from now on.", valueName: "group/hub"))
    var hub: String

    func run() throws {
      let settings = try file.read()
      let (store, hub) = (store, hub)
      let isKnown = try answered { loop in
        try await SinkAsking.adopt(loop, settings, store: store, hub: hub)
      }
      if !isKnown { throw ValidationError("the database knows no store \(store), or no hub \(hub)") }
      let done = try answered { loop in try await SinkAsking.again(loop, settings) }
      put("\(store) is \(hub)'s from its next rows on; \(done.stored) messages stored, \(done.left) still aside")
    }
  }

  struct Ask: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Answer one of the documented questions.",
      discussion: SinkQuestion.all.map { "\($0.name): \($0.abstract)" }.joined(separator: "\n\n"))
    @OptionGroup var file: SettingsFile
    @OptionGroup var span: Span

    @Argument(help: "Name of the question.", completion: .list(SinkQuestion.all.map(\.name)))
    var question: String

    @Option(
      help: ArgumentHelp("The hub, wearer, group or address that the question is about.", valueName: "name")
    )
    var whom: String?

    func run() throws {
      guard let asked = SinkQuestion.all.first(where: { $0.name == question }) else {
        throw ValidationError(
          "there is no question '\(question)': \(SinkQuestion.all.map(\.name).joined(separator: ", "))")
      }
      let settings = try file.read()
      let (span, json, whom) = (span.asked, span.json, whom)
      put(try answered { loop in try await SinkAsking.ask(loop, settings, asked, span, whom: whom, json: json) })
    }
  }
}

/// Runs `body` on the loop; errors are printed in one line with the next step.
private func answered<Value: Sendable>(_ body: @escaping @LoopActor (EpollLoop) async throws -> Value) throws -> Value {
  do { return try EpollLoop.run(body) } catch let error as HearthError {
    complain(error)
    throw ExitCode(1)
  }
}

private func complain(_ error: HearthError) {
  var text = "hearth-sink: \(error)\n"
  if !error.reason.text.next.isEmpty { text += "      next: \(error.reason.text.next)\n" }
  text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}

private func put(_ text: String) {
  var line = text.hasSuffix("\n") ? text : text + "\n"
  line.withUTF8 { bytes in
    var place = 0
    while place < bytes.count, let base = bytes.baseAddress {
      let count = write(1, base + place, bytes.count - place)
      if count <= 0 { return }
      place += count
    }
  }
}
