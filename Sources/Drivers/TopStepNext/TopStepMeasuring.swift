// Measuring because a person wants a value now: begun, listened to, ended.

import EventLoop
import Health
import TopStepMessages
import Wearable

@LoopActor
final class TopStepMeasuring {
  private let channel: TopStepChannel
  /// A value of the measurement that runs came.
  private var hasValue = false

  /// How long nothing may come from the begin on, where no limit says how long it takes: an optical saturation needs
  /// half a minute, and a wearer who keeps still.
  nonisolated static let silence: Duration = .seconds(120)
  /// The band's clock and ours may differ so much about when its time is over.
  nonisolated static let grace: Duration = .seconds(2)
  /// How often it is looked whether somebody wants it to end.
  nonisolated private static let look: Duration = .seconds(1)

  init(_ channel: TopStepChannel) { self.channel = channel }

  /// Of whichever band.
  nonisolated static let all: [Series] = [.heartRate, .spo2, .stress]

  /// By the number of its type on the wire. Pressure is none of them: a band estimates it.
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
    // What an earlier measurement still told is not dated now.
    channel.hear()
    channel.isStreaming = true
    hasValue = false
    // It may measure long before its answer is heard: that one may be damaged.
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

  /// 0 is none yet.
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

  /// - Throws: `silent` where it was to end by itself and no value has come at all.
  private func end(_ type: TopStepLiveControl.Measured, _ end: MeasurementEnd) async throws(VisitTrouble)
    -> MeasurementEnd
  {
    try await control(type, 0, isStart: false)
    if !hasValue, end == .limit { throw .silent(what: "a value of what it was told to measure") }
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
