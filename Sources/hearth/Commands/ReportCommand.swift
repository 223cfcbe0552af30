// A day of a wearable or a person as one self-contained page of HTML, for a browser and a printer.

import ArgumentParser
import CivilTime
import EventLoop
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Write a report: a day of a wearable or a person as one printable page of HTML.",
    discussion: """
      A sheet of A4 with heart rate and its zones, sleep, steps, temperature, oxygen, coverage and losses. The page \
      needs no network and has no script. The wearer's name is on it: give it only to people that may know. Without \
      --day it is yesterday. An existing file is overwritten only with --force.

      NAME is a wearable, or else a wearer. Then there is a sheet for each wearable that this person wore on that day, \
      of the times in which the person wore it.

      hearth report band-02 --day 2026-11-22 --out band-02.html
      hearth report Ada --day 2026-11-22 --out ada.html
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A wearable by name or address, or a wearer by name or number.", completion: .wearablesAndWearers)
  var name: String

  @Option(help: ArgumentHelp("A date in the hub's zone, today or yesterday.", valueName: "day"))
  var day = "yesterday"

  @Option(help: ArgumentHelp("File for the page; - is standard output.", valueName: "file"), completion: .file())
  var out: String

  @Flag(help: "Overwrite the file if it exists. Default: refuse.")
  var force = false

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let date = try date(time)
    if out != "-", !force, access(out, F_OK) == 0 {
      throw Misuse(
        error: HearthError(.controlBadParameter, "\(harmless(out)) is there already; --force writes over it"))
    }
    let sheets = try reportSheets(name, date, time, client, session)
    let page = renderPage(sheets.all)
    if out == "-" {
      try Output.standard.write(page)
      try Output.standard.settle()
    } else {
      try write(page)
      if root.options.json {
        let said: JSON = [
          "schema": "io.hearth.done/1", "written": .string(out), "day": .string(date.text),
          "name": .string(sheets.subject), "devices": .array(sheets.devices.map { .string($0) }),
        ]
        try Output.standard.write(said.pretty + "\n")
      } else {
        try Output.standard.write(line("\(words(sheets)), \(date.text): \(out), \(size(page.utf8.count))"))
      }
    }
    if client == nil { try session.noteOffline() }
  }

  /// `strap-07`; of a person `Ada (band-02, strap-07)`.
  private func words(_ sheets: ReportSheets) -> String {
    if sheets.devices == [sheets.subject] { return sheets.subject }
    return "\(sheets.subject) (\(sheets.devices.isEmpty ? "no wearable" : sheets.devices.joined(separator: ", ")))"
  }

  private func date(_ time: HubTime) throws -> LocalDate {
    let today = time.zone.date(of: time.now.microseconds)
    let date: LocalDate? =
      switch day {
      case "today": today
      case "yesterday": LocalDate(dayNumber: today.dayNumber - 1)
      default: LocalDate(text: day)
      }
    guard let date else {
      throw Misuse(
        error: HearthError(
          .timeNotUnderstood, "--day takes a date as 2026-11-22, today or yesterday; not '\(harmless(day, limit: 64))'")
      )
    }
    if date > today {
      throw Misuse(error: HearthError(.timeNotUnderstood, "\(date.text) has not come yet"))
    }
    return date
  }

  /// Writes the file completely or not at all, readable only by its owner: it has personal data.
  private func write(_ page: String) throws(Misuse) {
    do throws(HearthError) { try PrivateFile.write(Array(page.utf8), to: out, force: force) } catch {
      throw Misuse(error: HearthError(.controlBadParameter, error.detail))
    }
  }
}
