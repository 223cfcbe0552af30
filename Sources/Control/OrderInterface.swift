// The methods of `io.hearth.Hub` about what people order of wearables, who wears them, and what wearables are asked and
// tell.

import Bluetooth
import CivilTime
import EventLoop
import Export
import Health
import Hub
internal import HubProtocol
import Reasons
import RingStore
import StoreDocuments
import Wearable

extension HubInterface {
  /// Words of one call to a wearable.
  nonisolated static let argumentLimit = WearableAction.argumentLimit
  /// The value of a setting of which nothing is ordered any more.
  nonisolated static let noOrder = "none"

  /// `isKnown` is false if the method is none of these.
  func performOrders(_ call: VarlinkCall) async throws(VarlinkError) -> (reply: JSON, isKnown: Bool) {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "Actions": return (try await actions(&parameters), true)
    case "Act": return (try await act(&parameters), true)
    case "Report": return (try await report(&parameters), true)
    case "Orders": return (try orders(&parameters), true)
    case "OrdersSet": return (try await ordersSet(&parameters), true)
    case "SecretSet": return (try await secretSet(&parameters), true)
    case "Wearers":
      try parameters.end()
      let all = service.wearers()
      noteAccess(toBodiesOf: all)
      return (["wearers": JSON(encoding: all.map { WearerDocument($0) })], true)
    case "WearerAdd", "WearerRename", "WearerRetire": return (try await people(String(call.member), &parameters), true)
    case "WearerErasePlan", "WearerErase": return (try await erase(String(call.member), &parameters), true)
    case "WearerBody": return (try await body(&parameters), true)
    case "Assignments": return (try assignments(&parameters), true)
    case "Assign": return (try await assign(&parameters), true)
    case "AssignmentCorrect", "AssignmentDelete": return (try await correct(String(call.member), &parameters), true)
    default: return (.null, false)
    }
  }

  // MARK: Asking wearables

  private func actions(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    try parameters.end()
    do throws(HearthError) {
      let found = try await service.actions(of: name)
      return [
        "actions": JSON(encoding: found.actions.map { ActionDocument($0) }),
        "reports": .array(found.reports.map { .string($0) }),
      ]
    } catch { throw .refused(error) }
  }

  private func act(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let action = try parameters.text("action")
    let words = try parameters.optionalTexts("arguments", atMost: Self.argumentLimit) ?? []
    try parameters.end()
    return try await changed(
      "let \(harmless(name)) do \(harmless(([action] + words).joined(separator: " ")))", of: name
    ) { () async throws(HearthError) in
      ["result": .string(try await service.perform(action, words, on: name))]
    }
  }

  private func report(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let topic = try parameters.text("topic")
    try parameters.end()
    do throws(HearthError) {
      let rows = try await service.report(topic, of: name)
      if let id = try? ExportFilter.wearable(name, service.wearableRecords()) {
        noteAccess("Report", of: id, since: server.loop.wall, until: nil)
      }
      return [
        "report": JSON(
          encoding: ReportDocument(device: try service.wearable(named: name).name, topic: topic, rows: rows))
      ]
    } catch { throw .refused(error) }
  }

  // MARK: Orders

  private func orders(_ parameters: inout Parameters) throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    try parameters.end()
    return [
      "orders": JSON(
        encoding: try asked { () throws(HearthError) in
          try ordersDocument(of: name, try service.orders(of: name))
        })
    ]
  }

  private func ordersSet(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let streams = try parameters.optionalTexts("streams", atMost: Series.all.count)
    let numbers = try parameters.optionalIntegers(
      "rates", 1...Int64(WearableOrders.fastestRate), atMost: Series.all.count)
    let off = try parameters.optionalTexts("switched_off", atMost: Self.argumentLimit)
    let settings = try parameters.optionalTextsByName("settings", atMost: Self.argumentLimit)
    let measure = try parameters.optionalText("measure")
    let collected = try collection(&parameters)
    try parameters.end()
    let schedule = measure.flatMap { MeasurementSchedule(text: $0) }
    if let measure, measure != Self.noOrder, schedule == nil { throw .invalidParameter("measure") }
    let series = try streams.map { names throws(VarlinkError) in
      try names.map { name throws(VarlinkError) -> Series in
        guard let series = Series(name: name) else { throw .invalidParameter("streams") }
        return series
      }
    }
    let rates = try numbers.map { numbers throws(VarlinkError) in
      var rates: [Series: Int] = [:]
      for (name, rate) in numbers {
        guard let series = Series(name: name) else { throw .invalidParameter("rates") }
        rates[series] = Int(rate)
      }
      return rates
    }
    if series == nil, rates == nil, off == nil, settings == nil, measure == nil, collected.isEmpty {
      throw .invalidParameter("streams")
    }
    let what = Self.named(changes: series, rates, off, settings, measure: measure, collected.names)
    return try await changed(
      "change the orders of \(harmless(name))\(what)", of: name
    ) { () async throws(HearthError) in
      var skipped: [SkippedOrder] = []
      if let series { skipped += try await service.orderStreams(name, Set(series)).skipped }
      if let rates { skipped += try await service.orderRates(name, rates).skipped }
      if let off { _ = try await service.orderSwitchedOff(name, Set(off)) }
      if let settings {
        let changes = settings.map { ($0.name, $0.value == Self.noOrder ? nil : $0.value) }
        _ = try await service.orderSettings(name, Dictionary(changes) { _, last in last })
      }
      if measure != nil { _ = try await service.orderSchedule(name, schedule) }
      if let phases = collected.phases { _ = try await service.orderPhases(name, phases) }
      if let times = collected.visitAt { _ = try await service.orderVisitTimes(name, times) }
      var orders = try service.orders(of: name)
      orders.skipped = skipped
      return ["orders": JSON(encoding: try ordersDocument(of: name, orders))]
    }
  }

  /// The key itself is in no answer and in no line of the log.
  private func secretSet(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let digits = try parameters.optionalText("secret")
    let generates = try parameters.optionalTruth("generate") ?? false
    try parameters.end()
    var secret: [UInt8]?
    if let digits {
      guard !generates, let bytes = Self.bytes(hexadecimal: digits), bytes.count == WearableOrders.secretSize else {
        throw .invalidParameter("secret")
      }
      secret = bytes
    }
    if generates { secret = Hearth.freshSecret() }
    let what = secret == nil ? "forget the secret of" : generates ? "make a secret for" : "set the secret of"
    return try await changed("\(what) \(harmless(name))", of: name) { () async throws(HearthError) in
      [
        "orders": JSON(encoding: try ordersDocument(of: name, try await service.orderSecret(name, secret)))
      ]
    }
  }

  /// Pairs of digits; nil for anything else.
  nonisolated static func bytes(hexadecimal text: String) -> [UInt8]? {
    text.contains(" ") ? nil : [UInt8](hexadecimal: text)
  }

  // MARK: People

  private func people(_ member: String, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text(member == "WearerAdd" ? "name" : "wearer")
    let newName: String? = member == "WearerRename" ? try parameters.text("new_name") : nil
    try parameters.end()
    let what =
      switch member {
      case "WearerAdd": "enter wearer"
      case "WearerRename": "rename \(wearer(name))"
      default: "retire \(wearer(name))"
      }
    return try await changed(what, isOfPeople: true) { () async throws(HearthError) in
      let wearer =
        if let newName { try await service.renameWearer(name, to: newName) } else if member == "WearerAdd" {
          try await service.addWearer(name)
        } else {
          try await service.retireWearer(name)
        }
      return ["wearer": JSON(encoding: WearerDocument(wearer))]
    }
  }

  /// What is not named stays as it is.
  private func body(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let which = try parameters.text("wearer")
    let bornText = try parameters.optionalText("born")
    let sexText = try parameters.optionalText("sex")
    let height = try parameters.optionalInteger("height_cm", Self.wide(BodyFacts.heights))
    let weight = try parameters.optionalInteger("weight_kg", Self.wide(BodyFacts.weights))
    let maximum = try parameters.optionalInteger("maximum_heart_rate", Self.wide(BodyFacts.maximumHeartRates))
    let resting = try parameters.optionalInteger("resting_heart_rate", Self.wide(BodyFacts.restingHeartRates))
    let vo2Max = try parameters.optionalInteger("vo2_max", Self.wide(BodyFacts.vo2Maxima))
    let backgroundText = try parameters.optionalText("training_background")
    let dayText = try parameters.optionalText("typical_day")
    let sleepGoal = try parameters.optionalInteger("sleep_goal_minutes", Self.wide(BodyFacts.sleepGoals))
    let isTakenOff = try parameters.optionalTruth("take_off")
    let words = try parameters.optionalTexts("forget", atMost: BodyFacts.Part.allCases.count) ?? []
    try parameters.end()
    let forgotten = words.compactMap { BodyFacts.Part(rawValue: $0) }
    if forgotten.count < words.count { throw .invalidParameter("forget") }
    let given: [(BodyFacts.Part, Bool)] = [
      (.born, bornText != nil), (.sex, sexText != nil), (.height, height != nil), (.weight, weight != nil),
      (.maximumHeartRate, maximum != nil), (.restingHeartRate, resting != nil), (.vo2Max, vo2Max != nil),
      (.trainingBackground, backgroundText != nil), (.typicalDay, dayText != nil), (.sleepGoal, sleepGoal != nil),
    ]
    if given.contains(where: { $0.1 && forgotten.contains($0.0) }) { throw .invalidParameter("forget") }
    let born = bornText.flatMap { LocalDate(text: $0) }
    if bornText != nil, born == nil { throw .invalidParameter("born") }
    let sex = sexText.flatMap { BodyFacts.Sex(name: $0) }
    if sexText != nil, sex == nil { throw .invalidParameter("sex") }
    let background = backgroundText.flatMap { BodyFacts.TrainingBackground(name: $0) }
    if backgroundText != nil, background == nil { throw .invalidParameter("training_background") }
    let day = dayText.flatMap { BodyFacts.TypicalDay(name: $0) }
    if dayText != nil, day == nil { throw .invalidParameter("typical_day") }
    // Numbers of a body are nobody's business in a log.
    return try await changed("change what is known of \(wearer(which))", isOfPeople: true) {
      () async throws(HearthError) in
      let wearer = try await service.setBody(which) { body in
        if let born { body.born = born }
        if let sex { body.sex = sex }
        if let height { body.height = Int(height) }
        if let weight { body.weight = Int(weight) }
        if let maximum { body.maximumHeartRate = Int(maximum) }
        if let resting { body.restingHeartRate = Int(resting) }
        if let vo2Max { body.vo2Max = Int(vo2Max) }
        if let background { body.trainingBackground = background }
        if let day { body.typicalDay = day }
        if let sleepGoal { body.sleepGoal = Int(sleepGoal) }
        if let isTakenOff { body.isTakenOff = isTakenOff }
        for part in forgotten { body.forget(part) }
      }
      return ["wearer": JSON(encoding: WearerDocument(wearer))]
    }
  }

  private static func wide(_ range: ClosedRange<Int>) -> ClosedRange<Int64> {
    Int64(range.lowerBound)...Int64(range.upperBound)
  }

  private func assignments(_ parameters: inout Parameters) throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    try parameters.end()
    return try asked { () throws(HearthError) in
      [
        "assignments": JSON(
          encoding: AssignmentsDocument(
            device: try service.wearable(named: name).name, try service.assignments(of: name)))
      ]
    }
  }

  private func assign(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let wearer = try parameters.optionalText("wearer")
    let from = try time("from", &parameters)
    try parameters.end()
    let what = "assign \(harmless(name)) to \(wearer.map { self.wearer($0) } ?? "nobody")"
    return try await changed(what + (from.map { " from \($0.rfc3339)" } ?? ""), of: name, isOfPeople: true) {
      () async throws(HearthError) in
      let found = try await service.assign(name, to: wearer, from: from)
      return ["assignments": JSON(encoding: AssignmentsDocument(device: try service.wearable(named: name).name, found))]
    }
  }
}
