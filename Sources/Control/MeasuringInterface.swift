// The methods of `io.hearth.Hub` about measuring by order, and their document.

public import EventLoop
internal import Export
internal import Health
public import Hub
internal import HubProtocol
public import Reasons
public import Wearable

/// Measurements of a hub by order, as the control socket needs them.
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
  func measure(_ parameters: Methods.Measure.Parameters) async throws -> Methods.Measure.Reply? {
    let name = parameters.name
    guard let series = Series(name: parameters.series) else { throw VarlinkError.invalidParameter("series") }
    let isUntilStopped = parameters.untilStopped ?? false
    if isUntilStopped, parameters.limitS != nil { throw VarlinkError.invalidParameter("limit_s") }
    let seconds = isUntilStopped ? nil : parameters.limitS ?? MeasurementOrder.usualLimit
    guard let order = MeasurementOrder(series, interval: parameters.intervalS ?? 1, limit: seconds) else {
      throw VarlinkError.invalidParameter("limit_s")
    }
    let (connection, server) = (self.connection, self.server)
    let notes = LiveNotes(connection, server, method: "Measure")
    defer { notes.end() }
    return try await changed("measure \(series.name) on \(harmless(name))", of: name) {
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
      return .init(event: "end", measurement: MeasurementDocument(result))
    }
  }

  private static func measuringReply(_ event: String, _ sample: String, _ running: MeasurementResult) -> [UInt8] {
    let measurement = String(decoding: JSON(encoding: MeasurementDocument(running)).compact, as: UTF8.self)
    return Array(
      #"{"parameters":{"event":"\#(event)","sample":\#(sample),"measurement":\#(measurement)},"continues":true}"#.utf8)
  }

  func measureStop(_ parameters: Methods.MeasureStop.Parameters) async throws {
    try await changed("end what \(harmless(parameters.name)) measures by order", of: parameters.name) {
      try service.stopMeasuring(parameters.name)
    }
  }
}

extension MeasurementDocument {
  init(_ result: MeasurementResult) {
    self.init(
      device: result.wearable, series: result.series.name,
      end: result.trouble == nil ? result.end.map { .init($0.rawValue) } : .failed, values: result.values,
      reason: result.trouble.map { TroubleDocument($0) })
  }
}
