// Measurements of vital signs, one per line, or the last one in full.

import ArgumentParser
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct MeasurementsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measurements", abstract: "List measurements of vital signs of a wearable or a person.",
    discussion: """
      A line for each measurement: time, person, duration, end, pulse, RMSSD, stress level and their confidence. \
      NAME is a wearable, or else a wearer: then it stands for all wearables that measured this person. With --last \
      the newest is shown in full: each result with its unit, confidence, the seconds used and its method. Then come \
      the results that are missing, with the reason, and the signal quality.

      hearth measure strap-07                 make one
      hearth measurements strap-07 --last     the newest in full

      --json has all of each, with --intervals every interval too.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A wearable by name or address, or a wearer by name or number.", completion: .wearablesAndWearers)
  var name: String

  @Flag(help: "Show the newest in full.")
  var last = false

  @Option(
    help: ArgumentHelp("Number of measurements at most, the newest: 1 to 200, with --intervals to 50.", valueName: "n"))
  var limit: Int?

  @Flag(help: "With --json: every interval as it came.")
  var intervals = false

  func validate() throws {
    if let limit { try refuseLimit(limit) }
    if last, limit != nil { throw ValidationError("--last is one measurement: --limit does not go with it") }
    if intervals, !root.options.json { throw ValidationError("--intervals goes with --json") }
  }

  private func refuseLimit(_ limit: Int) throws {
    let most = intervals ? MeasurementRequest.limitWithIntervals : MeasurementRequest.limit
    if !(1...most).contains(limit) { throw ValidationError("--limit takes 1 to \(most), not \(limit)") }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let found = if let client { try ask(client) } else { try read(session) }
    try session.show(JSON(encoding: found)) { style in
      let time = session.hubTime(found.zone)
      if last, let record = found.records.last { return measurementCard(record, time, style) }
      return render(found, time, style)
    }
    if client == nil { try session.noteOffline() }
  }

  private var count: Int? { last ? 1 : limit }

  private func ask(_ client: ControlClient) throws(HearthError) -> VitalsRecordsDocument {
    try client.measurements(
      .init(name: name, limit: count, intervals: intervals ? true : nil), patience: 120
    ).measurements
  }

  private func read(_ session: Session) throws(HearthError) -> VitalsRecordsDocument {
    let time = try session.time(nil)
    let reader = try session.openStore()
    let names = reader.sampleExport(.ndjson)
    var request = try MeasurementRequest(
      name, reader.wearables + reader.retiredWearables, names, limit: count, withIntervals: intervals)
    for wearable in request.wearables(reader.rings) {
      request.add(try reader.newest(request.count, of: wearable, .measurement), names)
    }
    return request.document(time.zone, names)
  }
}
