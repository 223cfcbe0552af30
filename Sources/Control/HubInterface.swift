// The methods of `io.hearth.Hub`: from a call to the hub and back.

internal import EventLoop
internal import Health
internal import Hub
internal import Reasons
internal import RingStore

/// One call on one connection.
@LoopActor
struct HubInterface {
  nonisolated static let name = "io.hearth.Hub"
  /// Samples of one page of an export: formatting them takes about a millisecond of the loop.
  nonisolated static let pageSize = 512

  let server: ControlServer
  let connection: ControlConnection
  private var service: any HubService { server.service }

  /// The parameters of the last reply; nil if nothing more is to be said.
  func perform(_ call: VarlinkCall) async throws(VarlinkError) -> JSON? {
    var parameters = Parameters(call.parameters)
    switch call.member {
    case "Status":
      try parameters.end()
      return ["status": JSON(encoding: status())]
    case "Devices":
      try parameters.end()
      return ["devices": JSON(encoding: service.wearables().map { DeviceDocument($0) })]
    case "Device":
      let name = try parameters.text("name")
      try parameters.end()
      return ["device": JSON(encoding: DeviceDocument(try asked { () throws(HearthError) in try service.wearable(named: name) }))]
    case "Live": return try await live(call, &parameters)
    case "EnrollOpen", "EnrollList", "EnrollAccept", "EnrollClose": return try await enroll(call, &parameters)
    case "Rename", "Forget": return try await change(call, &parameters)
    case "Store":
      try parameters.end()
      return ["store": JSON(encoding: store())]
    case "Export": return try await export(call, &parameters)
    case "Lights":
      try parameters.end()
      return ["lights": JSON(encoding: LightsDocument(service.lightMeanings()))]
    case "Locate":
      let on = try parameters.optionalTruth("on") ?? true
      try parameters.end()
      service.locate(on)
      server.noteChange(on ? "show which box this is" : "end showing which box this is", by: connection.peer, nil)
      return [:]
    case "ConfigShow":
      try parameters.end()
      return ["settings": JSON(encoding: service.settings())]
    default: throw .methodNotFound(harmless(call.method))
    }
  }

  private func status() -> StatusDocument {
    StatusDocument(service.snapshot(), enrolment: service.enrolmentSnapshot(), store: store(), now: server.loop.wall)
  }

  private func store() -> StoreDocument {
    StoreDocument(service.storeStatus(), wearables: service.wearableRecords().count { $0.retiredAt == nil }, daemon: true)
  }

  /// The hub's refusal as a Varlink error.
  private func asked<T>(_ body: () throws(HearthError) -> T) throws(VarlinkError) -> T {
    do throws(HearthError) { return try body() } catch { throw .refused(error) }
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
      return try await changed("forget \(harmless(name))") { () async throws(HearthError) in
        try await service.forget(name)
        return [:]
      }
    }
    let newName = try parameters.text("new_name")
    try parameters.end()
    return try await changed("rename \(harmless(name)) to \(harmless(newName))") { () async throws(HearthError) in
      ["device": JSON(encoding: DeviceDocument(try await service.rename(name, to: newName)))]
    }
  }

  private func changed(_ what: String, _ body: () async throws(HearthError) -> JSON) async throws(VarlinkError) -> JSON {
    do throws(HearthError) {
      let reply = try await body()
      server.noteChange(what, by: connection.peer, nil)
      return reply
    } catch {
      server.noteChange(what, by: connection.peer, error)
      throw .refused(error)
    }
  }

  // MARK: Streams

  /// Values as they come, one a reply, until the client goes.
  private func live(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON? {
    let name = try parameters.optionalText("name")
    try parameters.end()
    if !call.more { throw .expectedMore }
    let (connection, server) = (self.connection, self.server)
    let token = try asked { () throws(HearthError) in
      try service.subscribeLive(name) { value in
        guard let series = Series(id: value.series) else { return }
        if connection.push(Self.liveReply(value, series)) { return }
        server.noteSlow(connection)
        connection.close()
      }
    }
    await connection.ended()
    service.unsubscribeLive(token)
    return nil
  }

  private static func liveReply(_ value: LiveValue, _ series: Series) -> [UInt8] {
    let sample: JSON = [
      "device": .string(value.wearable), "address": .string(value.address.description), "series": .string(series.name),
      "time": .string(value.time.rfc3339), "value": .decimal(series.text(value.value)), "unit": .string(series.unit), "origin": "live",
    ]
    return ControlServer.message(["sample": sample], continues: true)
  }

  /// Pages of samples, each read and sent when the one before is with the kernel: a slow reader costs one page of memory.
  private func export(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON? {
    var filter = ExportFilter()
    filter.device = try parameters.optionalText("device")
    filter.series = try parameters.optionalText("series")
    filter.since = try parameters.optionalTime("since", now: server.loop.wall)
    filter.until = try parameters.optionalTime("until", now: server.loop.wall)
    try parameters.end()
    if !call.more { throw .expectedMore }
    let records = service.wearableRecords()
    let query = try asked { () throws(HearthError) in try filter.query(records) }
    let writer = SampleExport(.ndjson, wearables: records)
    var cursor: JournalCursor?
    var corrupt = 0
    while !connection.isDeaf {
      let page: SamplePage
      do throws(HearthError) { page = try await service.readSamples(query, after: cursor, limit: Self.pageSize) } catch { throw .refused(error) }
      corrupt += page.corruptChunks
      connection.send(Self.pageReply(page, writer, corrupt: corrupt))
      guard let next = page.next else { return nil }
      cursor = next
      await connection.drained()
      // Also a client that reads at once must not have the loop for itself.
      await Task.yield()
    }
    return nil
  }

  private static func pageReply(_ page: SamplePage, _ writer: SampleExport, corrupt: Int) -> [UInt8] {
    var bytes = Array(#"{"parameters":{"samples":["#.utf8)
    for (index, sample) in page.samples.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      writer.append(sample, to: &bytes)
      bytes.removeLast()  // the line end
    }
    bytes += #"],"corrupt_chunks":\#(corrupt)}"#.utf8
    if page.next != nil { bytes += #","continues":true"#.utf8 }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

extension Parameters {
  fileprivate mutating func optionalTime(_ name: String, now: WallTime) throws(VarlinkError) -> WallTime? {
    guard let text = try optionalText(name) else { return nil }
    guard let time = WallTime(parsing: text, now: now) else { throw .invalidParameter(name) }
    return time
  }
}
