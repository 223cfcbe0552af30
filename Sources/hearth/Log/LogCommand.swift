// The daemon's log, decoded.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show the daemon's log from the journal, decoded line by line; -f follows it.",
    discussion: """
      Reads the journal of \(LogCommand.unit) and splits its lines into time, code, wearable and text. Repeated \
      lines are counted. Users other than root may have to be in the group systemd-journal.

      hearth log -f strap-07     follow one wearable

      For a hub without systemd, --file reads a file with the standard error of hearthd, or - for standard input:

      tail -f hub.log | hearth log --file -

      What must outlast the journal is in hearth events.

      \(timeForms)
      """)
  static let unit = "hearthd.service"
  static let standardCount = 100
  private static let mostLines = 100_000
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only lines of this wearable, by name.", completion: .wearables)
  var name: String?

  @Flag(name: .short, help: "Follow new lines until interrupted.")
  var follow = false

  @Option(help: ArgumentHelp("Only this code, or a block of codes: H2104, H21xx, H21.", valueName: "code"))
  var code: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Start time, included. A date means its start.", valueName: "time"))
  var since: String?

  @Option(name: .customShort("n"), help: ArgumentHelp("Number of lines, the newest: 1 to 100000.", valueName: "n"))
  var count: Int?

  @Option(
    help: ArgumentHelp("Read this file in place of the journal; - is standard input.", valueName: "file"),
    completion: .file())
  var file: String?

  func validate() throws {
    if let count, !(1...Self.mostLines).contains(count) {
      throw ValidationError("-n takes 1 to \(Self.mostLines), not \(count)")
    }
    if file != nil, since != nil { throw ValidationError("--since is for the journal: lines of a file have no date") }
    if file != nil, follow {
      throw ValidationError("-f is for the journal; of a file: tail -f FILE | hearth log --file -")
    }
  }

  func run() throws {
    try checkTime("--since", since)
    let filter = LogFilter(name: name, code: try codePattern(code))
    let session = try Session(root.options)
    // Without an answer of the hub, this machine's zone is as good as any.
    let client = try? session.connectUnlessDown()
    let time = (try? session.time(client)) ?? session.hubTime(nil)
    var output = LogOutput(time, isJSON: root.options.json, verbose: root.options.verbose)
    if let file { return try readFile(file, filter, &output) }
    let from = try time.time(since, of: "--since").map { "--since=@\($0.microseconds / 1_000_000)" }
    if follow { return try followJournal(filter, from, &output) }
    try readJournal(filter, from, &output)
  }

  // MARK: The journal

  private static let standardArguments = ["--no-pager", "--quiet", "--output=json", "--unit=\(unit)"]

  /// Reads from the newest line backwards, until there are enough.
  private func readJournal(_ filter: LogFilter, _ from: String?, _ output: inout LogOutput) throws {
    let child = try JournalChild(Self.standardArguments + ["--reverse"] + [from].compactMap { $0 })
    var lines = LineReader(child.output)
    var found: [LogEntry] = []
    var names = NamesSeen()
    let limit = count ?? Self.standardCount
    var isDone = false
    while found.count < limit {
      guard let line = lines.next() else {
        isDone = true
        break
      }
      guard let entry = LogEntry(line: line) else { continue }
      names.note(entry)
      if filter.passes(entry) { found.append(entry) }
    }
    let status = child.end(isDone: isDone)
    if status != 0 { throw JournalChild.refusal("journalctl ended with \(status)") }
    if names.lines == 0, from == nil {
      throw JournalChild.refusal("the journal has no line of \(Self.unit), or this user may not read them")
    }
    for entry in found.reversed() { try output.take(entry) }
    try output.end()
    if found.isEmpty { names.complain(name) }
  }

  private func followJournal(_ filter: LogFilter, _ from: String?, _ output: inout LogOutput) throws {
    let tail = from ?? "--lines=\(count ?? 10)"
    let child = try JournalChild(Self.standardArguments + ["--follow", tail])
    var lines = LineReader(child.output)
    do {
      while let line = lines.next() {
        if let entry = LogEntry(line: line), filter.passes(entry) { try output.take(entry) }
        if lines.wouldWait { try output.settle() }
      }
      try output.end()
    } catch {
      _ = child.end(isDone: false)
      throw error
    }
    let status = child.end(isDone: true)
    if status != 0 { throw JournalChild.refusal("journalctl ended with \(status)") }
  }

  // MARK: A file

  /// Reads lines in their order; with a number, only the newest ones.
  private func readFile(_ path: String, _ filter: LogFilter, _ output: inout LogOutput) throws {
    let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      throw Misuse(
        error: HearthError(.controlBadParameter, "--file \(harmless(path)): \(String(cString: strerror(errno)))"))
    }
    defer { if descriptor != 0 { close(descriptor) } }
    var lines = LineReader(descriptor)
    var newest: [LogEntry] = []
    var names = NamesSeen()
    var hasAny = false
    while let line = lines.next() {
      guard let entry = LogEntry(line: line) else { continue }
      names.note(entry)
      guard filter.passes(entry) else { continue }
      hasAny = true
      guard let count else {
        try output.take(entry)
        if lines.wouldWait { try output.settle() }
        continue
      }
      newest.append(entry)
      if newest.count >= 2 * count { newest.removeFirst(newest.count - count) }
    }
    for entry in newest.suffix(count ?? 0) { try output.take(entry) }
    try output.end()
    if !hasAny { names.complain(name) }
  }
}

/// Names of wearables in the lines, to suggest one for a mistyped name.
struct NamesSeen {
  private(set) var lines = 0
  private var names: Set<String> = []

  init() {}

  mutating func note(_ entry: LogEntry) {
    lines += 1
    if let device = entry.device, names.count < 512, device.utf8.count <= 64 { names.insert(device) }
  }

  func nearest(_ name: String) -> String? { nearMiss(name, among: names.sorted(), atMost: 1) }

  /// Reports on standard error that no line was found.
  func complain(_ name: String?) {
    try? Output.standard.flush()
    let whose = name.map { " of '\(harmless($0))'\(hint(nearest($0).map { harmless($0) }))" } ?? ""
    Output.error.say("hearth: no such line\(whose)\n")
  }
}

/// Prints folded entries to standard output.
struct LogOutput {
  private let time: HubTime
  private let isJSON: Bool
  private let verbose: Bool
  private let style = Style.ofStandardOutput
  private var folding = LogFolding()
  private var hasBegun = false

  init(_ time: HubTime, isJSON: Bool, verbose: Bool) {
    self.time = time
    self.isJSON = isJSON
    self.verbose = verbose
  }

  mutating func take(_ entry: LogEntry) throws { try write(folding.take(entry)) }

  mutating func end() throws {
    try write(folding.end())
    try settle()
  }

  /// Makes all output visible now.
  func settle() throws { try Output.standard.flush() }

  private mutating func write(_ pieces: [LogFolding.Piece]) throws {
    for piece in pieces {
      if isJSON {
        try Output.standard.write(json(piece).compact + [0x0A])
        continue
      }
      if !hasBegun { try Output.standard.write(zoneLine(time)) }
      hasBegun = true
      try Output.standard.write(folded(render(piece, time, verbose: verbose), style.width))
    }
  }
}
