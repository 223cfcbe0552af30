// A call of `io.hearth.Hub`, and the methods about the hub itself. Each area has a file of its own, and
// `MethodTable.swift` is the list of all.

internal import EventLoop
internal import Export
internal import Health
internal import Hub
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

/// A call on one connection: implements each method of the interface.
@LoopActor
struct HubInterface {
  nonisolated static let name = InterfaceText.name

  let server: ControlServer
  let connection: ControlConnection
  let call: VarlinkCall
  var service: any HubService { server.service }
  var stored: any StoreService { server.stored }

  /// Items of a list that become documents in one turn of the loop. 64 wearables take 1 ms on a desktop, some 5 ms on a
  /// small board.
  nonisolated static let atOnce = 64

  /// Converts a list in parts and lets other work of the loop run in between: hundreds of unknown devices may be heard.
  /// Timers run too; a mere yield would let them wait.
  static func inParts<Item, Words>(_ items: [Item], _ loop: any Loop, _ words: (Item) -> Words) async -> [Words] {
    var list: [Words] = []
    list.reserveCapacity(items.count)
    for (place, item) in items.enumerated() {
      if place > 0, place.isMultiple(of: atOnce) { try? await loop.sleep(for: .zero) }
      list.append(words(item))
    }
    return list
  }

  /// A time in any of the forms that people use, in the hub's zone; a date alone as `edge` says.
  func time(_ name: String, _ text: String?, _ edge: HubTime.Edge = .start) throws(HearthError) -> WallTime? {
    try HubTime(zone: stored.timeZone(), now: server.loop.wall).time(text, edge, of: name)
  }

  /// The range of a call that has both ends: `since` included, `until` excluded.
  ///
  /// - Throws: `timeNotUnderstood`; `controlBadParameter` for an end that is not later than its begin: an empty result
  ///   would look like an answer.
  func span(_ since: String?, _ until: String?) throws(HearthError) -> (since: WallTime?, until: WallTime?) {
    let span = (since: try time("since", since), until: try time("until", until, .end))
    guard let begin = span.since, let end = span.until, end <= begin else { return span }
    throw HearthError(.controlBadParameter, "until (\(end.rfc3339)) is not later than since (\(begin.rfc3339))")
  }

  /// Performs a change, and records the user: in the log whatever the result, in the store's events if the change was
  /// done.
  ///
  /// - Parameters:
  ///   - name: The wearable concerned, if any.
  ///   - isOfPeople: True if refusals may name a person: the log then has their code and sentence alone.
  ///   - found: Details from the reply: the end of `what`, and the name of the wearable.
  func changed<Reply>(
    _ what: String, of name: String? = nil, isOfPeople: Bool = false,
    found: (Reply) -> (what: String, name: String?) = { _ in ("", nil) }, _ body: () async throws -> Reply
  ) async throws -> Reply {
    // Before: afterwards it may have another name, or be forgotten.
    let known = name.flatMap { wearable($0) }
    do {
      let reply = try await body()
      let (more, name) = found(reply)
      server.noteChange(what + more, by: connection.peer, of: known ?? name.flatMap { wearable($0) })
      return reply
    } catch {
      let refusal = Self.refusal(error)
      server.noteRefusal(
        of: what, by: connection.peer, isOfPeople ? HearthError(refusal.reason, refusal.reason.text.sentence) : refusal)
      throw refusal
    }
  }

  private func wearable(_ which: String) -> WearableID? {
    try? ExportFilter.wearable(which, stored.wearableRecords())
  }
}

extension HubInterface: HubMethods {
  func status(_ parameters: Methods.Status.Parameters) -> Methods.Status.Reply {
    let store = StoreDocument(stored.storeStatus(), wearables: enrolled, daemon: true)
    return .init(
      status: StatusDocument(
        service.snapshot(), enrolment: service.enrolmentSnapshot(), store: store, now: server.loop.wall,
        zone: stored.timeZone()))
  }

  /// Returns the wearables as they are at this moment.
  func devices(_ parameters: Methods.Devices.Parameters) async -> Methods.Devices.Reply {
    let all = service.wearables()
    noteAccess("Devices", to: all)
    return .init(devices: await Self.inParts(all, server.loop) { DeviceDocument($0) })
  }

  func device(_ parameters: Methods.Device.Parameters) throws -> Methods.Device.Reply {
    let found = try service.wearable(named: parameters.name)
    noteAccess("Device", to: [found])
    return .init(device: DeviceDocument(found))
  }

  func clock(_ parameters: Methods.Clock.Parameters) throws -> Methods.Clock.Reply {
    var clocks = try service.clocks()
    if let name = parameters.name {
      let wearable = try service.wearable(named: name).name
      clocks.removeAll { $0.wearable != wearable }
    }
    return .init(clock: ClockDocument(service.snapshot(), clocks, now: server.loop.wall, zone: stored.timeZone()))
  }

  func radio(_ parameters: Methods.Radio.Parameters) -> Methods.Radio.Reply {
    .init(radio: RadioDocument(service.snapshot(), wall: server.loop.wall, now: server.loop.now))
  }

  func radioPlan(_ parameters: Methods.RadioPlan.Parameters) -> Methods.RadioPlan.Reply {
    .init(plan: SlotPlanDocument(service.slotPlan(), service.snapshot().radio))
  }

  func radioRecover(_ parameters: Methods.RadioRecover.Parameters) async throws {
    try await changed("recover the radio") { try service.recoverRadio() }
  }

  func lights(_ parameters: Methods.Lights.Parameters) -> Methods.Lights.Reply {
    .init(lights: LightsDocument(stored.lightMeanings(), night: stored.lightNight()))
  }

  func locate(_ parameters: Methods.Locate.Parameters) {
    let on = parameters.on ?? true
    service.locate(on)
    server.noteChange(on ? "show which box this is" : "end showing which box this is", by: connection.peer)
  }

  func configShow(_ parameters: Methods.ConfigShow.Parameters) -> Methods.ConfigShow.Reply {
    .init(settings: stored.settings())
  }
}
