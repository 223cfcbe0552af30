// Samples as lines, from the daemon or from the files; with a cursor, those that its reader has not had yet.

import ArgumentParser
import EventLoop
import Export
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Samples, wearable by wearable and series by series.",
    discussion: """
      With --cursor, only what the reader of this name has not had yet: when lines have been written to standard \
      output without an error \
      (and, if that is a file, are safe on its disk), the hub is told so, every 10 000 lines or 10 s and at the end, \
      and does not give them \
      again. It also evicts them before others when it is full. A name is made by its first export; a cursor counts \
      for all series, or for \
      those it is used with. Where an assignment was put right since, its reader is told first whose the rows are \
      that it had: in NDJSON by lines with correction, beside CSV on standard error. Where samples were stored before \
      a time server was heard, and their reader had them before their times could be corrected, it is given them \
      again: in NDJSON by lines with retimed, which also say the time they were given with; beside CSV they are \
      counted on standard error.

      What is missing is said in its place: in NDJSON by lines with gap, which name wearable, series and places from \
      and to, and their cause: damaged on the card, or gone (evicted, purged or erased) before the reader of this \
      cursor had them. Where anything is damaged the exit status is 1. With --ordinals every line says its place: \
      enrolment, way and ordinal, which rises by one along a series, so that a line that comes again is known by it.

      --format edf writes one file of EDF+, for EDFbrowser and other programs, of a person or of one wearable. \
      Waveforms have their own rate, and other values one cell a second. Beats, intervals, gaps and doubts are \
      annotations. Each number comes back exactly. The lowest digital value of a signal means that there is no value. \
      A signal that needs 24 bits makes the whole file BDF+.

      --format fhir writes each vital sign as an observation of FHIR R4, one a line. --format fhir-bundle writes one \
      document.

      \(timeForms) The lines themselves are in UTC.
      """)
  @ParentCommand var root: HearthCommand

  @Option(help: ArgumentHelp("ndjson, csv, edf, fhir or fhir-bundle.", valueName: "format"))
  var format: ExportFormat = .ndjson

  @Option(
    help: ArgumentHelp("Only what this person wore, by name or number, while it was on them.", valueName: "person"),
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

  @Option(help: ArgumentHelp("Go on where the reader of this name was.", valueName: "name"))
  var cursor: String?

  private typealias TimeSpan = (since: WallTime?, until: WallTime?)

  @Flag(help: "With --cursor: tell the hub nothing; the same lines come again.")
  var noConfirm = false

  @Flag(help: "Each line of ndjson also says its place in the store: enrolment, way, ordinal.")
  var ordinals = false

  @Flag(help: "With --format edf or fhir: without the names of people.")
  var anonymous = false

  func validate() throws {
    if ordinals, format != .ndjson { throw ValidationError("--ordinals is for --format ndjson") }
    if cursor != nil, times.isGiven {
      throw ValidationError("--cursor takes no times: what its reader has had has no holes")
    }
    if cursor != nil, person != nil {
      throw ValidationError("--cursor takes no person: what its reader has had has no holes")
    }
    if noConfirm, cursor == nil { throw ValidationError("--no-confirm is for --cursor") }
    if cursor != nil, !format.isLines { throw ValidationError("--cursor is for --format ndjson or csv") }
    if anonymous, format.isLines { throw ValidationError("--anonymous is for --format edf, fhir and fhir-bundle") }
    if format == .edf, device.isEmpty, person == nil {
      throw ValidationError("an EDF file is of one person or wearable: give --person or --device")
    }
  }

  func run() throws {
    try times.check()
    if format == .edf, isatty(1) == 1 {
      throw ValidationError("--format edf writes bytes: add a file to write to, such as > NAME.edf")
    }
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    if client == nil, cursor != nil, !noConfirm {
      // Lines that nobody could confirm would come again without a word.
      throw session.daemonMissing("only the daemon can note what a cursor's reader has had")
    }
    let span = try times.isGiven ? times.span(session.time(client)) : (nil, nil)
    let output = try output(session, client)
    let missing =
      if let client, let cursor, !noConfirm { try exportByCursor(cursor, from: client, to: output) } else if let client
      {
        try export(from: client, span, to: output)
      } else {
        try export(from: session.openStore(), span, to: output)
      }
    try output.finish()
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

  /// Chunks that could not be read, and rows that went before their reader had them.
  private typealias Missing = (corrupt: Int, gone: Int)

  private func output(_ session: Session, _ client: ControlClient?) throws -> any ExportOutput {
    switch format {
    case .ndjson: LineOutput(isCSV: false)
    case .csv: LineOutput(isCSV: true)
    case .edf:
      try EDFOutput(
        EDFIdentity(equipment: "Hearth_\(hearthVersion)", zone: session.time(client).zone), anonymous: anonymous)
    case .fhir, .fhirBundle: FHIROutput(bundle: format == .fhirBundle, anonymous: anonymous)
    }
  }

  /// Page by page from the daemon.
  private func export(from client: ControlClient, _ span: TimeSpan, to output: any ExportOutput) throws -> Missing {
    var missing: Missing = (0, 0)
    var failure: (any Error)?
    let wanted = Methods.Export.Parameters(
      device: device.first, series: series.first, since: span.since?.rfc3339, until: span.until?.rfc3339,
      cursor: cursor, ordinals: hasPlaces ? true : nil, devices: several(device), allSeries: several(series),
      person: person)
    try client.stream(Methods.Export.self, wanted) { reply in
      missing.corrupt = reply.corruptChunks
      do {
        try tell(reply.corrections, missed: reply.correctionsMissed, reply.retimed)
        try tellGaps(reply.gaps, asLines: format == .ndjson, gone: &missing.gone)
        output.miss(reply.gaps ?? [])
        try write(reply.samples, to: output)
      } catch {
        failure = error
        return false
      }
      return true
    }
    if let failure { throw failure }
    return missing
  }

  /// The same behind a cursor. What was written is confirmed with the call for the next page: never before all of it
  /// has left this program.
  private func exportByCursor(_ cursor: String, from client: ControlClient, to output: any ExportOutput) throws
    -> Missing
  {
    var missing: Missing = (0, 0)
    var pace = ConfirmPace(now: monotonicMilliseconds())
    var next = Methods.ExportNext.Parameters(
      cursor: cursor, device: device.first, series: series.first, confirm: false, by: whoAsks(),
      ordinals: ordinals ? true : nil, devices: several(device), allSeries: several(series))
    try output.settle()
    while true {
      let reply = try client.exportNext(next, patience: 60)
      missing.corrupt = Int(clamping: Int128(missing.corrupt) + Int128(reply.corruptChunks))
      try tell(reply.corrections, missed: reply.correctionsMissed, reply.retimed)
      try tellGaps(reply.gaps, asLines: format == .ndjson, gone: &missing.gone)
      try write(reply.samples, to: output)
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

  /// Identifiers of FHIR are made of the place.
  private var hasPlaces: Bool { ordinals || format.isFHIR }

  /// Behind the first, which a hub of before knows as well.
  private func several(_ names: [String]) -> [String]? { names.count > 1 ? Array(names.dropFirst()) : nil }

  private func tell(_ corrections: [CorrectionDocument]?, missed: Int?, _ retimed: [JSON]?) throws {
    try tellCorrections(corrections, missed: missed, asLines: format == .ndjson)
    try tellRetimed(retimed, asLines: format == .ndjson)
  }

  private func write(_ samples: [JSON], to output: any ExportOutput) throws {
    for sample in samples {
      guard let row = ExportRow(sample) else {
        throw HearthError(.controlMalformed, "the daemon gave a line that is not about a sample")
      }
      try output.add(row)
    }
    try output.settle()
  }

  /// The same from the files.
  private func export(from reader: StoreReader, _ span: TimeSpan, to output: any ExportOutput) throws -> Missing {
    let filter = ExportFilter(
      devices: device, series: series, person: person, since: span.since, until: span.until)
    let writer = reader.sampleExport(.ndjson)
    let pages = try reader.export(try filter.query(reader.wearables + reader.retiredWearables, writer), reader: cursor)
    var missing: Missing = (0, 0)
    while let page = try pages.next() {
      let gaps = page.gaps.map { MissingRowsDocument($0, writer) }
      try tellGaps(gaps, asLines: format == .ndjson, gone: &missing.gone)
      output.miss(gaps)
      for sample in page.samples { try output.add(writer.row(sample, placed: hasPlaces)) }
      try output.settle()
      missing.corrupt += page.corruptChunks
    }
    return missing
  }
}

/// When the hub is told what was written: rarely enough to spare its card, often enough that a broken export repeats
/// little.
struct ConfirmPace {
  static let lineLimit = 10_000
  static let milliseconds: Int64 = 10_000

  var lines = 0
  private let since: Int64

  init(now: Int64) { since = now }

  func isDue(_ now: Int64) -> Bool { lines >= Self.lineLimit || lines > 0 && now - since >= Self.milliseconds }
}

/// `pi@192.168.1.7` over SSH, else `pi`: who the hub says took the samples.
private func whoAsks() -> String {
  var name = "uid \(getuid())"
  if let entry = getpwuid(getuid()), let text = entry.pointee.pw_name { name = String(cString: text) }
  let connection = getenv("SSH_CONNECTION").map { String(cString: $0) } ?? ""
  guard let host = connection.split(separator: " ").first else { return harmless(name) }
  return harmless("\(name)@\(host)")
}
