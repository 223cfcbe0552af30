// The methods of `io.hearth.Hub` that put assignments right, and what readers of exports are told of it.

internal import EventLoop
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore

extension HubInterface {
  func correct(_ member: String, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    guard let begin = try time("begin", &parameters) else { throw .invalidParameter("begin") }
    var wish = AssignmentWish(deletes: member == "AssignmentDelete")
    if !wish.deletes {
      wish.from = try time("from", &parameters)
      wish.wearer = try parameters.optionalText("wearer")
      wish.isNobody = try parameters.optionalTruth("nobody") ?? false
    }
    let isDry = try parameters.optionalTruth("dry") ?? false
    try parameters.end()
    if wish.isNobody, wish.wearer != nil { throw .invalidParameter("nobody") }
    if !wish.deletes, !wish.isNobody, wish.wearer == nil, wish.from == nil { throw .invalidParameter("from") }
    service.storeTaskBegan()
    defer { service.storeTaskEnded() }
    let wanted = wish
    let body = { () async throws(HearthError) -> JSON in
      let plan = try await service.correctAssignment(name, begin: begin, wanted, isDry: isDry)
      return ["correction": JSON(encoding: try document(plan, name))]
    }
    if isDry { do throws(HearthError) { return try await body() } catch { throw .refused(error) } }
    let what = wish.deletes ? "delete" : "correct"
    return try await changed(
      "\(what) the assignment of \(harmless(name)) from \(begin.rfc3339)", of: name, isOfPeople: true, body)
  }

  private func document(_ plan: CorrectionPlan, _ name: String) throws(HearthError) -> CorrectionsDocument {
    let device = try service.wearable(named: name).name
    return CorrectionsDocument(
      device: device,
      parts: plan.parts.map { part in
        CorrectionsDocument.Part(
          from: part.from.rfc3339, to: part.to.rfc3339, was: wearerName(part.old), wearer: wearerName(part.new),
          samples: part.samples)
      }, readers: plan.readers,
      assignments: AssignmentsDocument(device: device, try service.assignments(of: name)).assignments)
  }

  /// Members of a reply with a page of an export; null where its reader has nothing to be told.
  func members(_ told: ReaderCorrections?) -> String {
    let corrections = told?.corrections ?? []
    let names = service.sampleExport()
    let documents = corrections.map { correction in
      CorrectionDocument(
        device: names.name(of: correction.wearable), enrolment: Int(correction.wearable.number),
        from: correction.from.rfc3339, to: correction.to.rfc3339,
        was: wearerName(correction.old), wearer: wearerName(correction.new))
    }
    let list = documents.isEmpty ? "null" : String(decoding: JSON(encoding: documents).compact, as: UTF8.self)
    let missed = told.flatMap { $0.missed > 0 ? "\($0.missed)" : nil } ?? "null"
    return #","corrections":\#(list),"corrections_missed":\#(missed)"#
  }

  /// nil: nobody.
  private func wearerName(_ id: WearerID?) -> String? {
    guard let id else { return nil }
    return service.wearers().first { $0.wearer.id == id }?.wearer.name ?? "wearer-\(id.number)"
  }
}
