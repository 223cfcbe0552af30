// The methods of `io.hearth.Hub` about measuring by order, and their document.

public import EventLoop
internal import Export
internal import Health
public import Hub
internal import HubProtocol
public import Reasons
public import Wearable

/// What the control socket needs of a hub for measuring by order.
@LoopActor
public protocol MeasuringService {
  /// Returns when it has ended; `isWanted` is asked once a second at least, and ends it with a no.
  func measure(
    _ which: String, _ order: MeasurementOrder, isWanted: @escaping @LoopActor () -> Bool,
    _ tell: @escaping @LoopActor (MeasurementNews) -> Void
  ) async throws(HearthError) -> MeasurementResult
  func stopMeasuring(_ which: String) throws(HearthError)
}

extension HubInterface {
  /// Values of one measurement as they come, until it ends. The client that goes away ends it.
  func measure(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON? {
    let name = try parameters.text("name")
    guard let series = Series(name: try parameters.text("series")) else { throw .invalidParameter("series") }
    let intervals = MeasurementOrder.intervals
    let interval = try parameters.optionalInteger(
      "interval_s", Int64(intervals.lowerBound)...Int64(intervals.upperBound))
    let limits = MeasurementOrder.limits
    let limit = try parameters.optionalInteger("limit_s", Int64(limits.lowerBound)...Int64(limits.upperBound))
    let isUntilStopped = try parameters.optionalTruth("until_stopped") ?? false
    try parameters.end()
    if isUntilStopped, limit != nil { throw .invalidParameter("limit_s") }
    if !call.more { throw .expectedMore }
    let seconds = isUntilStopped ? nil : limit.map { Int($0) } ?? MeasurementOrder.usualLimit
    guard let order = MeasurementOrder(series, interval: interval.map { Int($0) } ?? 1, limit: seconds) else {
      throw .invalidParameter("limit_s")
    }
    let (connection, server) = (self.connection, self.server)
    let notes = LiveNotes(connection, server, method: "Measure")
    defer { notes.end() }
    return try await changed("measure \(series.name) on \(harmless(name))", of: name) {
      () async throws(HearthError) in
      var running = MeasurementResult(wearable: name, series: series)
      let result = try await service.measure(name, order, isWanted: { !connection.isDeaf }) { news in
        var message: [UInt8]
        switch news {
        case .begun(let wearable):
          running.wearable = wearable
          message = Self.measuringReply("begun", "null", running)
        case .value(let value):
          notes.add(value)
          running.values += 1
          let sample = SampleExport.liveObject(
            value.sample, device: value.wearable, address: value.address.description)
          message = Self.measuringReply("value", String(decoding: sample, as: UTF8.self), running)
        }
        if connection.push(message) { return }
        server.noteSlow(connection)
        connection.close()
      }
      return ["event": "end", "sample": .null, "measurement": JSON(encoding: MeasurementDocument(result))]
    }
  }

  private static func measuringReply(_ event: String, _ sample: String, _ running: MeasurementResult) -> [UInt8] {
    let measurement = String(decoding: JSON(encoding: MeasurementDocument(running)).compact, as: UTF8.self)
    return Array(
      #"{"parameters":{"event":"\#(event)","sample":\#(sample),"measurement":\#(measurement)},"continues":true}"#.utf8)
  }

  func measureStop(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    try parameters.end()
    return try await changed("end what \(harmless(name)) measures by order", of: name) { () async throws(HearthError) in
      try service.stopMeasuring(name)
      return [:]
    }
  }
}

extension MeasurementDocument {
  init(_ result: MeasurementResult) {
    self.init(
      device: result.wearable, series: result.series.name,
      end: result.trouble == nil ? result.end?.rawValue : "failed", values: result.values,
      reason: result.trouble.map { TroubleDocument($0) })
  }
}
