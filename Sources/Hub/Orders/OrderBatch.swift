// Orders for several series of which a wearable lacks some: which are left out, and which are refused.

import EventLoop
import Health
import Reasons
import Wearable

/// Reasons why a series cannot be ordered from a wearable, and what follows for an order that names others too.
@LoopActor
enum OrderBatch {
  /// Removes unsupported series from an order for several. Refuses an order for one unsupported series, and one that
  /// would become empty.
  ///
  /// - Throws: the first refusal.
  static func sift(
    _ wanted: [Series], _ refusal: (Series) -> HearthError?
  ) throws(HearthError) -> (kept: [Series], skipped: [SkippedOrder]) {
    var kept: [Series] = []
    var skipped: [SkippedOrder] = []
    for series in wanted {
      if let error = refusal(series) {
        skipped.append(SkippedOrder(series, error))
      } else {
        kept.append(series)
      }
    }
    if kept.isEmpty, let first = skipped.first { throw first.refusal }
    return (kept, skipped)
  }

  /// - Parameter model: series that its model sends by order; nil: unknown.
  /// - Returns: nil if the series can be ordered, or if only a link can show that.
  static func streamRefusal(
    _ series: Series, _ wearable: EnrolledWearable, ofModel model: [Series]?
  ) -> HearthError? {
    guard wearable.driver?.capabilities.contains(.live(series)) == true else {
      return refused(wearable, "its kind sends no \(series.name) live")
    }
    if let model, !model.contains(series) {
      return refused(wearable, "its model sends no \(series.name) by order; \(choice(of: model))")
    }
    guard let had = wearable.capabilities?.series(with: .streamed), !had.contains(series) else { return nil }
    return refused(wearable, "it says that it has no \(series.name) to send by order; \(choice(of: had))")
  }

  private static func choice(of series: [Series]) -> String {
    series.isEmpty ? "it sends no series by order" : "it has \(names(series))"
  }

  /// - Parameter choices: series with selectable rates, as far as known.
  static func rateRefusal(
    _ series: Series, _ wearable: EnrolledWearable, _ choices: [Series: [WearableRate]]
  ) -> HearthError? {
    if choices[series] != nil { return nil }
    let others = names(Series.all.filter { choices[$0] != nil })
    let choice = others.isEmpty ? "" : "; it has rates of \(others)"
    return refused(wearable, "no rate of \(series.name) can be ordered\(choice)")
  }

  private static func names(_ series: [Series]) -> String { series.map { $0.name }.joined(separator: ", ") }

  private static func refused(_ wearable: EnrolledWearable, _ why: String) -> HearthError {
    HearthError(.requestUnsupported, "\(wearable.name): \(why)")
  }
}
