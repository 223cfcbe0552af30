// The ordered rate of a stream, and why it runs at another one.

import Health
import Wearable

extension PolarLive {
  func ordered(_ type: PMD.MeasurementType) -> Int? {
    type.series.lazy.compactMap { self.link.orders.rates[$0] }.first
  }

  /// The ordered rate of a running stream and the reason for the difference; empty if it runs as ordered.
  func shortfall(_ type: PMD.MeasurementType, _ stream: PolarStream) -> [ReportRow.Field] {
    guard stream.isRunning, let plan = stream.plan, let rate = plan.selection.values[.sampleRate],
      let wanted = ordered(type), wanted != Int(rate)
    else { return [] }
    let why =
      obstacles[type].map { "\(wanted) Hz needs SDK mode, and \($0)" } ?? "it has no \(wanted) Hz: this is the nearest"
    return [ReportRow.Field("ordered_hz", "\(wanted)"), ReportRow.Field("why", why)]
  }
}
