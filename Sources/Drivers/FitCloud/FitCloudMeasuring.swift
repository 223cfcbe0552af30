// Measurements on request of a person: started, received, stopped.

import EventLoop
import Health
import Wearable

@LoopActor
final class FitCloudMeasuring {
  private let client: FitCloudClient
  private(set) var isRunning = false

  /// Interval at which the hub checks for an order to stop.
  private static let slice: Duration = .milliseconds(500)
  /// Longest wait for the first frame, ns. A sensor takes twenty seconds to its first value, and reports 0 until then.
  private static let firstPatience: Int64 = 30_000_000_000
  /// Silence, besides three intervals, after which the band has stopped by itself, ns (vendor's bound of progress).
  private static let patience: Int64 = 15_000_000_000
  /// Minutes ordered if only a person ends the measurement. The order is not renewed after that.
  private static let longest: UInt8 = 255

  init(_ client: FitCloudClient) { self.client = client }

  /// Series that can be measured. Pressure is left out, see NOTES. The layout of temperature and stress is not
  /// published.
  private nonisolated static let subjects:
    [(series: Series, item: FitCloudLiveOrder.Item, feature: FitCloudFeatures.Feature)] = [
      (.heartRate, .heartRate, .heartRate), (.spo2, .spo2, .spo2), (.respirationRate, .respiration, .respiration),
    ]

  /// Series that such a band may measure.
  nonisolated static let all = subjects.map(\.series)

  /// Series that this band can measure; empty if it does not report its features.
  func series(_ features: FitCloudFeatures?) -> [Series] {
    guard let features else { return [] }
    return Self.subjects.filter { features.has($0.feature) }.map(\.series)
  }

  func measure(_ order: MeasurementOrder, _ features: FitCloudFeatures?, into sink: any MeasurementSink)
    async throws(VisitTrouble) -> MeasurementEnd
  {
    guard series(features).contains(order.series),
      let item = Self.subjects.first(where: { $0.series == order.series })?.item
    else { throw .unsupported("measuring \(order.series.name) by order") }
    guard !isRunning else { throw .busy(what: "it measures already", retryAfter: nil) }
    isRunning = true
    defer { isRunning = false }
    let minutes = order.limit.map { UInt8(clamping: ($0 + 59) / 60) } ?? Self.longest
    let asked = FitCloudLiveOrder(item, interval: UInt8(clamping: order.interval), minutes: minutes)
    let live = FitCloudQuestion.live(client.generation)
    // Clear values of an earlier measurement: they must not be dated now.
    try await client.hear()
    client.forget([live.reply])
    // Registered before the order: values may arrive before its acknowledgement, which may be damaged.
    client.onItem = { [unowned self] item in
      if item.id == live.reply { take(item.value, order.series, sink) }
    }
    defer { client.onItem = nil }
    try await client.send(FitCloudItem(live.ask, asked.bytes))
    // If the link is lost, the band stops by itself after the minutes that were ordered.
    let end = try await follow(order, live.reply, sink)
    try await client.send(FitCloudItem(live.ask, asked.ended.bytes))
    guard let end else { throw .silent(what: "measuring \(order.series.name)") }
    return end
  }

  /// - Returns: nil if no frame came at all.
  private func follow(_ order: MeasurementOrder, _ key: FitCloudKey, _ sink: any MeasurementSink)
    async throws(VisitTrouble) -> MeasurementEnd?
  {
    let begin = client.link.hubTime.monotonic
    var last: Int64?
    while true {
      let now = client.link.hubTime.monotonic
      if sink.isStopped { return .stopped }
      if let limit = order.limit, now - begin >= Int64(limit) * 1_000_000_000 { return .limit }
      let patience =
        last == nil ? Self.firstPatience : Self.patience + 3 * Int64(order.interval) * 1_000_000_000
      if now - (last ?? begin) >= patience { return last == nil ? nil : .byWearable }
      if try await client.next([key], within: Self.slice) != nil { last = client.link.hubTime.monotonic }
    }
  }

  private func take(_ bytes: [UInt8], _ series: Series, _ sink: any MeasurementSink) {
    guard let values = FitCloudLiveValues(bytes, client.generation) else {
      return client.link.note("a live value of \(bytes.count) bytes")
    }
    if let value = values.value(of: series) {
      sink.append(series, [value])
    } else if !values.isEmpty(series) {
      client.link.note("an impossible live value")
    }
  }
}
