// Measuring because somebody wants a value now: begun, listened to, ended.

import EventLoop
import Health
import Wearable

@LoopActor
final class FitCloudMeasuring {
  private let client: FitCloudClient
  private(set) var isRunning = false

  /// A person is looked for as often.
  private static let slice: Duration = .milliseconds(500)
  /// Without a single frame from the begin on: a sensor takes twenty seconds to its first value, and says 0 until then.
  private static let firstPatience: Int64 = 30_000_000_000
  /// Without a frame after the first ones, beside three intervals: it has ended by itself (vendor's bound of progress).
  private static let patience: Int64 = 15_000_000_000
  /// Minutes that are ordered where only a person ends it: it is ordered anew by nobody.
  private static let longest: UInt8 = 255

  init(_ client: FitCloudClient) { self.client = client }

  /// Pressure is none of them, see NOTES; of temperature and stress the layout is not published.
  private nonisolated static let subjects:
    [(series: Series, item: FitCloudLiveOrder.Item, feature: FitCloudFeatures.Feature)] = [
      (.heartRate, .heartRate, .heartRate), (.spo2, .spo2, .spo2), (.respirationRate, .respiration, .respiration),
    ]

  /// Of whichever band.
  nonisolated static let all = subjects.map(\.series)

  /// Of a band that does not say what it has nothing is known.
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
    // What an earlier measurement still told is not dated now.
    try await client.hear()
    client.forget([live.reply])
    // It may measure long before it is heard to have taken the order: an acknowledgement may be damaged.
    client.onItem = { [unowned self] item in
      if item.id == live.reply { take(item.value, order.series, sink) }
    }
    defer { client.onItem = nil }
    try await client.send(FitCloudItem(live.ask, asked.bytes))
    // What is lost with the link ends by itself, after the minutes that were ordered.
    let end = try await follow(order, live.reply, sink)
    try await client.send(FitCloudItem(live.ask, asked.ended.bytes))
    guard let end else { throw .silent(what: "measuring \(order.series.name)") }
    return end
  }

  /// - Returns: nil where nothing came at all.
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
      client.link.note("a live value that no body has")
    }
  }
}
