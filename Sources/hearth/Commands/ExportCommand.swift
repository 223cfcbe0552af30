// Samples as lines, from the daemon or from the files; with a cursor, only those that are new for its reader.

public import ArgumentParser
import EventLoop
public import Export
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Export samples as CSV or JSON lines (NDJSON), by wearable and series.",
    discussion: """
      --cursor exports only rows that the reader of this name has not had yet. The first export with a name creates \
      the cursor. A cursor counts for all series, or for those that it is used with.

      The hub marks rows as read after their lines were written to standard output without an error. If the output \
      is a file, the lines must be safe on its disk first. This happens every 10 000 lines or 10 s, and at the end. \
      Marked rows are not exported again, and a full hub evicts them before others.

      After a correction of an assignment, the reader first learns the right wearer of rows that it had. NDJSON has \
      lines with correction; beside CSV the corrections go to standard error. Samples from before the hub heard a \
      time server may get corrected times after their reader had them. Such samples are exported again: in NDJSON in \
      lines with retimed, which also have the former time. Beside CSV these are counted on standard error.

      Missing rows are reported in their place: in NDJSON in lines with gap, with wearable, series, first and last \
      place, and cause. The cause is damaged (on the card) or gone: evicted, purged or erased before the reader of \
      this cursor had them. If any are damaged, the exit code is 1.

      --ordinals adds the place of each line: enrolment, way and ordinal. Ordinals rise by one along a series, so \
      that a repeated line can be recognised.

      hearth export --format csv --device strap-07 --since yesterday
      hearth export --person Ada --series heart_rate     while Ada wore the wearable
      hearth export --cursor ward                        only rows that are new

      \(timeForms) The lines themselves are in UTC.
      """)
  @ParentCommand var root: HearthCommand

  @Option(help: ArgumentHelp("Format of the lines: ndjson or csv.", valueName: "format"))
  var format: SampleExport.Format = .ndjson

  @Option(
    help: ArgumentHelp("Only samples of this person, by name or number.", valueName: "person"),
    completion: .wearers)
  var person: String?

  @Option(
    help: ArgumentHelp("Only this wearable, by name or address; may be repeated.", valueName: "name"),
    completion: .wearables)
  var device: [String] = []

  @Option(
    help: ArgumentHelp("Only this series, for example heart_rate; may be repeated.", valueName: "series"),
    completion: .series)
  var series: [String] = []

  @OptionGroup var times: TimeOptions

  @Option(help: ArgumentHelp("Continue after the last row of the reader of this name.", valueName: "name"))
  var cursor: String?

  private typealias TimeSpan = (since: WallTime?, until: WallTime?)

  @Flag(help: "With --cursor: do not mark rows as read, so that the same lines come again.")
  var noConfirm = false

  @Flag(help: "Add the place of each line in the store: enrolment, way, ordinal (ndjson only).")
  var ordinals = false

  func validate() throws {
    if ordinals, format != .ndjson { throw ValidationError("--ordinals is for --format ndjson") }
    if cursor != nil, times.isGiven {
      throw ValidationError("--cursor takes no times: what its reader has had has no holes")
    }
    if cursor != nil, person != nil {
      throw ValidationError("--cursor takes no person: what its reader has had has no holes")
    }
    if noConfirm, cursor == nil { throw ValidationError("--no-confirm is for --cursor") }
  }

  func run() throws {
    try times.check()
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    if client == nil, cursor != nil, !noConfirm {
      // Without confirmation the same lines would silently come again.
      throw session.daemonMissing("only the daemon can note what a cursor's reader has had")
    }
    let span = try times.isGiven ? times.span(session.time(client)) : (nil, nil)
    let missing =
      if let client, let cursor, !noConfirm { try exportByCursor(cursor, from: client) } else if let client {
        try export(from: client, span)
      } else {
        try export(from: session.openStore(), span)
      }
    try Output.standard.flush()
    if missing.corrupt > 0 {
      complain(
        HearthError(
          .storeChunkCorrupt, "\(counted(missing.corrupt, "chunk")) of samples could not be read and are missing"))
    }
    if missing.gone > 0 {
      Output.error.say("hearth: \(counted(missing.gone, "row")) went before this cursor's reader had them\n")
    }
    if client == nil { try session.noteOffline() }
    if missing.corrupt > 0 { throw ExitCode(1) }
  }

  /// Number of unreadable chunks, and of rows that were deleted before their reader had them.
  private typealias Missing = (corrupt: Int, gone: Int)

  private var head: String { format == .csv ? SampleExport.csvHeader + "\n" : "" }

  /// Exports from the daemon, page by page.
  private func export(from client: ControlClient, _ span: TimeSpan) throws -> Missing {
    var missing: Missing = (0, 0)
    var failure: (any Error)?
    try Output.standard.write(head)
    let wanted = Methods.Export.Parameters(
      device: device.first, series: series.first, since: span.since?.rfc3339, until: span.until?.rfc3339,
      cursor: cursor, ordinals: ordinals ? true : nil, devices: several(device), allSeries: several(series),
      person: person)
    try client.stream(Methods.Export.self, wanted) { reply in
      missing.corrupt = reply.corruptChunks
      do {
        try tell(reply.corrections, missed: reply.correctionsMissed, reply.retimed)
        try tellGaps(reply.gaps, asLines: format == .ndjson, gone: &missing.gone)
        try write(reply.samples)
      } catch {
        failure = error
        return false
      }
      return true
    }
    if let failure { throw failure }
    return missing
  }

  /// Exports after a cursor. The call for the next page confirms the written lines, so that all of them have left this
  /// program before.
  private func exportByCursor(_ cursor: String, from client: ControlClient) throws -> Missing {
    var missing: Missing = (0, 0)
    var pace = ConfirmPace(now: monotonicMilliseconds())
    var next = Methods.ExportNext.Parameters(
      cursor: cursor, device: device.first, series: series.first, confirm: false, by: whoAsks(),
      ordinals: ordinals ? true : nil, devices: several(device), allSeries: several(series))
    try Output.standard.write(head)
    while true {
      let reply = try client.exportNext(next, patience: 60)
      missing.corrupt = Int(clamping: Int128(missing.corrupt) + Int128(reply.corruptChunks))
      try tell(reply.corrections, missed: reply.correctionsMissed, reply.retimed)
      try tellGaps(reply.gaps, asLines: format == .ndjson, gone: &missing.gone)
      try write(reply.samples)
      pace.lines += reply.samples.count
      let isDue = reply.last || pace.isDue(monotonicMilliseconds())
      if isDue { try Output.standard.settle() }
      next.confirm = isDue
      if reply.last {
        _ = try client.exportNext(next, patience: 60)
        return missing
      }
      if isDue { pace = ConfirmPace(now: monotonicMilliseconds()) }
    }
  }

  /// All names but the first one, whose parameter older hubs know too.
  private func several(_ names: [String]) -> [String]? { names.count > 1 ? Array(names.dropFirst()) : nil }

  private func tell(_ corrections: [CorrectionDocument]?, missed: Int?, _ retimed: [JSON]?) throws {
    try tellCorrections(corrections, missed: missed, asLines: format == .ndjson)
    try tellRetimed(retimed, asLines: format == .ndjson)
  }

  private func write(_ samples: [JSON]) throws {
    var lines: [UInt8] = []
    for sample in samples { SampleExport.append(sample, format, to: &lines) }
    try Output.standard.write(lines)
  }

  /// Exports from the files.
  private func export(from reader: StoreReader, _ span: TimeSpan) throws -> Missing {
    let filter = ExportFilter(
      devices: device, series: series, person: person, since: span.since, until: span.until)
    let writer = reader.sampleExport(format)
    let pages = try reader.export(try filter.query(reader.wearables + reader.retiredWearables, writer), reader: cursor)
    try Output.standard.write(writer.head)
    var missing: Missing = (0, 0)
    var lines: [UInt8] = []
    while let page = try pages.next() {
      let gaps = page.gaps.map { MissingRowsDocument($0, writer) }
      try tellGaps(gaps, asLines: format == .ndjson, gone: &missing.gone)
      lines.removeAll(keepingCapacity: true)
      for sample in page.samples {
        if ordinals { writer.appendPlaced(sample, to: &lines) } else { writer.append(sample, to: &lines) }
      }
      try Output.standard.write(lines)
      missing.corrupt += page.corruptChunks
    }
    return missing
  }
}

/// Pace of confirmations: rare enough to spare the hub's card, frequent enough that a broken export repeats little.
struct ConfirmPace {
  static let lineLimit = 10_000
  static let milliseconds: Int64 = 10_000

  var lines = 0
  private let since: Int64

  init(now: Int64) { since = now }

  func isDue(_ now: Int64) -> Bool { lines >= Self.lineLimit || lines > 0 && now - since >= Self.milliseconds }
}

/// Name of the reader for the hub: `pi@192.168.1.7` over SSH, else `pi`.
private func whoAsks() -> String {
  var name = "uid \(getuid())"
  if let entry = getpwuid(getuid()), let text = entry.pointee.pw_name { name = String(cString: text) }
  let connection = getenv("SSH_CONNECTION").map { String(cString: $0) } ?? ""
  guard let host = connection.split(separator: " ").first else { return harmless(name) }
  return harmless("\(name)@\(host)")
}

extension SampleExport.Format: ExpressibleByArgument {}
