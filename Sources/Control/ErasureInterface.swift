// The methods of `io.hearth.Hub` that delete a person.

internal import EventLoop
internal import HubProtocol
internal import Reasons
internal import StoreDocuments

extension HubInterface {
  func erase(_ member: String, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let which = try parameters.text("wearer")
    var losing: Int64?
    if member == "WearerErase" {
      losing = try parameters.optionalInteger("losing", 0...Int64.max)
      if losing == nil { throw .invalidParameter("losing") }
    }
    try parameters.end()
    let agreed = losing.map { UInt64($0) }
    service.storeTaskBegan()
    defer { service.storeTaskEnded() }
    let body = { () async throws(HearthError) -> JSON in
      let plan = try await service.erasurePlan(of: which)
      guard let agreed else { return ["erasure": JSON(encoding: ErasureDocument(plan, names: service.sampleExport()))] }
      if plan.samples != agreed {
        throw HearthError(.erasureCountDiffers, "it would delete \(plan.samples) samples, not \(agreed)")
      }
      // The document's names are those of before.
      var document = ErasureDocument(plan, names: service.sampleExport())
      document.erased = try await service.erase(plan)
      return ["erasure": JSON(encoding: document)]
    }
    if agreed != nil { return try await changed("erase \(wearer(which))", isOfPeople: true, body) }
    do throws(HearthError) { return try await body() } catch { throw .refused(error) }
  }
}
