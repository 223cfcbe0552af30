// Samples as lines, from the daemon or from the files; with a cursor, only those that are new for its reader.

import ArgumentParser
import EventLoop
import Export
import Glibc
import Health
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

      --scheduled is for a timer (hearth-export.timer). New rows become whole files of a folder, as \
      /etc/hearth/export.yaml says. A row lies in one file, also if a run breaks off. Without new rows there is no \
      file. Failed and overdue runs are shown by hearth doctor.

      --ordinals adds the place of each line: enrolment, way and ordinal. Ordinals rise by one along a series, so \
      that a repeated line can be recognised.

      hearth export --format csv --device strap-07 --since yesterday
      hearth export --person Ada --series heart_rate     while Ada wore the wearable
      hearth export --cursor ward                        only rows that are new
      hearth export --scheduled                          new rows as files of a folder, if due
      hearth export --format fit --person Ada --since yesterday --sport running > ada.fit

      --format csv-wide is a table of series with one number at a time; a cell without a measurement is empty. The \
      head of a column says how a second or a minute (--every) becomes one value. Measured values have their mean; \
      counters, states and classes have their last value. Left out are values that the wearable itself doubts, and \
      highest, lowest and resting values that it computed. A row begins at its time; a handover between persons \
      begins a row of its own.

      --format rr has no times. Left out are intervals that the sensor itself doubts (blocked, no contact, an error \
      above 30 ms); gaps are counted on standard error. The intervals are of one wearable, or with --person of all \
      that the person wore, one after another.

      For data that leave the house: --pseudonyms or --no-names, and --shift-days, in every format and for lines with \
      gap, retimed and correction too. Pseudonyms of persons are those of hearth-uplink under the same key. The bytes \
      of records (data) are left out then, as they may hold names, serial numbers and times. Positions of location \
      are as measured.

      --format edf writes one file of EDF+, for EDFbrowser and other programs, of a person or of one wearable. \
      Waveforms have their own rate, and other values one cell a second. Beats, intervals, gaps and doubts are \
      annotations. Each number comes back exactly. The lowest digital value of a signal means that there is no value. \
      A signal that needs 24 bits makes the whole file BDF+.

      --format fit writes one FIT activity file of a person or of one wearable. Each training is a session with its \
      heart rates, intervals between beats, speed, cadence, power, distance and positions. Values of other times are \
      left out and counted. Without a training in the selection, all values are one session. --sport names the sport, \
      as wearables number sports each in their own way. The file has no name of a person.

      --format fhir writes each vital sign as an observation of FHIR R4, one a line. --format fhir-bundle writes one \
      document.

      \(timeForms) The lines themselves are in UTC.
      """)
  @ParentCommand var root: HearthCommand

  @Option(
    help: ArgumentHelp(
      """
      ndjson or csv. With csv-wide: a row a second or a minute, a column for each series of single values. With rr: \
      the intervals between beats of one wearable or person, one in milliseconds a line. With edf: a file of EDF+. \
      With fit: a FIT activity. With fhir and fhir-bundle: vital signs.
      """,
      valueName: "format"))
  var format: ExportFormat = .ndjson

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

  typealias TimeSpan = (since: WallTime?, until: WallTime?)

  @Flag(help: "With --cursor: do not mark rows as read, so that the same lines come again.")
  var noConfirm = false

  @Flag(help: "Add the place of each line in the store: enrolment, way, ordinal (ndjson only).")
  var ordinals = false

  @Option(help: ArgumentHelp("With --format csv-wide: a row is 1s or 1m long.", valueName: "step"))
  var every: TableStep?

  @Flag(help: "With --format csv: a row for each sample of a waveform, with its own time.")
  var explode = false

  @Flag(help: "Without the bytes (data) of records and of waveforms in a wearable's own encoding.")
  var noRaw = false

  @OptionGroup(title: "Options for data that leave the house") var hiding: MaskOptions

  @OptionGroup(title: "Options of the scheduled export") var schedule: ScheduleOptions

  @Option(help: ArgumentHelp("With --format fit: the sport. Default: generic.", valueName: "sport"))
  var sport: SportName?

  /// Anything that export.yaml has instead.
  private var saysMore: Bool {
    let words = [
      format != .ndjson, person != nil, !device.isEmpty, !series.isEmpty, times.isGiven, cursor != nil, noConfirm,
      ordinals, every != nil, explode, noRaw, sport != nil, hiding.isGiven,
    ]
    return words.contains(true)
  }

  func validate() throws {
    if schedule.scheduled, saysMore { throw ValidationError("--scheduled takes everything else from its settings") }
    if ordinals, format != .ndjson { throw ValidationError("--ordinals is for --format ndjson") }
    if cursor != nil, times.isGiven {
      throw ValidationError("--cursor takes no times: what its reader has had has no holes")
    }
    if cursor != nil, person != nil {
      throw ValidationError("--cursor takes no person: what its reader has had has no holes")
    }
    if noConfirm, cursor == nil { throw ValidationError("--no-confirm is for --cursor") }
    if explode, format != .csv { throw ValidationError("--explode is for --format csv") }
    if noRaw, !format.isLines { throw ValidationError("--no-raw is for --format ndjson and csv") }
    if every != nil, format != .csvWide { throw ValidationError("--every is for --format csv-wide") }
    if cursor != nil, !format.isLines { throw ValidationError("--cursor is for --format ndjson and csv") }
    if sport != nil, format != .fit { throw ValidationError("--sport is for --format fit") }
    if format.isBytes, device.isEmpty, person == nil {
      throw ValidationError("a file of \(format.rawValue) is of one person or wearable: give --person or --device")
    }
    if format == .csvWide, let other = series.first(where: { Series(name: $0).map { !$0.hasColumn } ?? false }) {
      throw ValidationError("\(other) has no single values for a column: --format csv has them, and --explode")
    }
    if format == .rr, let other = series.first(where: { !Self.intervals.contains($0) }) {
      throw ValidationError(
        "--format rr takes --series \(Self.intervals.joined(separator: " or ")), not \(harmless(other))")
    }
  }

  private static let intervals = IntervalExport.series.map(\.name)

  /// Names of the series to read.
  var wanted: [String] { series.isEmpty ? format.series : series }

  func run() throws {
    if schedule.scheduled { return try ScheduledExport(session: Session(root.options), options: schedule).run() }
    try times.check()
    if format.isBytes, isatty(1) == 1 {
      throw ValidationError("--format \(format.rawValue) writes bytes: add a file to write to, such as > FILE")
    }
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    if client == nil, cursor != nil, !noConfirm {
      // Without confirmation the same lines would silently come again.
      throw session.daemonMissing("only the daemon can note what a cursor's reader has had")
    }
    let span = try times.isGiven ? times.span(session.time(client)) : (nil, nil)
    let run: ExportRun
    if let client {
      run = try exportRun(
        session.time(client), hub: { try client.status().status.name },
        houseIDs: { Dictionary(try client.wearerIds().ids.map { ($0.wearer, $0.id) }) { $1 } })
      defer { run.progress?.end() }
      try run.progress?.expect { try expected { try client.store().store } }
      if let cursor, !noConfirm { try read(cursor, from: client, run) } else { try read(client, span, run) }
    } else {
      let reader = try session.openStore()
      let writer = reader.sampleExport(.ndjson)
      run = try exportRun(
        session.time(nil), hub: { session.configuration?.hub.name }, houseIDs: { writer.houseIDs })
      defer { run.progress?.end() }
      run.progress?.expect {
        expected {
          StoreDocument(
            reader.status, rings: reader.rings, readers: [], names: writer, wearables: reader.wearables.count,
            daemon: false)
        }
      }
      try read(reader, writer, span, run)
    }
    try run.end()
    try Output.standard.flush()
    run.tellMissing()
    if client == nil { try session.noteOffline() }
    if run.missing.corrupt > 0 { throw ExitCode(1) }
  }

  private func exportRun(
    _ time: @autoclosure () throws -> HubTime, hub: () throws -> String?, houseIDs: () throws -> [String: String]
  ) throws -> ExportRun {
    let form = ExportForm(
      format: format, ordinals: ordinals, saysBytes: !noRaw, isExploded: explode, step: every ?? .second,
      sport: sport?.sport ?? .generic, isOfPerson: person != nil)
    let output = try form.output(zone: { try time().zone })
    let run = ExportRun(output, try hiding.mask(hub: hub, houseIDs: houseIDs), isNDJSON: format == .ndjson)
    run.progress = ExportProgress()
    return run
  }
}
