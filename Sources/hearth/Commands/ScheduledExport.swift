// `hearth export --scheduled`: settings, folder and hub of a run, and what it says.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Pseudonyms
import Reasons
import SettingsText

/// Options of the scheduled export.
struct ScheduleOptions: ParsableArguments {
  @Flag(help: "Write new rows as files, as export.yaml says, if due (hearth-export.timer).")
  var scheduled = false

  @Option(
    help: ArgumentHelp(
      "With --scheduled: the settings. Default: \(DeliverySettings.defaultPath).", valueName: "file"),
    completion: .file())
  var settings: String?

  @Flag(help: "With --scheduled: check settings and folder, and end.")
  var check = false

  func validate() throws {
    if settings != nil || check, !scheduled { throw ValidationError("--settings and --check are for --scheduled") }
  }
}

struct ScheduledExport {
  let session: Session
  let options: ScheduleOptions

  private var path: String { options.settings ?? DeliverySettings.defaultPath }

  func run() throws {
    let settings: DeliverySettings
    do throws(HearthError) { settings = try DeliverySettings.load(path: path) } catch {
      say(error)
      throw ExitCode(2)
    }
    let memory = DeliveryMemory(folder: settings.state, cursor: settings.cursor)
    do {
      if options.check { return try check(settings) }
      try memory.lock()
      try carry(settings, memory)
    } catch {
      guard let why = (error as? HearthError) ?? (error as? Misuse)?.error else { throw error }
      if !options.check { memory.keep("\(why)", at: wallNow()) }
      say(why)
      throw ExitCode(error is Misuse ? 2 : why.reason.exitStatus)
    }
  }

  private func check(_ settings: DeliverySettings) throws {
    try DeliveryFolder.check(settings.to ?? "", mounted: settings.mounted)
    if settings.names == .pseudonyms { _ = try NameKey(file: settings.namesKey, as: "names_key") }
    try session.show(["schema": "io.hearth.delivery/1", "settings": .string(path)]) { _ in
      line("\(harmless(path, limit: 1024)) is fine")
    }
  }

  private func carry(_ settings: DeliverySettings, _ memory: DeliveryMemory) throws {
    let (now, to) = (wallNow(), settings.to ?? "")
    let state = try memory.load()
    // The timer fires every hour: a run that is due within half an hour is made now.
    if state.failedAt == nil, let ranAt = state.ranAt, ranAt <= now, now - ranAt + .seconds(1800) < settings.every {
      return try session.show([
        "schema": "io.hearth.delivery/1", "ran_at": .string(ranAt.rfc3339), "due": .bool(false),
      ]) { _ in line("not due: the last run was at \(ranAt.rfc3339)") }
    }
    try DeliveryFolder.check(to, mounted: settings.mounted)
    let client = try session.connect()
    let hub = try client.status().status.name
    guard isPlainName(hub) else {
      throw HearthError(.controlMalformed, "the daemon gives a name of the hub that is no name: \(harmless(hub))")
    }
    let mask = try masking(settings, hub).mask(
      hub: { hub }, houseIDs: { Dictionary(try client.wearerIds().ids.map { ($0.wearer, $0.id) }) { $1 } })
    let run = ExportRun(LineOutput(isCSV: false), mask, isNDJSON: settings.format == .ndjson)
    let zone = try settings.format.isBytes ? session.time(client).zone : .utc
    let delivery = DeliveryRun(
      settings, DeliveryFolder(path: to, stem: "\(hub)-\(settings.cursor)-"), memory, run, now: now,
      writer: { try settings.form.output(zone: { zone }, to: $0) })
    if settings.person == nil {
      try delivery.carry(client.rows(behind: settings))
    } else {
      try delivery.carryAll { take in try client.rows(of: settings, take) }
    }
    try tell(delivery.outcome, run, to)
  }

  private func tell(_ outcome: DeliveryRun.Outcome, _ run: ExportRun, _ to: String) throws {
    run.tellWithheld()
    run.tellMissing()
    let document: JSON = [
      "schema": "io.hearth.delivery/1", "due": .bool(true), "folder": .string(to),
      "files": .array(outcome.files.map { .string($0) }), "rows": .integer(Int64(outcome.rows)),
      "gone": .integer(Int64(run.missing.gone)), "corrupt_chunks": .integer(Int64(run.missing.corrupt)),
    ]
    try session.show(document, code: run.missing.corrupt > 0 ? 1 : 0) { _ in
      if outcome.files.isEmpty { return line("no new rows") }
      let what = "\(counted(UInt64(outcome.rows), "row")) in \(counted(outcome.files.count, "file"))"
      return line("\(what) of \(harmless(to, limit: 1024))") + outcome.files.map { line("  \($0)") }.joined()
    }
  }

  private func masking(_ settings: DeliverySettings, _ hub: String) throws -> MaskOptions {
    var words = ["--shift-days", "\(settings.shiftDays)"]
    switch settings.names {
    case .shown: break
    case .hidden: words.append("--no-names")
    case .pseudonyms:
      words += ["--pseudonyms", settings.namesKey, "--pseudonyms-of", settings.namesOf ?? "hearth/\(hub)"]
    }
    return try MaskOptions.parse(words)
  }

  /// An error with what it means here: a folder is not the card, and a file of settings is not the hub's.
  private func say(_ error: HearthError) {
    var trouble = TroubleDocument(error)
    let again = "hearth export --scheduled --check" + (options.settings.map { " --settings \(shellWord($0))" } ?? "")
    let waiting = "samples wait in the hub's store; the next run writes them"
    switch error.reason {
    case .configUnreadable, .configSyntax, .configUnknownKey, .configBadValue:
      (trouble.effect, trouble.next) = (waiting, "correct \(path) or the folder, then \(again)")
    case .storeInputOutput:
      (trouble.effect, trouble.next) = (waiting, "check the folder, its permissions and its free room, then \(again)")
    default: break
    }
    Output.error.say(folded(render(trouble), Terminal.width(2)))
  }
}

extension ControlClient {
  /// Pages of new rows behind the cursor.
  fileprivate func rows(behind settings: DeliverySettings) -> (Bool) throws -> Methods.ExportNext.Reply {
    let series = settings.wanted
    var question = Methods.ExportNext.Parameters(
      cursor: settings.cursor, device: settings.devices.first, series: series.first, by: whoAsks(),
      ordinals: true, devices: Array(settings.devices.dropFirst()), allSeries: Array(series.dropFirst()))
    return { confirms in
      question.confirm = confirms
      return try self.exportNext(question, patience: 60)
    }
  }

  /// All rows of the person.
  fileprivate func rows(of settings: DeliverySettings, _ take: (DeliveryRun.Page) throws -> Void) throws {
    let series = settings.wanted
    let question = Methods.Export.Parameters(
      device: settings.devices.first, series: series.first, ordinals: true,
      devices: Array(settings.devices.dropFirst()), allSeries: Array(series.dropFirst()), person: settings.person)
    var failure: (any Error)?
    try stream(Methods.Export.self, question) { reply in
      do { try take(DeliveryRun.Page(reply)) } catch { failure = error }
      return failure == nil
    }
    if let failure { throw failure }
  }
}
