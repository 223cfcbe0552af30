// The store and its samples, from the daemon or from the files.

public import ArgumentParser
import Control
import EventLoop
import Reasons
public import RingStore

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "store", abstract: "How full, how old, how well.")
  @ParentCommand var root: HearthCommand

  func run() throws {
    let session = try Session(root.options)
    if let client = try session.connectUnlessDown() {
      let store: StoreDocument = try client.fetch("store", of: "Store")
      return try session.show(JSON(encoding: store), code: needsAttention(store) ? 1 : 0) { render(store, now: wallNow(), $0) }
    }
    let reader = try session.openStore()
    let store = StoreDocument(reader.status, wearables: reader.wearables.count, daemon: false)
    try session.show(JSON(encoding: store)) { render(store, now: wallNow(), $0) }
    try session.noteOffline()
    if needsAttention(store) { throw ExitCode(1) }
  }
}

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Samples in the order in which they came.",
    discussion: "TIME is 2026-11-21T10:00:00Z, 2026-11-21 (midnight UTC), or an age: 90s 15m 2h 3d 1w.")
  @ParentCommand var root: HearthCommand

  @Option(help: ArgumentHelp("ndjson or csv.", valueName: "format"))
  var format: SampleExport.Format = .ndjson

  @Option(help: ArgumentHelp("Only this wearable, by name or address.", valueName: "name"))
  var device: String?

  @Option(help: ArgumentHelp("Only this series: heart_rate, rr_interval, battery, energy_expended.", valueName: "series"))
  var series: String?

  @Option(help: ArgumentHelp("At or after.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Before.", valueName: "time"))
  var until: String?

  func validate() throws {
    for (name, text) in [("--since", since), ("--until", until)] {
      if let text, WallTime(parsing: text, now: wallNow()) == nil {
        throw ValidationError("\(name) takes a time such as 2026-11-21T10:00:00Z, 2026-11-21 or 2h, not '\(harmless(text))'")
      }
    }
  }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let corrupt = if let client { try export(from: client) } else { try export(from: session.openStore()) }
    try Output.standard.flush()
    if corrupt > 0 { complain(HearthError(.storeChunkCorrupt, "\(counted(corrupt, "chunk")) of samples could not be read and are missing")) }
    if client == nil { try session.noteOffline() }
    if corrupt > 0 { throw ExitCode(1) }
  }

  /// Page by page from the daemon. Returns how many chunks it could not read.
  private func export(from client: ControlClient) throws -> Int {
    var corrupt = 0
    var failure: (any Error)?
    var head = format == .csv ? SampleExport.csvHeader + "\n" : ""
    try client.stream("Export", filters) { reply in
      if case .integer(let count) = reply["corrupt_chunks"] { corrupt = Int(count) }
      guard case .array(let samples) = reply["samples"] else { return true }
      do {
        try Output.standard.write(head)
        head = ""
        for sample in samples { try Output.standard.write(exportLine(sample, format)) }
      } catch {
        failure = error
        return false
      }
      return true
    }
    if let failure { throw failure }
    return corrupt
  }

  private var filters: JSON {
    func optional(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
    return ["device": optional(device), "series": optional(series), "since": optional(since), "until": optional(until)]
  }

  /// The same from the files.
  private func export(from reader: StoreReader) throws -> Int {
    let records = reader.wearables + reader.retiredWearables
    let now = wallNow()
    let filter = ExportFilter(
      device: device, series: series, since: since.flatMap { WallTime(parsing: $0, now: now) }, until: until.flatMap { WallTime(parsing: $0, now: now) })
    let query = try filter.query(records)
    let writer = SampleExport(format, wearables: records)
    try Output.standard.write(writer.head)
    var corrupt = 0
    var cursor: JournalCursor?
    var lines: [UInt8] = []
    repeat {
      let page = try reader.read(query, after: cursor)
      lines.removeAll(keepingCapacity: true)
      for sample in page.samples { writer.append(sample, to: &lines) }
      try Output.standard.write(lines)
      corrupt += page.corruptChunks
      cursor = page.next
    } while cursor != nil
    return corrupt
  }
}

/// One sample of the control socket as a line of an export: as it came, or as a row.
func exportLine(_ sample: JSON, _ format: SampleExport.Format) -> [UInt8] {
  if format == .ndjson { return sample.compact + [0x0A] }
  let names = ["device", "address", "series", "time", "value", "unit", "origin"]
  return Array((names.map { csvField(sample[$0]) }.joined(separator: ",") + "\n").utf8)
}

/// RFC 4180: quoted where it must be.
private func csvField(_ value: JSON?) -> String {
  switch value {
  case .string(let text) where text.utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }:
    "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  case .string(let text): text
  case .integer(let number): "\(number)"
  case .decimal(let number): number
  default: ""
  }
}

extension SampleExport.Format: ExpressibleByArgument {}
