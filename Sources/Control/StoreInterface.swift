// The methods of `io.hearth.Hub` that ask the store: its figures, its content, its checks and purges.

internal import EventLoop
internal import Export
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

/// An export that goes on from call to call of one connection (`ExportNext`).
struct CursorExport {
  let cursor: String
  let filter: ExportFilter
  let pages: any ExportPages
  /// The last page was given.
  var isDone = false
}

extension HubInterface {
  /// Samples of one page of an export: formatting them takes about a millisecond of the loop.
  nonisolated static let pageSize = 512
  /// Samples of one answer of `StorePeek`.
  nonisolated static let peekLimit: Int64 = 1000

  /// nil in `reply` if nothing more is to be said; nil itself if the method is none of these.
  func performStore(_ call: VarlinkCall) async throws(VarlinkError) -> (reply: JSON?, isKnown: Bool) {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "Store":
      try parameters.end()
      return (["store": JSON(encoding: try asked { () throws(HearthError) in try wholeStore() })], true)
    case "StorePeek": return (try await peek(&parameters), true)
    case "StoreVerify": return (try await verify(call, &parameters), true)
    case "StorePurgePlan", "StorePurge": return (try await purge(call, &parameters), true)
    case "Days": return (try await days(&parameters), true)
    case "Items": return (try await items(&parameters), true)
    case "Measurements": return (try await measurements(&parameters), true)
    case "Daily": return (try await daily(&parameters), true)
    case "Coverage": return (try await coverage(&parameters), true)
    case "Events": return (try await events(&parameters), true)
    case "Accesses": return (try accesses(&parameters), true)
    case "Export": return (try await export(call, &parameters), true)
    case "ExportNext": return (try await exportNext(call, &parameters), true)
    default: return (nil, false)
    }
  }

  /// With rings and readers; a status has neither.
  private func wholeStore() throws(HearthError) -> StoreDocument {
    let names = service.sampleExport()
    var document = StoreDocument(
      service.storeStatus(), rings: service.storeRings(), readers: try service.storeReaders(), names: names,
      wearables: enrolled, daemon: true)
    document.identity = try service.storeIdentity()?.text
    return document
  }

  var enrolled: Int { service.wearableRecords().count { $0.retiredAt == nil } }

  /// The store's refusal as a Varlink error; STORE is slow meanwhile.
  func working<T>(_ body: () async throws(HearthError) -> T) async throws(VarlinkError) -> T {
    service.storeTaskBegan()
    defer { service.storeTaskEnded() }
    do throws(HearthError) { return try await body() } catch { throw .refused(error) }
  }

  // MARK: Content

  private func peek(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let seriesName = try parameters.text("series")
    let count = try parameters.optionalInteger("count", 1...Self.peekLimit) ?? 60
    try parameters.end()
    return try await working { () async throws(HearthError) in
      let wearable = try ExportFilter.wearable(name, service.wearableRecords())
      let series = try ExportFilter.series(seriesName)
      let samples = try await service.newestSamples(Int(count), of: wearable, series)
      noteAccess("StorePeek", samples)
      let names = service.sampleExport()
      return ["peek": PeekDocument(samples, of: series, device: names.name(of: wearable), names: names).json]
    }
  }

  private func days(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let seriesName = try parameters.optionalText("series")
    let zone = service.timeZone()
    let (since, until) = try span(&parameters)
    try parameters.end()
    return try await working { () async throws(HearthError) in
      let wearable = try ExportFilter.wearable(name, service.wearableRecords())
      let wanted = try seriesName.map { (name) throws(HearthError) in [try ExportFilter.series(name)] }
      var found: [DaysDocument.Days] = []
      let names = service.sampleExport()
      // Unasked, all series that have any: also such as are in no ring yet.
      for series in wanted ?? Series.withDays {
        let days = try await service.days(of: [ItemSource(wearable)], series, zone: zone, since: since, until: until)
        if wanted != nil || !days.isEmpty { found.append(DaysDocument.Days(series, days, of: wearable, names: names)) }
      }
      let lines = wanted == nil ? try await service.dayLines(of: wearable, zone: zone, since: since, until: until) : []
      noteAccess("Days", of: wearable, series: wanted ?? [], since: since, until: until)
      let document = DaysDocument(device: names.name(of: wearable), zone: zone, lines: lines, series: found)
      return ["days": JSON(encoding: document)]
    }
  }

  private func events(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let limit = Int(try parameters.optionalInteger("limit", 1...1000) ?? 50)
    var filter = EventFilter(name: try parameters.optionalText("name"))
    let code = try parameters.optionalText("code")
    filter.code = try asked { () throws(HearthError) in
      try code.map { (code) throws(HearthError) in try CodePattern(code) }
    }
    (filter.since, filter.until) = try span(&parameters)
    try parameters.end()
    let search = try asked { () throws(HearthError) in
      try EventSearch(filter, limit: limit, service.wearableRecords())
    }
    let found: [StoreEvent]
    do throws(HearthError) { found = try await events(search) } catch { throw .refused(error) }
    let names = service.sampleExport()
    return ["events": JSON(encoding: found.map { EventDocument($0, names: names) })]
  }

  /// The newest first.
  func events(_ search: EventSearch) async throws(HearthError) -> [StoreEvent] {
    var search = search
    while search.take(try service.recentEvents(EventSearch.pageSize, before: search.before)) {
      // Others have a turn between two pages.
      try? await server.loop.sleep(for: .zero)
    }
    return search.found
  }

  // MARK: Checks and purges

  /// With `more`, says at most once a second how far it has come.
  private func verify(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    try parameters.end()
    return try await working { () async throws(HearthError) in
      var told: Instant?
      let report = try await service.verifyStore { percent in
        let now = server.loop.now
        if !call.more || connection.isDeaf || told.map({ now - $0 < .seconds(1) }) ?? false { return }
        told = now
        connection.send(Array(#"{"parameters":{"verify":null,"percent":\#(percent)},"continues":true}"#.utf8))
      }
      return ["verify": JSON(encoding: VerifyDocument(report)), "percent": 100]
    }
  }

  private func purge(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    var filter = ExportFilter()
    filter.device = try parameters.optionalText("name")
    filter.series = try parameters.optionalText("series")
    filter.until = try time("before", &parameters)
    var losing: Int64?
    if call.member == "StorePurge" {
      losing = try parameters.optionalInteger("losing", 0...Int64.max)
      if losing == nil { throw .invalidParameter("losing") }
    }
    try parameters.end()
    let (wanted, agreed) = (filter, losing)
    let what = "purge samples of \(filter.device.map { harmless($0) } ?? "all")"
    do throws(VarlinkError) {
      let document = try await working { () async throws(HearthError) -> PurgeDocument in
        let plan = try await service.purgePlan(try wanted.query(service.wearableRecords()))
        guard let agreed else { return PurgeDocument(plan, names: service.sampleExport()) }
        if plan.items != UInt64(agreed) {
          throw HearthError(.purgeCountDiffers, "it would delete \(plan.items) samples, not \(agreed)")
        }
        return PurgeDocument(plan, names: service.sampleExport(), purged: try await service.purge(plan))
      }
      if let purged = document.purged { server.noteChange("\(what): \(purged) are gone", by: connection.peer) }
      return ["purge": JSON(encoding: document)]
    } catch {
      if losing != nil, case .refused(let reason) = error { server.noteRefusal(of: what, by: connection.peer, reason) }
      throw error
    }
  }
}
