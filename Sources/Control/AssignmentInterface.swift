// The methods of `io.hearth.Hub` about assignments of wearables to wearers, and corrections for readers of
// exports.

internal import EventLoop
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore

extension HubInterface {
  func assignments(_ parameters: Methods.Assignments.Parameters) throws -> Methods.Assignments.Reply {
    .init(assignments: try assignments(of: parameters.name, try service.assignments(of: parameters.name)))
  }

  private func assignments(of name: String, _ found: [AssignmentSnapshot]) throws(HearthError) -> AssignmentsDocument {
    AssignmentsDocument(device: try service.wearable(named: name).name, found)
  }

  func assign(_ parameters: Methods.Assign.Parameters) async throws -> Methods.Assign.Reply {
    let (name, from) = (parameters.name, try time("from", parameters.from))
    let what = "assign \(harmless(name)) to \(parameters.wearer.map { wearer($0) } ?? "no person")"
    return try await changed(what + (from.map { " from \($0.rfc3339)" } ?? ""), of: name, isOfPeople: true) {
      .init(assignments: try assignments(of: name, try await service.assign(name, to: parameters.wearer, from: from)))
    }
  }

  func assignmentCorrect(
    _ parameters: Methods.AssignmentCorrect.Parameters
  ) async throws -> Methods.AssignmentCorrect.Reply {
    var wish = AssignmentCorrection(deletes: false)
    wish.from = try time("from", parameters.from)
    wish.wearer = parameters.wearer
    wish.isNobody = parameters.nobody ?? false
    if wish.isNobody, wish.wearer != nil { throw VarlinkError.invalidParameter("nobody") }
    if !wish.isNobody, wish.wearer == nil, wish.from == nil { throw VarlinkError.invalidParameter("from") }
    return .init(correction: try await correct(parameters.name, parameters.begin, wish, isDry: parameters.dry ?? false))
  }

  func assignmentDelete(
    _ parameters: Methods.AssignmentDelete.Parameters
  ) async throws -> Methods.AssignmentDelete.Reply {
    let wish = AssignmentCorrection(deletes: true)
    return .init(correction: try await correct(parameters.name, parameters.begin, wish, isDry: parameters.dry ?? false))
  }

  private func correct(
    _ name: String, _ beginText: String, _ wish: AssignmentCorrection, isDry: Bool
  ) async throws -> CorrectionsDocument {
    guard let begin = try time("begin", beginText) else { throw VarlinkError.invalidParameter("begin") }
    return try await working {
      let body = {
        try document(try await service.correctAssignment(name, begin: begin, wish, isDry: isDry), name)
      }
      if isDry { return try await body() }
      let what = "\(wish.deletes ? "delete" : "correct") the assignment of \(harmless(name)) from \(begin.rfc3339)"
      return try await changed(what, of: name, isOfPeople: true, body)
    }
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

  /// Members of a reply with a page of an export; null if the reader has no corrections to learn of.
  func members(_ told: ReaderCorrections?) -> String {
    let corrections = told?.corrections ?? []
    let names = stored.sampleExport()
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

  /// nil: no wearer.
  private func wearerName(_ id: WearerID?) -> String? {
    guard let id else { return nil }
    return service.wearers().first { $0.wearer.id == id }?.wearer.name ?? "wearer-\(id.number)"
  }
}
