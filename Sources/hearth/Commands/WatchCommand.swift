// The hub on a full screen, updated live, which a technician leaves open over SSH.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Show the hub on a full screen, updated live; ? lists its keys.",
    discussion: """
      Repaints at most four times a second and sends only changes: it may stay open over a slow line. The hub is \
      only read. If the daemon stops, the last answer stays, and the screen goes on when a daemon answers again.

      hearth watch --once     one screen as plain text, for a ticket

      Exit code 1 with --once: the hub needs attention.
      """)
  @ParentCommand var root: HearthCommand

  @Flag(help: "Print one screen and end.")
  var once = false

  @Option(
    help: ArgumentHelp("Width of the screen of --once, 40 to 1000. Default: the terminal's, else 80.", valueName: "n"))
  var columns: Int?

  @Option(
    help: ArgumentHelp("Only wearables with this text in their name, kind or state.", valueName: "text"))
  var find: String?

  func validate() throws {
    if let columns, !(WatchSize.least.columns...1000).contains(columns) {
      throw ValidationError("--columns takes \(WatchSize.least.columns) to 1000, not \(columns)")
    }
    if columns != nil, !once { throw ValidationError("--columns belongs to --once; else the terminal says how wide") }
    if root.options.json, !once { throw ValidationError("--json belongs to --once; a program calls Watch itself") }
  }

  func run() throws {
    let session = try Session(root.options)
    var reader = WatchReader()
    reader.filter = String((find ?? "").prefix(32))
    if once { return try showOnce(session, reader) }
    guard isatty(0) == 1, Terminal.isCapable(1) else {
      throw HearthError(.terminalMissing, "standard input and output are no terminal that can redraw a screen")
    }
    try WatchTerminal(session, reader).run()
  }

  /// Shows all wearables and events, as a ticket cannot be scrolled.
  private func showOnce(_ session: Session, _ reader: WatchReader) throws {
    let view = try session.connect().watch().view
    guard let status = view.status else { throw HearthError(.controlMalformed, "the answer to Watch has no status") }
    try session.show(JSON(encoding: view), code: needsAttention(status) ? 1 : 0) { style in
      onceText(view, reader, columns ?? style.width ?? 80, session.hubTime(status.clock.zone))
    }
  }
}

/// The first page with all its rows, without keys and without blank lines at its end.
func onceText(_ view: ViewDocument, _ reader: WatchReader, _ columns: Int, _ time: HubTime) -> String {
  var model = WatchModel()
  model.apply(view)
  var reader = reader
  reader.marksSelected = false
  // A wearable takes at most two lines. The rest is for the head, the events and their titles.
  let size = WatchSize(columns: columns, rows: 30 + 2 * model.devices.count + 2 * model.events.count)
  var lines = frame(model, reader, size, time).lines.dropLast().map { line in
    String(line.text.reversed().drop { $0 == " " }.reversed())
  }
  var text = ""
  while lines.last?.isEmpty == true { lines.removeLast() }
  // Blank lines between wearables and events are only useful on a screen.
  for (index, line) in lines.enumerated() where !line.isEmpty || index + 1 < lines.count && !lines[index + 1].isEmpty {
    text += line + "\n"
  }
  return text
}
