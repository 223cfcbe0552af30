// Orders for several things of which a wearable does not have all: what is left out, and what is refused.

import EventLoop
import Health
import Reasons
import Wearable

/// Why a series cannot be ordered of a wearable, and what follows for an order that names others too.
@LoopActor
enum OrderBatch {
  /// What is not supported is left out of an order for several things, and refused where it is ordered alone. So is an
  /// order of which nothing would be left.
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

  /// - Parameter model: series that its model sends by order; nil: it is not known.
  /// - Returns: nil where it can be ordered, or where nobody knows before a link.
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
    series.isEmpty ? "it sends nothing by order" : "it has \(names(series))"
  }

  /// - Parameter choices: series of which it has rates, as far as that is known.
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
