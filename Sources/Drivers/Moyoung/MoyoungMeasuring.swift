// Measurement by order: started, awaited, stopped.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Commands 109 and 107. A band measures for as long as it needs, reports one result, or 0 without one, and stops.
@LoopActor
final class MoyoungMeasuring {
  private let link: any WearableLink
  private let client: MoyoungClient

  /// Series that this family measures. Blood pressure (105) is an optical estimate, and refused.
  nonisolated static let series: [Series] = [.heartRate, .spo2]
  /// Interval at which the hub checks for an order to stop, ns.
  private static let turn: Int64 = 1_000_000_000
  /// Longest wait without a limit, ns: twice the minute that a measurement takes at most.
  private static let longest: Int64 = 120_000_000_000

  init(_ link: any WearableLink, _ client: MoyoungClient) { (self.link, self.client) = (link, client) }

  /// - Throws: `silent` if the order has no limit and no result comes.
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

  /// Sends the stop, and waits for a last result, so that it is not taken for that of the next measurement.
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
