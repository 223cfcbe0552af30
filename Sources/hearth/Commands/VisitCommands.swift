// Visits: what came of them, who is next, one now; and custody, item by item.

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
    commandName: "visits", abstract: "Visits, in which the hub fetches what wearables recorded: now, next, last.",
    discussion: """
      With the daemon down, the visits in the store are shown. --since and --until look at when a visit began.
      --why tells who waits, by what right each goes before the next, when it may connect and whose slot it would have.

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Only of this wearable, by name or address.", completion: .wearables)
  var name: String?

  @Option(name: .customShort("n"), help: ArgumentHelp("How many, 1 to 1000.", valueName: "n"))
  var count = 20

  @Flag(help: "Who waits, and what stands between each and its turn, instead of visits.")
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

  /// Of those between two times the newest are wanted, which may lie far back.
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

/// Whether a time of a document is in a span. One that is none is in every span.
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
    commandName: "visit", abstract: "Ask for a visit.", subcommands: [Now.self])

  struct Now: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Put a wearable first in the queue.",
      discussion: """
        With --wait: shows how far the visit is until it has ended. Exit code 0: done. 6: the wearable was busy. 1: \
        anything else, and the \
        hub goes on by itself where it can. A wearable that keeps nothing only has to be live. A visit of it that runs \
        already goes on as the one that was asked for; one that leaves phases out by order ends first, and one that \
        brings everything follows.
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Its name or address.", completion: .wearables)
    var name: String

    @Flag(help: "Stay until the visit has ended.")
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

    /// Being live is all that a visit could bring it.
    private func isLiveWithNothing(_ queued: QueuedDocument, _ client: ControlClient) throws -> Bool {
      if queued.fetches { return false }
      let device = try client.device(.init(name: name)).device
      return device.state == .live
    }

    private func showLive(_ session: Session, _ queued: QueuedDocument) throws {
      try session.show(["schema": "io.hearth.visited/1", "visit": .null]) { _ in
        line("\(queued.device): live, and it keeps nothing that could be fetched")
      }
    }

    /// The visit as it ended; nil if there was none.
    private func watch(_ client: ControlClient, after: UInt64, quiet: Bool) throws -> VisitDocument? {
      var last: VisitDocument?
      var progress = ShownProgress(isQuiet: quiet)
      // A visit may wait for long: the hub speaks when there is something new. A tick notices a daemon that died.
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
    abstract: "What a wearable recorded, item by item: fetched, verified, safe here, erased there.",
    discussion: "With the daemon down, what the store keeps of it is shown.")
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.", completion: .wearables)
  var name: String

  @Flag(help: "Only what the last visit dealt with.")
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
