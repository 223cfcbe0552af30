// The methods of `io.hearth.Hub`: from a call to the hub and back. Those of the lane are in `LaneInterface.swift`,
// those of orders and wearers in `OrderInterface.swift`, those of the store in `StoreInterface.swift`.

internal import EventLoop
internal import Export
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

/// One call on one connection.
@LoopActor
struct HubInterface {
  nonisolated static let name = InterfaceText.name

  let server: ControlServer
  let connection: ControlConnection
  var service: any HubService { server.service }

  /// The parameters of the last reply; nil if nothing more is to be said.
  func perform(_ call: VarlinkCall) async throws(VarlinkError) -> JSON? {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "Status":
      try parameters.end()
      return ["status": JSON(encoding: status())]
    case "Devices":
      try parameters.end()
      return await devices()
    case "Device":
      let name = try parameters.text("name")
      try parameters.end()
      let found = try asked { () throws(HearthError) in try service.wearable(named: name) }
      noteAccess("Device", to: [found])
      return ["device": JSON(encoding: DeviceDocument(found))]
    case "Live": return try await live(call, &parameters)
    case "Watch": return try await watch(call, &parameters)
    case "Measure": return try await measure(call, &parameters)
    case "MeasureStop": return try await measureStop(&parameters)
    case "MeasureVitals": return try await measureVitals(call, &parameters)
    case "MeasureVitalsStart": return try await measureVitalsStart(&parameters)
    case "MeasureVitalsStop": return try await measureVitalsStop(&parameters)
    case "MeasureVitalsTerminate": return try await measureVitalsTerminate(&parameters)
    case "EnrollOpen", "EnrollList", "EnrollAccept", "EnrollClose": return try await enroll(call, &parameters)
    case "Rename", "Forget", "EraseSet", "ListenSet", "AbsenceSet": return try await change(call, &parameters)
    case "Lights":
      try parameters.end()
      return ["lights": JSON(encoding: LightsDocument(service.lightMeanings(), night: service.lightNight()))]
    case "Locate":
      let on = try parameters.optionalTruth("on") ?? true
      try parameters.end()
      service.locate(on)
      server.noteChange(on ? "show which box this is" : "end showing which box this is", by: connection.peer)
      return [:]
    case "ConfigShow":
      try parameters.end()
      return ["settings": JSON(encoding: service.settings())]
    default:
      let bonds = try await performBonds(call)
      if bonds.isKnown { return bonds.reply }
      if let backup = try await performBackup(call) { return backup }
      if let alerts = try await performAlerts(call) { return alerts }
      if let standing = try await performStanding(call) { return standing }
      if let training = try await performTraining(call) { return training }
      if let monitoring = try await performMonitoring(call) { return monitoring }
      let orders = try await performOrders(call)
      if orders.isKnown { return orders.reply }
      let lane = try await performLane(call)
      if lane.isKnown { return lane.reply }
      let (reply, isKnown) = try await performStore(call)
      if !isKnown { throw .methodNotFound(harmless(call.method)) }
      return reply
    }
  }

  /// All wearables as they are at this moment.
  private func devices() async -> JSON {
    let all = service.wearables()
    noteAccess("Devices", to: all)
    return ["devices": .array(await Self.inParts(all, server.loop) { JSON(encoding: DeviceDocument($0)) })]
  }

  /// So many things of a list are put into words in one turn of the loop: wearables take 1 ms on a desktop, some 5 ms
  /// on a small board.
  nonisolated static let atOnce = 64

  /// Where hundreds of strangers are heard, whoever needs the loop is let in between two parts of the list: timers too,
  /// which wait for all that is merely yielded.
  static func inParts<Item>(_ items: [Item], _ loop: any Loop, _ words: (Item) -> JSON) async -> [JSON] {
    var list: [JSON] = []
    list.reserveCapacity(items.count)
    for (place, item) in items.enumerated() {
      if place > 0, place.isMultiple(of: atOnce) { try? await loop.sleep(for: .zero) }
      list.append(words(item))
    }
    return list
  }

  private func status() -> StatusDocument {
    let store = StoreDocument(service.storeStatus(), wearables: enrolled, daemon: true)
    return StatusDocument(
      service.snapshot(), enrolment: service.enrolmentSnapshot(), store: store, now: server.loop.wall,
      zone: service.timeZone())
  }

  /// The hub's refusal as a Varlink error.
  func asked<T>(_ body: () throws(HearthError) -> T) throws(VarlinkError) -> T {
    do throws(HearthError) { return try body() } catch { throw .refused(error) }
  }

  /// A time in any of the forms that people use, in the hub's zone; a date alone as `edge` says.
  func time(_ name: String, _ parameters: inout Parameters, _ edge: HubTime.Edge = .start) throws(VarlinkError)
    -> WallTime?
  {
    let text = try parameters.optionalText(name)
    return try asked { () throws(HearthError) in
      try HubTime(zone: service.timeZone(), now: server.loop.wall).time(text, edge, of: name)
    }
  }

  /// From when until before when, of a call that has both.
  ///
  /// - Throws: `timeNotUnderstood`; `controlBadParameter` for an end that is not later than its begin: what comes of
  ///   that is nothing, which would look like an answer.
  func span(_ parameters: inout Parameters) throws(VarlinkError) -> (since: WallTime?, until: WallTime?) {
    let span = (since: try time("since", &parameters), until: try time("until", &parameters, .end))
    guard let begin = span.since, let end = span.until, end <= begin else { return span }
    throw .refused(
      HearthError(.controlBadParameter, "until (\(end.rfc3339)) is not later than since (\(begin.rfc3339))"))
  }

  // MARK: Changes

  private func enroll(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    switch call.member {
    case "EnrollOpen":
      let seconds = try parameters.optionalInteger("seconds", 1...3600)
      try parameters.end()
      return try await changed("open an enrolment window") { () async throws(HearthError) in
        ["enrolment": JSON(encoding: EnrolmentDocument(try service.openEnrolment(for: seconds.map { .seconds($0) })))]
      }
    case "EnrollAccept":
      let which = try parameters.text("which")
      let name = try parameters.optionalText("name")
      try parameters.end()
      return try await changed("accept \(harmless(which))") { () async throws(HearthError) in
        ["device": JSON(encoding: DeviceDocument(try await service.accept(which, name: name)))]
      }
    case "EnrollClose":
      try parameters.end()
      return try await changed("close enrolment") { () async throws(HearthError) in
        service.closeEnrolment()
        return [:]
      }
    default:
      try parameters.end()
      return ["enrolment": JSON(encoding: EnrolmentDocument(service.enrolmentSnapshot()))]
    }
  }

  private func change(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    if call.member == "Forget" {
      try parameters.end()
      return try await changed("forget \(harmless(name))", of: name) { () async throws(HearthError) in
        let warning = try await service.forget(name)
        return ["warning": warning.map { JSON(encoding: TroubleDocument($0)) } ?? .null]
      }
    }
    if call.member == "EraseSet" {
      let word = try parameters.text("choice")
      try parameters.end()
      let choice = EraseChoice(rawValue: word)
      if choice == nil, word != "auto" { throw .invalidParameter("choice") }
      return try await changed("let erasing on \(harmless(name)) be \(word)", of: name) {
        () async throws(HearthError) in
        ["device": JSON(encoding: DeviceDocument(try await service.setErasing(name, choice)))]
      }
    }
    if call.member == "ListenSet" {
      let word = try parameters.text("choice")
      try parameters.end()
      guard let choice: Bool? = ["on": true, "off": false, "auto": nil][word] else { throw .invalidParameter("choice") }
      return try await changed("let listening to \(harmless(name)) be \(word)", of: name) {
        () async throws(HearthError) in
        ["device": JSON(encoding: DeviceDocument(try await service.setListening(name, choice)))]
      }
    }
    if call.member == "AbsenceSet" {
      let word = try parameters.text("choice")
      try parameters.end()
      guard let choice = Self.absence(word) else { throw .invalidParameter("choice") }
      let bound = ["never": "for ever", "auto": "for as long as is configured"][word] ?? "for \(word) s"
      return try await changed("let \(harmless(name)) be away \(bound)", of: name) { () async throws(HearthError) in
        ["device": JSON(encoding: DeviceDocument(try await service.setAbsence(name, choice)))]
      }
    }
    let newName = try parameters.text("new_name")
    try parameters.end()
    return try await changed("rename \(harmless(name)) to \(harmless(newName))", of: name) {
      () async throws(HearthError) in
      ["device": JSON(encoding: DeviceDocument(try await service.rename(name, to: newName)))]
    }
  }

  /// nil: none of the words; `.some(nil)`: as configured.
  private static func absence(_ word: String) -> Duration?? {
    switch word {
    case "auto": return .some(nil)
    case "never": return .some(.zero)
    default:
      guard let seconds = UInt32(word), (300...31_536_000).contains(seconds) else { return nil }
      return .some(.seconds(Int64(seconds)))
    }
  }

  /// Does what somebody asked for, and keeps who did: in the log whatever came of it, in the store's events if it was
  /// done.
  ///
  /// - Parameters:
  ///   - name: The wearable that it is about, if it is about one.
  ///   - isOfPeople: Its refusals may name a person: the log has their code and sentence alone.
  func changed(
    _ what: String, of name: String? = nil, isOfPeople: Bool = false, _ body: () async throws(HearthError) -> JSON
  ) async throws(VarlinkError) -> JSON {
    // Before: afterwards it may have another name, or be forgotten.
    let known = name.flatMap { wearable($0) }
    do throws(HearthError) {
      let reply = try await body()
      let concerned = known ?? reply["device"]?["name"]?.text.flatMap { wearable($0) }
      var done = what
      if case .integer(let number)? = reply["wearer"]?["number"], name == nil, what.hasSuffix("wearer") {
        done += " \(number)"
      }
      server.noteChange(done, by: connection.peer, of: concerned)
      return reply
    } catch {
      server.noteRefusal(
        of: what, by: connection.peer, isOfPeople ? HearthError(error.reason, error.reason.text.sentence) : error)
      throw .refused(error)
    }
  }

  private func wearable(_ which: String) -> WearableID? {
    try? ExportFilter.wearable(which, service.wearableRecords())
  }
}
