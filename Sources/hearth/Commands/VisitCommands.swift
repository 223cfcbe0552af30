// Visits: results, the queue and requests; and custody, item by item.

import ArgumentParser
import EventLoop
import Export
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct VisitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "visits", abstract: "Show visits, in which the hub fetches recordings: running, queued, past.",
    discussion: """
      Without the daemon, the visits in the store are shown. The options --since and --until select by the begin of \
      a visit. With --why: the queue in its order with the rules, when each wearable may \
      connect, and the slot that it would take.

      hearth visits --why           the queue, with reasons
      hearth visits strap-07 -n 5   the last five of a wearable

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only visits of this wearable, by name or address.", completion: .wearables)
  var name: String?

  @Option(name: .customShort("n"), help: ArgumentHelp("Number of visits, 1 to 1000.", valueName: "n"))
  var count = 20

  @Flag(help: "Show the queue instead, and what each wearable waits for.")
  var why = false

  @OptionGroup var times: TimeOptions

  func validate() throws {
    try refuseCount(count, of: "-n")
    if why, times.isGiven { throw ValidationError("--why is about now: it takes no --since and no --until") }
  }

  func run() throws {
    if why { return try showReasons() }
    try times.check()
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let span = try times.span(time)
    var found = if let client { try ask(client) } else { VisitList(visits: try read(session.openStore()), queue: []) }
    found.visits = Array(found.visits.filter { isWithin($0.began, span.since, span.until) }.prefix(count))
    let shown = found
    try session.show(shown.json) { render(shown, time, $0) }
    if client == nil { try session.noteOffline() }
  }

  private func showReasons() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    let time = try session.time(client)
    let queue = try client.visits(.init(name: name, limit: 1, why: true)).queue
    try session.show(["schema": "io.hearth.lane/1", "queue": JSON(encoding: queue)]) {
      renderReasons(queue, time, $0)
    }
  }

  /// Limit of visits. Between two times the newest are wanted, which may be far back.
  private var limit: Int { times.isGiven ? 1000 : count }

  private func ask(_ client: ControlClient) throws(HearthError) -> VisitList {
    let reply = try client.visits(.init(name: name, limit: limit))
    return VisitList(visits: reply.visits, queue: reply.queue)
  }

  private func read(_ reader: StoreReader) throws(HearthError) -> [VisitDocument] {
    let names = reader.sampleExport(.ndjson)
    guard let name else {
      return try reader.recentVisits(limit).map { VisitDocument($0, device: names.name(of: $0.wearable)) }
    }
    let wanted = Set(try ExportFilter.wearables(name, reader.wearables + reader.retiredWearables))
    // The store keeps a bounded number of visits of all wearables together.
    return try reader.recentVisits(.max).filter { wanted.contains($0.wearable) }.prefix(limit).map {
      VisitDocument($0, device: names.name(of: $0.wearable))
    }
  }
}

/// Whether a time of a document is in a span. Text that is no time is in every span.
func isWithin(_ text: String, _ since: WallTime?, _ until: WallTime?) -> Bool {
  guard let time = WallTime(rfc3339: text) else { return true }
  return since.map { time >= $0 } ?? true && until.map { time < $0 } ?? true
}

/// The answer of `Visits`.
struct VisitList {
  var visits: [VisitDocument]
  var queue: [QueuedDocument]

  var json: JSON { ["schema": "io.hearth.visits/1", "visits": JSON(encoding: visits), "queue": JSON(encoding: queue)] }
}

struct VisitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "visit", abstract: "Request a visit of a wearable.",
    discussion: """
      hearth visit now insole-L --wait     with the progress until it has ended
      """, subcommands: [Now.self])

  struct Now: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a wearable first in the queue.",
      discussion: """
        --wait shows the progress until the visit has ended. Exit code 0: done. 6: the wearable was busy. 1: \
        anything else, and the hub goes on by itself if it can. A wearable that keeps no recordings only has to be \
        live. If a visit of it already runs, that one counts. If the running one leaves out phases by order, it ends \
        first, and one that fetches everything follows.

        hearth visit now insole-L --wait
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    @Flag(help: "Wait until the visit has ended.")
    var wait = false

    func run() throws {
      let session = try Session(root.options)
      let client = try session.connect()
      let queued = try client.visitNow(.init(name: name)).queued
      if !wait {
        return try session.show(["schema": "io.hearth.queued/1", "queued": JSON(encoding: queued)]) { _ in
          renderAsked(queued, now: wallNow())
        }
      }
      if try isLiveWithNothing(queued, client) { return try showLive(session, queued) }
      guard let visit = try watch(client, after: queued.after ?? 0, quiet: session.options.json) else {
        if try isLiveWithNothing(queued, client) { return try showLive(session, queued) }
        try session.show(["schema": "io.hearth.visited/1", "visit": .null]) { _ in
          line("\(queued.device): no visit was made; see: hearth device \(queued.device)")
        }
        throw ExitCode(1)
      }
      try session.show(["schema": "io.hearth.visited/1", "visit": JSON(encoding: visit)], code: exitStatus(of: visit)) {
        renderEnded(visit, $0) + (visit.reason.map { render($0) } ?? "")
      }
    }

    /// Whether it is live and has no items to fetch.
    private func isLiveWithNothing(_ queued: QueuedDocument, _ client: ControlClient) throws -> Bool {
      if queued.fetches { return false }
      let device = try client.device(.init(name: name)).device
      return device.state == .live
    }

    private func showLive(_ session: Session, _ queued: QueuedDocument) throws {
      try session.show(["schema": "io.hearth.visited/1", "visit": .null]) { _ in
        line("\(queued.device): live; it stores no data to fetch")
      }
    }

    /// The visit at its end; nil without one.
    private func watch(_ client: ControlClient, after: UInt64, quiet: Bool) throws -> VisitDocument? {
      var last: VisitDocument?
      var progress = ShownProgress(isQuiet: quiet)
      // A visit may wait for long, and the hub only sends changes. A tick detects a daemon that died.
      try client.stream(Methods.VisitWatch.self, .init(name: name, after: after), tick: 500) { reply in
        last = reply.visit ?? last
        return progress.show { $0.text(reply.visit, now: wallNow()) }
      }
      try progress.end()
      return last
    }
  }
}

/// 0 done, 6 busy, 1 anything else.
func exitStatus(of visit: VisitDocument) -> Int32 {
  switch visit.outcome {
  case .done?: 0
  case .busy?: 6
  default: 1
  }
}

struct CustodyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "custody",
    abstract: "Show custody of items: fetched, verified, durable here, erased on the wearable.",
    discussion: """
      Without the daemon, the state in the store is shown.

      hearth custody insole-L --last     the items of the last visit
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Name or address of the wearable.", completion: .wearables)
  var name: String

  @Flag(help: "Only items of the last visit.")
  var last = false

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let custody: CustodyDocument =
      if let client {
        try client.custody(.init(name: name, last: last)).custody
      } else {
        try read(session.openStore())
      }
    let time = try session.time(client)
    try session.show(JSON(encoding: custody)) { render(custody, time, $0) }
    if client == nil { try session.noteOffline() }
  }

  private func read(_ reader: StoreReader) throws(HearthError) -> CustodyDocument {
    let wearable = try ExportFilter.wearable(name, reader.wearables + reader.retiredWearables)
    let device = reader.sampleExport(.ndjson).name(of: wearable)
    let visit = try reader.recentVisits(.max).first { $0.wearable == wearable }.map {
      VisitDocument($0, device: device)
    }
    return CustodyDocument(device: device, visit: visit, records: try reader.custody(of: wearable), lastOnly: last)
  }
}
