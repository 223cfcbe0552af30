// The method of `io.hearth.Hub` that lists measurements of vital signs.

internal import Health
internal import HubProtocol
internal import Reasons
internal import StoreDocuments

extension HubInterface {
  func measurements(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let limit = try parameters.optionalInteger("limit", 1...Int64(MeasurementRequest.limit)).map { Int($0) }
    let withIntervals = try parameters.optionalTruth("intervals") ?? false
    try parameters.end()
    return try await working { () async throws(HearthError) in
      let names = service.sampleExport()
      var request = try MeasurementRequest(
        name, service.wearableRecords(), names, limit: limit, withIntervals: withIntervals)
      for wearable in request.wearables(service.storeRings()) {
        request.add(try await service.newestSamples(request.count, of: wearable, .measurement), names)
      }
      noteAccess("Measurements", request.samples, people: request.people(names))
      return ["measurements": JSON(encoding: request.document(service.timeZone(), names))]
    }
  }
}
