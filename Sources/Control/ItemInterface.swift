// The methods of `io.hearth.Hub` that list measured items, and describe one day with them.

internal import EventLoop
internal import Export
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

extension HubInterface {
  func items(_ parameters: Methods.Items.Parameters) async throws -> Methods.Items.Reply {
    let (since, until) = try span(parameters.since, parameters.until)
    return try await working {
      let names = stored.sampleExport()
      let request = try ItemRequest(
        ItemSubject(parameters.name, stored.wearableRecords(), names), series: parameters.series, since: since,
        until: until, kind: parameters.kind, isManual: parameters.manual, after: parameters.after,
        limit: parameters.limit ?? ItemPage.limit)
      let page = try await stored.items(request.query)
      noteAccess("Items", page.items, of: request.query.sources)
      return .init(items: ItemsDocument(page, request, zone: stored.timeZone(), names: names))
    }
  }

  func daily(_ parameters: Methods.Daily.Parameters) async throws -> Methods.Daily.Reply {
    let date = try time("date", parameters.date)
    let (series, zone) = (parameters.series, stored.timeZone())
    return try await working {
      let names = stored.sampleExport()
      let subject = try ItemSubject(parameters.name, stored.wearableRecords(), names)
      var request = try DailyRequest(subject, at: date ?? server.loop.wall, series: series, zone: zone, names)
      for series in request.series {
        for group in subject.groups(of: series) { try await add(series, group, to: &request) }
      }
      if request.isWhole {
        request.add(try await stored.sleep(of: subject.sources, on: request.date, zone: zone))
        for wearable in subject.sources.map(\.wearable) {
          let lines = try await stored.dayLines(
            of: wearable, zone: zone, since: request.since, until: request.until)
          request.add(lines, of: wearable)
        }
      }
      // Of a person only the times in which it was that person's.
      for source in subject.sources {
        for part in source.parts(of: request.told) {
          noteAccess(
            "Daily", of: source.wearable, series: series == nil ? [] : request.series, since: part.lowerBound,
            until: part.upperBound)
        }
      }
      return .init(daily: request.document)
    }
  }

  /// Adds the values that a series has on the day, if any.
  private func add(_ series: Series, _ group: [ItemSource], to request: inout DailyRequest) async throws {
    func day(_ sources: [ItemSource]) async throws -> DaySummary? {
      try await stored.days(
        of: sources, series, zone: request.zone, since: request.since, until: request.until
      ).days.first
    }
    var devices: [ItemSource] = []
    var found: DaySummary?
    for source in group {
      guard let own = try await day([source]) else { continue }
      devices.append(source)
      found = own
    }
    if devices.count > 1 { found = try await day(devices) }
    guard let found else { return }
    var pages: [ItemPage?] = []
    for query in request.lists(found, series, devices) {
      if let query { pages.append(try await stored.items(query)) } else { pages.append(nil) }
    }
    request.add(series, found, devices: devices, pages)
  }
}
