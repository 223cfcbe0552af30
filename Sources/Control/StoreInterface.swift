// The methods of `io.hearth.Hub` that ask the store: its figures, its content, its checks and purges.

internal import CivilTime
internal import EventLoop
internal import Export
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

extension HubInterface: StoreMethods {
  /// Answers with rings and readers; a status has neither.
  func store(_ parameters: Methods.Store.Parameters) throws -> Methods.Store.Reply {
    var document = StoreDocument(
      stored.storeStatus(), rings: stored.storeRings(), readers: try stored.storeReaders(),
      names: stored.sampleExport(), wearables: enrolled, daemon: true)
    document.identity = try stored.storeIdentity()?.text
    return .init(store: document)
  }

  var enrolled: Int { stored.wearableRecords().count { $0.retiredAt == nil } }

  /// STORE is slow meanwhile.
  func working<Reply>(_ body: () async throws -> Reply) async throws -> Reply {
    service.storeTaskBegan()
    defer { service.storeTaskEnded() }
    return try await body()
  }

  // MARK: Content

  func storePeek(_ parameters: Methods.StorePeek.Parameters) async throws -> Methods.StorePeek.Reply {
    try await working {
      let wearable = try ExportFilter.wearable(parameters.name, stored.wearableRecords())
      let series = try ExportFilter.series(parameters.series)
      let samples = try await stored.newestSamples(parameters.count ?? 60, of: wearable, series)
      noteAccess("StorePeek", samples)
      let names = stored.sampleExport()
      return .init(peek: PeekDocument(samples, of: series, device: names.name(of: wearable), names: names))
    }
  }

  func days(_ parameters: Methods.Days.Parameters) async throws -> Methods.Days.Reply {
    let zone = stored.timeZone()
    let span = try span(parameters.since, parameters.until)
    return try await working {
      let names = stored.sampleExport()
      let subject = try ItemSubject(parameters.name, stored.wearableRecords(), names)
      let wanted = try parameters.series.map { [try ExportFilter.series($0)] }
      var found: [DaysDocument] = []
      for source in subject.sources { found.append(try await days(source, subject, wanted, zone, span, names)) }
      let first = found.first ?? DaysDocument(device: subject.name, zone: zone, lines: [], series: [])
      return .init(days: first, others: found.count > 1 ? Array(found.dropFirst()) : nil)
    }
  }

  private func days(
    _ source: ItemSource, _ subject: ItemSubject, _ wanted: [Series]?, _ zone: TimeZoneRules,
    _ span: (since: WallTime?, until: WallTime?), _ names: SampleExport
  ) async throws -> DaysDocument {
    let wearable = source.wearable
    var found: [DaysDocument.Days] = []
    // Unasked, all series that have any: also such as are in no ring yet.
    for series in wanted ?? Series.withDays {
      let days = try await stored.days(of: [source], series, zone: zone, since: span.since, until: span.until)
      if wanted != nil || !days.isEmpty { found.append(DaysDocument.Days(series, days, of: wearable, names: names)) }
    }
    var lines =
      wanted == nil ? try await stored.dayLines(of: wearable, zone: zone, since: span.since, until: span.until) : []
    if let wearer = subject.wearer { lines.removeAll { $0.wearer != wearer } }
    noteDays(of: source, wanted ?? [], span)
    return DaysDocument(device: names.name(of: wearable), wearable, zone: zone, lines: lines, series: found)
  }

  /// Of a person only the times of wearing are noted.
  private func noteDays(of source: ItemSource, _ series: [Series], _ span: (since: WallTime?, until: WallTime?)) {
    let wearable = source.wearable
    guard let stretches = source.stretches else {
      return noteAccess("Days", of: wearable, series: series, since: span.since, until: span.until)
    }
    let until = span.until ?? server.loop.wall
    let worn = stretches.first.map { WallTime(microseconds: $0.lowerBound) }
    let since = span.since ?? stored.earliest(of: wearable, series) ?? worn ?? until
    for part in source.parts(of: min(since, until)..<until) {
      noteAccess("Days", of: wearable, series: series, since: part.lowerBound, until: part.upperBound)
    }
  }

  func measurements(_ parameters: Methods.Measurements.Parameters) async throws -> Methods.Measurements.Reply {
    try await working {
      let names = stored.sampleExport()
      var request = try MeasurementRequest(
        parameters.name, stored.wearableRecords(), names, limit: parameters.limit,
        withIntervals: parameters.intervals ?? false)
      for wearable in request.wearables(stored.storeRings()) {
        request.add(try await stored.newestSamples(request.count, of: wearable, .measurement), names)
      }
      noteAccess("Measurements", request.samples, people: request.people(names))
      return .init(measurements: request.document(stored.timeZone(), names))
    }
  }

