// The methods of `io.hearth.Hub` about wearers: names and identifiers, assigned wearables, deletion, and access to
// their data.

internal import CivilTime
internal import EventLoop
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

extension HubInterface: PeopleMethods {
  func wearers(_ parameters: Methods.Wearers.Parameters) -> Methods.Wearers.Reply {
    let all = service.wearers()
    noteAccess(toBodiesOf: all)
    return .init(wearers: all.map { WearerDocument($0) })
  }

  func wearerAdd(_ parameters: Methods.WearerAdd.Parameters) async throws -> Methods.WearerAdd.Reply {
    try await changed("enter wearer", isOfPeople: true, found: { (" \($0.wearer.number)", nil) }) {
      .init(wearer: WearerDocument(try await service.addWearer(parameters.name)))
    }
  }

  func wearerRename(_ parameters: Methods.WearerRename.Parameters) async throws -> Methods.WearerRename.Reply {
    try await changed("rename \(wearer(parameters.wearer))", isOfPeople: true) {
      .init(wearer: WearerDocument(try await service.renameWearer(parameters.wearer, to: parameters.newName)))
    }
  }

  func wearerRetire(_ parameters: Methods.WearerRetire.Parameters) async throws -> Methods.WearerRetire.Reply {
    try await changed("retire \(wearer(parameters.wearer))", isOfPeople: true) {
      .init(wearer: WearerDocument(try await service.retireWearer(parameters.wearer)))
    }
  }

  func wearerSet(_ parameters: Methods.WearerSet.Parameters) async throws -> Methods.WearerSet.Reply {
    // The person behind an identifier stays out of the log.
    try await changed("set the identifier of \(wearer(parameters.wearer))", isOfPeople: true) {
      .init(wearer: WearerDocument(try await service.setHouseID(parameters.wearer, parameters.id)))
    }
  }

  /// Identifiers of wearers that are not retired.
  func wearerIds(_ parameters: Methods.WearerIds.Parameters) -> Methods.WearerIds.Reply {
    var ids: [String: String?] = [:]
    let all = service.wearers().map(\.wearer)
    for wearer in all.filter({ $0.retiredAt != nil }) + all.filter({ $0.retiredAt == nil }) {
      ids[wearer.name] = .some(wearer.houseID)
    }
    return .init(
      ids: ids.sorted { $0.key < $1.key }.compactMap { name, id in id.map { WearerIdDocument(wearer: name, id: $0) } })
  }

  // MARK: Bodies

  /// Changes the given values; others stay as they are.
  func wearerBody(_ parameters: Methods.WearerBody.Parameters) async throws -> Methods.WearerBody.Reply {
    let forgotten = (parameters.forget ?? []).compactMap { BodyFacts.Part(rawValue: $0) }
    if forgotten.count < parameters.forget?.count ?? 0 { throw VarlinkError.invalidParameter("forget") }
    let given: [(BodyFacts.Part, Bool)] = [
      (.born, parameters.born != nil), (.sex, parameters.sex != nil), (.height, parameters.heightCm != nil),
      (.weight, parameters.weightKg != nil), (.maximumHeartRate, parameters.maximumHeartRate != nil),
      (.restingHeartRate, parameters.restingHeartRate != nil), (.vo2Max, parameters.vo2Max != nil),
      (.trainingBackground, parameters.trainingBackground != nil), (.typicalDay, parameters.typicalDay != nil),
      (.sleepGoal, parameters.sleepGoalMinutes != nil),
    ]
    if given.contains(where: { $0.1 && forgotten.contains($0.0) }) { throw VarlinkError.invalidParameter("forget") }
    let born = try Self.fact("born", parameters.born) { LocalDate(text: $0) }
    let sex = try Self.fact("sex", parameters.sex) { BodyFacts.Sex(name: $0) }
    let background = try Self.fact("training_background", parameters.trainingBackground) {
      BodyFacts.TrainingBackground(name: $0)
    }
    let day = try Self.fact("typical_day", parameters.typicalDay) { BodyFacts.TypicalDay(name: $0) }
    // Numbers of a body stay out of the log.
    return try await changed("change what is known of \(wearer(parameters.wearer))", isOfPeople: true) {
      let wearer = try await service.setBody(parameters.wearer) { body in
        body.born = born ?? body.born
        body.sex = sex ?? body.sex
        body.height = parameters.heightCm ?? body.height
        body.weight = parameters.weightKg ?? body.weight
        body.maximumHeartRate = parameters.maximumHeartRate ?? body.maximumHeartRate
        body.restingHeartRate = parameters.restingHeartRate ?? body.restingHeartRate
        body.vo2Max = parameters.vo2Max ?? body.vo2Max
        body.trainingBackground = background ?? body.trainingBackground
        body.typicalDay = day ?? body.typicalDay
        body.sleepGoal = parameters.sleepGoalMinutes ?? body.sleepGoal
        body.isTakenOff = parameters.takeOff ?? body.isTakenOff
        for part in forgotten { body.forget(part) }
      }
      return .init(wearer: WearerDocument(wearer))
    }
  }

  private static func fact<Fact>(
    _ name: String, _ text: String?, _ read: (String) -> Fact?
  ) throws(VarlinkError) -> Fact? {
    guard let text else { return nil }
    guard let fact = read(text) else { throw .invalidParameter(name) }
    return fact
  }

  // MARK: Deleting a person

  func wearerErasePlan(_ parameters: Methods.WearerErasePlan.Parameters) async throws -> Methods.WearerErasePlan.Reply {
    try await working {
      let plan = try await erasurePlan(of: parameters.wearer)
      return .init(erasure: ErasureDocument(plan, names: stored.sampleExport()))
    }
  }

  func wearerErase(_ parameters: Methods.WearerErase.Parameters) async throws -> Methods.WearerErase.Reply {
    try await changed("erase \(wearer(parameters.wearer))", isOfPeople: true) {
      try await working {
        let plan = try await erasurePlan(of: parameters.wearer)
        if plan.samples != parameters.losing {
          throw HearthError(.erasureCountDiffers, "it would delete \(plan.samples) samples, not \(parameters.losing)")
        }
        // The document's names are those of before.
        var document = ErasureDocument(plan, names: stored.sampleExport())
        document.erased = try await stored.erase(plan)
        return .init(erasure: document)
      }
    }
  }

  private func erasurePlan(of wearer: String) async throws -> ErasurePlan {
    let id = try service.wearerNumber(of: wearer)
    return try await stored.erasurePlan(of: id, naming: try await service.measurements(naming: id))
  }

  func accesses(_ parameters: Methods.Accesses.Parameters) throws -> Methods.Accesses.Reply {
    let (since, until) = try span(parameters.since, parameters.until)
    return .init(
      accesses: try AccessDocument.list(
        stored.accesses(AccessDocument.searchLimit), parameters.limit ?? 100, of: parameters.of, since: since,
        until: until, service.wearers().map(\.wearer), stored.wearableRecords(), stored.sampleExport()))
  }
}
