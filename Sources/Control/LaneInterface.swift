// The methods of `io.hearth.Hub` about visits, custody, links, clocks, pairings and the radio.

internal import Bluetooth
internal import EventLoop
internal import Hub
internal import HubProtocol
internal import Reasons

extension HubInterface {
  /// Visits of one answer.
  nonisolated static let visitLimit: Int64 = 1000

  /// nil in `reply` if nothing more is to be said; `isKnown` is false if the method is none of these.
  func performLane(_ call: VarlinkCall) async throws(VarlinkError) -> (reply: JSON?, isKnown: Bool) {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "Visits": return (try visits(&parameters), true)
    case "VisitNow": return (try await visitNow(&parameters), true)
    case "VisitWatch": return (try await visitWatch(call, &parameters), true)
    case "SyncNow": return (try await syncNow(&parameters), true)
    case "SyncWatch": return (try await syncWatch(call, &parameters), true)
    case "Custody": return (try custody(&parameters), true)
    case "Link": return (try link(&parameters), true)
    case "LinkSet": return (try await linkSet(&parameters), true)
    case "Clock": return (try clock(&parameters), true)
    case "Radio":
      try parameters.end()
      return (
        ["radio": JSON(encoding: RadioDocument(service.snapshot(), wall: server.loop.wall, now: server.loop.now))], true
      )
    case "RadioRecover":
      try parameters.end()
      return (
        try await changed("recover the radio") { () async throws(HearthError) in
          try service.recoverRadio()
          return [:]
        }, true
      )
    case "Pairings":
      try parameters.end()
      return (["pairings": JSON(encoding: service.pairings().map { PairingDocument($0) })], true)
    case "PairAnswer": return (try await pairAnswer(&parameters), true)
    default: return (nil, false)
    }
  }

  // MARK: Visits

  private func visits(_ parameters: inout Parameters) throws(VarlinkError) -> JSON {
    let name = try parameters.optionalText("name")
    let limit = try parameters.optionalInteger("limit", 1...Self.visitLimit) ?? 20
    let isWhyAsked = try parameters.optionalTruth("why") ?? false
    try parameters.end()
    return try asked { () throws(HearthError) in
      let found = try service.visits(Int(limit), of: name)
      var waiting = isWhyAsked ? service.laneReasons() : service.laneQueue()
      if let name {
        let wearable = try service.wearable(named: name).name
        waiting.removeAll { $0.wearable != wearable }
      }
      return [
        "visits": JSON(encoding: found.map { VisitDocument($0) }),
        "queue": JSON(encoding: waiting.map { QueuedDocument($0) }),
      ]
    }
  }

  private func visitNow(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    try parameters.end()
    return try await changed("visit \(harmless(name)) now", of: name) { () async throws(HearthError) in
      ["queued": JSON(encoding: QueuedDocument(try service.visitNow(name)))]
    }
  }

  /// How far the visit of a wearable is, whenever that has changed, until none runs and none that somebody asked for
  /// waits.
  ///
  /// `after`: visits up to this number are of the past. It lets a client that asked for a visit tell its end from that
  /// of the one before.
  private func visitWatch(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON? {
    let name = try parameters.text("name")
    let after = try parameters.optionalInteger("after", 0...Int64.max).map { UInt64($0) } ?? 0
    try parameters.end()
    return try await tell(call) { () throws(HearthError) in try self.progress(of: name, after: after) }
  }

  /// How far something is, whenever that has changed, until it is over.
  func tell(_ call: VarlinkCall, _ look: () throws(HearthError) -> (JSON, isOver: Bool)) async throws(VarlinkError)
    -> JSON?
  {
    if !call.more { throw .expectedMore }
    var last: JSON?
    while !connection.isDeaf {
      let (progress, isOver) = try asked(look)
      if isOver { return progress }
      if progress != last, !connection.push(ControlServer.message(progress, continues: true)) {
        server.noteSlow(connection)
        connection.close()
        return nil
      }
      last = progress
      try? await server.loop.sleep(for: server.visitTick)
    }
    return nil
  }

  private func progress(of name: String, after: UInt64) throws(HearthError) -> (JSON, isOver: Bool) {
    let wearable = try service.wearable(named: name)
    let visit = (wearable.visit ?? wearable.lastVisit).flatMap { $0.number > after ? $0 : nil }
    let queued = service.laneQueue().first { $0.wearable == wearable.name }
    let isOnItsWay = [.connecting, .identifying, .visiting].contains(wearable.state)
    let isOver = !(visit?.isRunning ?? false) && !isOnItsWay && queued?.trigger != .operatorAsked
    let reply: JSON = [
      "visit": visit.map { JSON(encoding: VisitDocument($0)) } ?? .null,
      "queued": queued.map { JSON(encoding: QueuedDocument($0)) } ?? .null,
    ]
    return (reply, isOver)
  }

  private func custody(_ parameters: inout Parameters) throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let lastOnly = try parameters.optionalTruth("last") ?? false
    try parameters.end()
    return try asked { () throws(HearthError) in
      let wearable = try service.wearable(named: name).name
      let (visit, items) = try service.custody(of: name, lastVisitOnly: lastOnly)
      return ["custody": JSON(encoding: CustodyDocument(device: wearable, visit: visit, items: items))]
    }
  }

  // MARK: Links and clocks

  private func link(_ parameters: inout Parameters) throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    try parameters.end()
    return ["link": JSON(encoding: LinkDocument(try asked { () throws(HearthError) in try service.link(of: name) }))]
  }

  private func linkSet(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let word = try parameters.text("profile")
    let byCentral = try parameters.optionalTruth("central") ?? false
    try parameters.end()
    let profile = LinkProfile(name: word)
    if profile == nil, word != "auto" { throw .invalidParameter("profile") }
    if profile == nil, byCentral { throw .invalidParameter("central") }
    return try await changed(
      "keep the link of \(harmless(name)) on \(word)\(byCentral ? " by the hub alone" : "")", of: name
    ) { () async throws(HearthError) in
      ["link": JSON(encoding: LinkDocument(try await service.setLink(name, profile: profile, byCentral: byCentral)))]
    }
  }

  private func clock(_ parameters: inout Parameters) throws(VarlinkError) -> JSON {
    let name = try parameters.optionalText("name")
    try parameters.end()
    return try asked { () throws(HearthError) in
      var clocks = try service.clocks()
      if let name {
        let wearable = try service.wearable(named: name).name
        clocks.removeAll { $0.wearable != wearable }
      }
      return [
        "clock": JSON(
          encoding: ClockDocument(service.snapshot(), clocks, now: server.loop.wall, zone: service.timeZone()))
      ]
    }
  }

  // MARK: Pairings

  private func pairAnswer(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let word = try parameters.text("answer")
    let digits = try parameters.optionalInteger("passkey", 0...999_999)
    try parameters.end()
    let answer: PairingAnswer
    switch (word, digits) {
    case ("yes", nil): answer = .yes
    case ("no", nil): answer = .no
    case ("passkey", let digits?): answer = .passkey(UInt32(digits))
    case ("passkey", nil), ("yes", _), ("no", _): throw .invalidParameter("passkey")
    default: throw .invalidParameter("answer")
    }
    // The digits stay out of the log.
    return try await changed("answer the pairing of \(harmless(name)) with \(word)", of: name) {
      () async throws(HearthError) in
      try service.answerPairing(name, answer)
      return [:]
    }
  }
}

/// Tells the hub again and again that somebody looks at a wearable.
@LoopActor
final class OperatorWatch {
  /// How long one telling holds: the hub sees that nobody looks any more within half of it.
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