  /// Shares of a time span that have values, and the reasons of the gaps.
  func coverage(_ parameters: Methods.Coverage.Parameters) async throws -> Methods.Coverage.Reply {
    let (since, until) = try span(parameters.since, parameters.until)
    return try await working {
      let requests = try CoverageRequests(
        parameters.name, parameters.series, since: since, until: until, now: server.loop.wall,
        stored.wearableRecords(), stored.sampleExport())
      let events =
        service.pendingEvents() + (try await events(EventSearch(EventFilter(), limit: EventSearch.bound, [])))
      var documents: [CoverageDocument] = []
      for request in requests.all { documents.append(try await coverage(request, of: requests, events)) }
      let first = documents.first ?? requests.nothingWorn(stored.timeZone())
      return .init(coverage: first, others: documents.count > 1 ? Array(documents.dropFirst()) : nil)
    }
  }

  private func coverage(_ request: CoverageRequest, of requests: CoverageRequests, _ events: [StoreEvent]) async throws
    -> CoverageDocument
  {
    let rings = stored.storeRings()
    var found: [SeriesCoverage] = []
    for series in request.counted(rings) {
      for part in request.parts {
        found.append(try await stored.coverage(of: request.wearable, series, window: part))
      }
      // Others have a turn between two series of a wearable that was handed over often.
      if request.parts.count > 1 { try? await server.loop.sleep(for: .zero) }
    }
    let battery = try await stored.newestSamples(GapEvidence.batteryReadings, of: request.wearable, .battery)
    let evidence = GapEvidence(
      request, rings: rings, events: events, visits: try stored.visitRecords(EventSearch.bound), battery: battery,
      now: server.loop.wall)
    return requests.document(request, found, evidence, zone: stored.timeZone())
  }

  func events(_ parameters: Methods.Events.Parameters) async throws -> Methods.Events.Reply {
    var filter = EventFilter(name: parameters.name)
    filter.code = try parameters.code.map { try CodePattern($0) }
    (filter.since, filter.until) = try span(parameters.since, parameters.until)
    let search = try EventSearch(filter, limit: parameters.limit ?? 50, stored.wearableRecords())
    let found = try await events(search)
    let names = stored.sampleExport()
    return .init(events: found.map { EventDocument($0, names: names) })
  }

  /// The newest first.
  private func events(_ search: EventSearch) async throws -> [StoreEvent] {
    var search = search
    while search.take(try stored.recentEvents(EventSearch.pageSize, before: search.before)) {
      // Others have a turn between two pages.
      try? await server.loop.sleep(for: .zero)
    }
    return search.found
  }

  // MARK: Checks and purges

  /// Verifies the store; with `more`, says at most once a second how far it has come.
  func storeVerify(_ parameters: Methods.StoreVerify.Parameters) async throws -> Methods.StoreVerify.Reply? {
    try await working {
      var told: Instant?
      let report = try await stored.verifyStore { percent in
        let now = server.loop.now
        if !call.more || connection.isDeaf || told.map({ now - $0 < .seconds(1) }) ?? false { return }
        told = now
        let progress = Methods.StoreVerify.Reply(percent: percent)
        connection.send(ControlServer.message(JSON(encoding: progress), continues: true))
      }
      return .init(verify: VerifyDocument(report), percent: 100)
    }
  }

  func storePurgePlan(_ parameters: Methods.StorePurgePlan.Parameters) async throws -> Methods.StorePurgePlan.Reply {
    let query = try purging(parameters.name, parameters.series, before: parameters.before)
    return try await working {
      .init(purge: PurgeDocument(try await stored.purgePlan(try query()), names: stored.sampleExport()))
    }
  }

  func storePurge(_ parameters: Methods.StorePurge.Parameters) async throws -> Methods.StorePurge.Reply {
    let query = try purging(parameters.name, parameters.series, before: parameters.before)
    let what = "purge samples of \(parameters.name.map { harmless($0) } ?? "all")"
    return try await changed(what, found: { (": \($0.purge.purged ?? 0) are gone", nil) }) {
      try await working {
        let plan = try await stored.purgePlan(try query())
        if plan.items != parameters.losing {
          throw HearthError(.purgeCountDiffers, "it would delete \(plan.items) samples, not \(parameters.losing)")
        }
        let names = stored.sampleExport()
        let purged = try await stored.purge(plan)
        return .init(purge: PurgeDocument(plan, names: names, purged: purged, held: await stored.overwriteDeleted()))
      }
    }
  }

  func storeForgetCursor(
    _ parameters: Methods.StoreForgetCursor.Parameters
  ) async throws -> Methods.StoreForgetCursor.Reply {
    let cursor = parameters.cursor
    return try await changed("forget the export cursor \(harmless(cursor))") {
      try await working {
        guard let removed = try await stored.removeReader(cursor) else {
          throw HearthError(.controlBadParameter, "no export cursor is called '\(harmless(cursor))'")
        }
        return .init(reader: StoreDocument.Reader(removed))
      }
    }
  }

  private func purging(
    _ name: String?, _ series: String?, before: String?
  ) throws -> () throws(HearthError) -> SampleQuery {
    let filter = ExportFilter(device: name, series: series, until: try time("before", before))
    return { () throws(HearthError) in try filter.query(stored.wearableRecords(), stored.sampleExport()) }
  }
}
