// Measurements on request of a person: started, received, stopped.

import EventLoop
import Health
import TopStepMessages
import Wearable

@LoopActor
final class TopStepMeasuring {
  private let channel: TopStepChannel
  /// Whether the running measurement has sent a value.
  private var hasValue = false

  /// Longest wait for the first value, if the order has no time limit. An optical saturation takes half a minute, and
  /// the wearer has to keep still.
  nonisolated static let silence: Duration = .seconds(120)
  /// Tolerance for the end of a timed measurement, since the band's timer and the hub's differ.
  nonisolated static let grace: Duration = .seconds(2)
  /// Interval at which the hub checks for an order to stop.
  nonisolated private static let look: Duration = .seconds(1)

  init(_ channel: TopStepChannel) { self.channel = channel }

  /// Series that such a band may measure.
  nonisolated static let all: [Series] = [.heartRate, .spo2, .stress]

  /// Wire type of a series. Pressure has no entry, because a band only estimates it.
  nonisolated static func type(of series: Series) -> TopStepLiveControl.Measured? {
    switch series {
    case .heartRate: .heartRate
    case .spo2: .spo2
    case .stress: .stress
    default: nil
    }
  }

  func run(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd {
    guard let type = Self.type(of: order.series) else { throw .unsupported("measuring \(order.series.name)") }
    // Clear values of an earlier measurement: they must not be dated now.
    channel.hear()
    channel.isStreaming = true
    hasValue = false
    // Registered before the request: values may arrive before its answer, and the answer may be damaged.
    channel.onStreamed = { [unowned self] frame in
      guard frame.topic == .liveValue, let value = value(frame.payload, order.series) else { return }
      hasValue = true
      sink.append(order.series, [value])
    }
    defer { (channel.isStreaming, channel.onStreamed) = (false, nil) }
    try await control(type, order.limit ?? 0, isStart: true)
    let begin = now
    let limit = order.limit.map { Duration.seconds($0).wholeNanoseconds }
    while true {
      let passed = now - begin
      if let limit, passed >= limit { return try await end(type, .limit) }
      if !hasValue, limit == nil, passed >= Self.silence.wholeNanoseconds {
        return try await end(type, .limit)
      }
      if sink.isStopped { return try await end(type, .stopped) }
      let left = limit.map { min($0 - passed, Self.look.wholeNanoseconds) } ?? Self.look.wholeNanoseconds
      guard let frame = try await channel.nextStreamed(within: .nanoseconds(max(1, left))) else { continue }
      if frame.topic == .liveStopped {
        let isOver = limit.map { now - begin >= $0 - Self.grace.wholeNanoseconds } ?? false
        return isOver ? .limit : .byWearable
      }
    }
  }

  /// Value of a message; nil for 0, which means "no value yet".
  private func value(_ payload: [UInt8], _ series: Series) -> Int64? {
    guard let message = try? TopStepLiveValue(wire: payload) else {
      channel.link.note("a live value that is no message")
      return nil
    }
    if message.value == 0 { return nil }
    guard Int64(message.value) <= (series == .heartRate ? 255 : 100) else {
      channel.link.note("a live value out of its range")
      return nil
    }
    return Int64(message.value)
  }

  /// - Throws: `silent` if the time limit passed without any value.
  private func end(_ type: TopStepLiveControl.Measured, _ end: MeasurementEnd) async throws(VisitTrouble)
    -> MeasurementEnd
  {
    try await control(type, 0, isStart: false)
    if !hasValue, end == .limit { throw .silent(what: "a value of what it was ordered to measure") }
    return end
  }

  private func control(_ type: TopStepLiveControl.Measured, _ seconds: Int, isStart: Bool) async throws(VisitTrouble) {
    var message = TopStepLiveControl()
    message.type = type
    message.action = isStart ? .start : .stop
    message.duration = UInt32(clamping: seconds)
    let bytes = try TopStepChannel.written { () throws(MalformedMessage) in try message.wire() }
    let isDone = channel.isDone(try await channel.ask(.liveControl, bytes))
    if isStart, !isDone { throw .busy(what: "it does not begin to measure", retryAfter: nil) }
    if !isDone { channel.link.note("it says that it cannot end measuring") }
  }

  private var now: Int64 { channel.link.hubTime.monotonic }
}
