// The methods of `io.hearth.Hub` about visits, syncs, custody and links.

internal import Bluetooth
internal import EventLoop
internal import Hub
internal import HubProtocol
internal import Reasons

extension HubInterface: LaneMethods {
  func visits(_ parameters: Methods.Visits.Parameters) throws -> Methods.Visits.Reply {
    let found = try service.visits(parameters.limit ?? 20, of: parameters.name)
    var waiting = parameters.why ?? false ? service.laneReasons() : service.laneQueue()
    if let name = parameters.name {
      let wearable = try service.wearable(named: name).name
      waiting.removeAll { $0.wearable != wearable }
    }
    return .init(visits: found.map { VisitDocument($0) }, queue: waiting.map { QueuedDocument($0) })
  }

  func visitNow(_ parameters: Methods.VisitNow.Parameters) async throws -> Methods.VisitNow.Reply {
    try await changed("visit \(harmless(parameters.name)) now", of: parameters.name) {
      .init(queued: QueuedDocument(try service.visitNow(parameters.name)))
    }
  }

  /// Progress of a wearable's visits: a reply at each change, until no visit runs and no requested one waits.
  ///
  /// `after`: visits up to this number are of the past. With it a client that asked for a visit distinguishes its end
  /// from that of the one before.
  func visitWatch(_ parameters: Methods.VisitWatch.Parameters) async throws -> Methods.VisitWatch.Reply? {
    try await tell { try progress(of: parameters.name, after: parameters.after ?? 0) }
  }

  /// Reports how far something is, whenever that has changed, until it is over.
  private func tell<Progress: Encodable & Equatable>(
    _ look: () throws -> (Progress, isOver: Bool)
  ) async throws -> Progress? {
    var last: Progress?
    while !connection.isDeaf {
      let (progress, isOver) = try look()
      if isOver { return progress }
      if progress != last, !connection.push(ControlServer.message(JSON(encoding: progress), continues: true)) {
        server.noteSlow(connection)
        connection.close()
        return nil
      }
      last = progress
      try? await server.loop.sleep(for: server.visitTick)
    }
    return nil
  }

  private func progress(of name: String, after: UInt64) throws -> (Methods.VisitWatch.Reply, isOver: Bool) {
    let wearable = try service.wearable(named: name)
    // A visit that brings less, such as a sync of one phase, is not the one that was asked for.
    let visit = [wearable.visit, wearable.lastVisit].compactMap { $0 }.first {
      $0.number > after && $0.isOfAll != false
    }
    let queued = service.laneQueue().first { $0.wearable == wearable.name }
    let isOnItsWay = [.connecting, .identifying, .visiting].contains(wearable.state)
    let isOver = !(visit?.isRunning ?? false) && !isOnItsWay && queued?.trigger != .operatorAsked
    return (.init(visit: visit.map { VisitDocument($0) }, queued: queued.map { QueuedDocument($0) }), isOver)
  }

  func syncNow(_ parameters: Methods.SyncNow.Parameters) async throws -> Methods.SyncNow.Reply {
    let (since, until) = try span(parameters.since, parameters.until)
    let request = SyncRequest(
      parameters.series ?? [], since: since, until: until, isAutomaticOnly: parameters.automaticOnly ?? false)
    return try await changed("sync \(harmless(parameters.name))", of: parameters.name) {
      .init(sync: SyncDocument(try service.orderSync(parameters.name, request)))
    }
  }

  func syncWatch(_ parameters: Methods.SyncWatch.Parameters) async throws -> Methods.SyncWatch.Reply? {
    try await tell {
      let sync = try service.sync(of: parameters.name)
      return (.init(sync: sync.map { SyncDocument($0) }), sync?.isOver ?? true)
    }
  }

  func custody(_ parameters: Methods.Custody.Parameters) throws -> Methods.Custody.Reply {
    let wearable = try service.wearable(named: parameters.name).name
    let (visit, items) = try service.custody(of: parameters.name, lastVisitOnly: parameters.last ?? false)
    return .init(custody: CustodyDocument(device: wearable, visit: visit, items: items))
  }

  func link(_ parameters: Methods.Link.Parameters) throws -> Methods.Link.Reply {
    .init(link: LinkDocument(try service.link(of: parameters.name)))
  }

  func linkSet(_ parameters: Methods.LinkSet.Parameters) async throws -> Methods.LinkSet.Reply {
    let (name, word, byCentral) = (parameters.name, parameters.profile, parameters.central ?? false)
    let profile = LinkProfile(name: word)
    if profile == nil, word != "auto" { throw VarlinkError.invalidParameter("profile") }
    if profile == nil, byCentral { throw VarlinkError.invalidParameter("central") }
    let what = "keep the link of \(harmless(name)) on \(word)\(byCentral ? " by the hub alone" : "")"
    return try await changed(what, of: name) {
      .init(link: LinkDocument(try await service.setLink(name, profile: profile, byCentral: byCentral)))
    }
  }
}

/// Notifies the hub repeatedly that a client watches a wearable.
@LoopActor
final class OperatorKeepAlive {
  /// Validity of one notice: the hub notices within half of it that the client stopped watching.
  nonisolated static let holds: Duration = .seconds(30)

  private let name: String
  private let service: any HubService
  private let loop: any Loop
  private var timer: LoopTimer?

  init(_ name: String, _ service: any HubService, _ loop: any Loop) {
    self.name = name
    self.service = service
    self.loop = loop
    renew()
  }

  func end() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }

  private func renew() {
    service.watch(name, for: Self.holds)
    timer = loop.schedule(after: Self.holds / 2) { [weak self] in self?.renew() }
  }
}
