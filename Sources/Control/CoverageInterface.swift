// The method of `io.hearth.Hub` that says what of a span of time there are values for, and why the rest is empty.

internal import EventLoop
internal import Export
internal import Health
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

extension HubInterface {
  func coverage(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let seriesName = try parameters.optionalText("series")
    let (since, until) = try span(&parameters)
    try parameters.end()
    return try await working { () async throws(HearthError) in
      let request = try CoverageRequest(
        name, seriesName, since: since, until: until, now: server.loop.wall, service.wearableRecords())
      let rings = service.storeRings()
      var found: [SeriesCoverage] = []
      for series in request.counted(rings) {
        found.append(try await service.coverage(of: request.wearable, series, window: request.window))
      }
      let events = service.untoldEvents() + (try await events(EventSearch(EventFilter(), limit: EventSearch.bound, [])))
      let battery = try await service.newestSamples(GapEvidence.batteryReadings, of: request.wearable, .battery)
      let evidence = GapEvidence(
        request, rings: rings, events: events,
        visits: try service.visitRecords(EventSearch.bound), battery: battery, now: server.loop.wall)
      let document = CoverageDocument(
        request, found, evidence, device: service.sampleExport().name(of: request.wearable), zone: service.timeZone())
      return ["coverage": JSON(encoding: document)]
    }
  }
}
