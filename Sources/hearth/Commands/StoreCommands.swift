// The store: size and health, newest samples, check, and purge.

import ArgumentParser
import EventLoop
import Export
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// Kinds of shares that `hearth store` can show.
enum StoreOrder: String, ExpressibleByArgument, CaseIterable {
  case wearable
}

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Show how full, old and healthy the store is; peek into it, verify it, purge it.",
    discussion: """
      hearth store                                 size, age, evictions, writes
      hearth store peek strap-07 heart_rate        the newest samples, as a curve
      hearth store verify                          check all stored data
      hearth store purge --before 2026-01-01       delete old samples for good
      hearth store forget-cursor ward              delete the export cursor of a reader that is no longer used
      hearth store salvage --dry-run OLD           samples that an old file of this store would bring back
      """,
    subcommands: [Show.self, Peek.self, Verify.self, Purge.self, ForgetCursor.self, Salvage.self],
    defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show each series with size and bound, writes to the card, and evictions.")
    @ParentCommand var root: HearthCommand

    @Option(
      help: ArgumentHelp("'wearable': share of the store of each wearable, the largest first.", valueName: "what"))
    var by: StoreOrder?

    func run() throws {
      let session = try Session(root.options)
      let client = try session.connectUnlessDown()
      let store = try client.map { try $0.store().store } ?? read(session.openStore())
      let time = try session.time(client)
      let mutes = try client.map { try KnownMutes($0) } ?? KnownMutes()
      if by == .wearable {
        let shares = storeShares(store)
        try session.show(["schema": "io.hearth.store-shares/1", "shares": JSON(encoding: shares)]) {
          renderShares(shares, store, time, $0)
        }
      } else {
        try session.show(JSON(encoding: store), code: client != nil && needsAttention(store, mutes) ? 1 : 0) {
          render(store, time, $0, mutes, verbose: root.options.verbose)
        }
      }
      if client == nil { try session.noteOffline() }
      if client == nil, by == nil, needsAttention(store) { throw ExitCode(1) }
    }

    private func read(_ reader: StoreReader) throws(HearthError) -> StoreDocument {
      var status = reader.status
      status.medium = StoreMedium.look(at: status.path)
      var store = StoreDocument(
        status, rings: reader.rings, readers: try reader.readers(), names: reader.sampleExport(.ndjson),
        wearables: reader.wearables.count, daemon: false)
      store.identity = try reader.identity()?.text
      return store
    }
  }

  struct Peek: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the newest samples of a series, as a curve with numbers.",
      discussion: """
        With times, the newest samples between them.

        hearth store peek strap-07 heart_rate --count 120

        \(timeForms)
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    @Argument(help: "A series, such as heart_rate.", completion: .series)
    var series: String

    @Option(help: ArgumentHelp("Number of samples, 1 to 1000.", valueName: "n"))
    var count = 60

    @OptionGroup var times: TimeOptions

    @OptionGroup var drawing: DrawingOptions

    func validate() throws {
      try refuseCount(count, of: "--count")
    }

    func run() throws {
      try times.check()
      let session = try Session(root.options)
      let client = try session.connectUnlessDown()
      let time = try session.time(client)
      let peek =
        if times.isGiven { try between(times.span(time), client, session) } else if let client { try ask(client) } else
        {
          try read(session.openStore())
        }
      try session.show(JSON(encoding: peek)) { render(peek, time, $0, drawing.chart($0)) }
      if client == nil { try session.noteOffline() }
    }

    private func ask(_ client: ControlClient) throws(HearthError) -> PeekDocument {
      try client.storePeek(.init(name: name, series: series, count: count), patience: 60).peek
    }

    /// The newest samples of an export between two times, of every enrolment with that name.
    private func between(
      _ span: (since: WallTime?, until: WallTime?), _ client: ControlClient?, _ session: Session
    ) throws(HearthError) -> PeekDocument {
      let wanted = try ExportFilter.series(series)
      var newest: [(time: String, sample: JSON)] = []
      func take(_ samples: [JSON]) {
        newest += samples.map { ($0["time"]?.text ?? "", $0) }
        // The export is ring by ring, not in order of time. A stable sort keeps the order of samples with equal times.
        newest = Array(
          newest.enumerated().sorted { ($0.1.time, $0.0) < ($1.1.time, $1.0) }.map(\.element).suffix(count))
      }
      if let client {
        let wanted = Methods.Export.Parameters(
          device: name, series: series, since: span.since?.rfc3339, until: span.until?.rfc3339)
        try client.stream(Methods.Export.self, wanted) { reply in
          take(reply.samples)
          return true
        }
      } else {
        let reader = try session.openStore()
        let filter = ExportFilter(device: name, series: series, since: span.since, until: span.until)
        let names = reader.sampleExport(.ndjson)
        let pages = try reader.export(try filter.query(reader.wearables + reader.retiredWearables, names), reader: nil)
        while let page = try pages.next() {
          take(PeekDocument(page.samples, of: wanted, device: "", names: names).samples)
        }
      }
      return PeekDocument(
        device: newest.last?.sample["device"]?.text ?? name, series: wanted.name, unit: wanted.unit,
        layout: wanted.layout.name, samples: newest.map(\.sample))
    }

    private func read(_ reader: StoreReader) throws(HearthError) -> PeekDocument {
      let wearable = try ExportFilter.wearable(name, reader.wearables + reader.retiredWearables)
      let series = try ExportFilter.series(series)
      let names = reader.sampleExport(.ndjson)
      return PeekDocument(
        try reader.newest(count, of: wearable, series), of: series, device: names.name(of: wearable), names: names)
    }
  }

  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read and check all stored data: seconds to minutes.",
      discussion: """
        Exit code 0: all is sound. 1: damaged, with the places.

        hearth store verify
        """)
    @ParentCommand var root: HearthCommand

    func run() throws {
      let session = try Session(root.options)
      let client = try session.connectUnlessDown()
      let report: VerifyDocument =
        if let client { try ask(client) } else { VerifyDocument(try session.openStore().verify()) }
      try session.show(JSON(encoding: report)) { render(report, $0) }
      if !report.clean { throw ExitCode(1) }
      if client == nil { try session.noteOffline() }
    }

    /// Seconds of silence after which the daemon counts as hanging: it sends its progress once a second.
    private static let patience = 60

    /// Asks the daemon, and shows the progress on a terminal.
    private func ask(_ client: ControlClient) throws(HearthError) -> VerifyDocument {
      var last: VerifyDocument?
      var silence = 0
      func say(_ text: String) { if Terminal.isCapable(2) { Output.error.say(text) } }
      try client.stream(
        Methods.StoreVerify.self, .init(), tick: 1000,
        pause: {
          silence += 1
          return silence < Self.patience
        }
      ) { reply in
        silence = 0
        if let report = reply.verify { last = report } else { say("\r\(reply.percent) % checked") }
        return true
      }
      say("\r\u{1B}[K")
      guard let last else { throw HearthError(.daemonDown, "the daemon did not answer within \(Self.patience) s") }
      return last
    }
  }
}
