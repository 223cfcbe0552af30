// One measurement by order: begun, waited for, stopped.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Commands 109 and 107. A band measures for as long as it takes, says one result, 0 where it has none, and is done.
@LoopActor
final class MoyoungMeasuring {
  private let link: any WearableLink
  private let client: MoyoungClient

  /// What bands of this family measure. Blood pressure (105) is an estimate by light, and refused.
  nonisolated static let series: [Series] = [.heartRate, .spo2]
  /// How often whoever wants it to end is heard, s.
  private static let turn: Int64 = 1_000_000_000
  /// Without a limit: twice the minute that a measurement takes at most.
  private static let longest: Int64 = 120_000_000_000

  init(_ link: any WearableLink, _ client: MoyoungClient) { (self.link, self.client) = (link, client) }

  /// - Throws: `silent` where nobody limits it and nothing comes.
  func measure(_ order: MeasurementOrder, into sink: any MeasurementSink) async throws(VisitTrouble) -> MeasurementEnd {
    guard let command = Self.command(order.series) else {
      throw .unsupported(
        order.series == .systolicPressure || order.series == .diastolicPressure
          ? "blood pressure is not enabled (not_enabled): it is an estimate by light, not a measurement"
          : "it does not measure \(order.series.name) by order")
    }
    client.startOver()
    let began = link.hubTime.monotonic
    let limit = order.limit.map { Int64($0) * 1_000_000_000 }
    try await client.tell(command, MoyoungMeasurement.start)
    while true {
      if sink.isStopped { return try await stopped(command, .stopped) }
      let left = (limit ?? Self.longest) - (link.hubTime.monotonic - began)
      if left <= 0 {
        let end = try await stopped(command, .limit)
        if limit == nil { throw .silent(what: "the result of a measurement") }
        return end
      }
      guard let frame = try await client.next(within: .nanoseconds(min(left, Self.turn))) else { continue }
      guard frame.command == command else {
        client.passOver(frame)
        continue
      }
      if let value = MoyoungMeasurement.result(frame.payload, order.series) {
        sink.append(order.series, [value])
      } else {
        link.note("a measurement without a result")
      }
      return .byWearable
    }
  }

  private static func command(_ series: Series) -> UInt8? {
    switch series {
    case .heartRate: Moyoung.Command.measureRate
    case .spo2: Moyoung.Command.measureOxygen
    default: nil
    }
  }

  /// Tells it, and waits for what it may still say of it, so that this is not taken for the result of the next one.
  private func stopped(_ command: UInt8, _ end: MeasurementEnd) async throws(VisitTrouble) -> MeasurementEnd {
    try await client.tell(command, MoyoungMeasurement.stop)
    let deadline = link.hubTime.monotonic + Self.turn
    while true {
      let left = deadline - link.hubTime.monotonic
      guard left > 0, let frame = try await client.next(within: .nanoseconds(left)) else { return end }
      if frame.command == command { return end }
      client.passOver(frame)
    }
  }
}
