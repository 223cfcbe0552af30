// The expected form of one item of a band in the store: its series, its numbers, its marks and the limits of its time.

import BandTwin
import EventLoop
import Health
import RingStore

/// A value that the store must contain, or may contain.
struct BandExpected {
  let series: Series
  /// The stored numbers to compare: value, or value and length, or the columns of a training that bands send.
  let numbers: [Int64]
  let kind: SampleKind
  let isManual: Bool
  /// µs, by the hub's clock at that time; and as the band's own clock showed it in the hub's zone.
  let trueTime: Int64
  let shownTime: Int64
  let item: BandItem
  /// Absence is no fault of the hub.
  var isOptional = false
  /// The band's clock was correct in a zone that the hub had been in; else the hub can only estimate its time.
  var isDateable = true
  /// µs: upper limit of its time, when the hub first had it.
  var fetchedBy: Int64?
  /// µs: times that its clock showed, in other zones and seasons of the hub.
  var otherwiseShown: [Int64] = []
  /// Limits of an estimate.
  var estimates: ClosedRange<Int64> {
    let all = otherwiseShown + [trueTime, shownTime, fetchedBy ?? shownTime]
    return (all.min() ?? trueTime)...(all.max() ?? trueTime)
  }

  /// Columns of a training: part, sport, seconds, metres, kcal and two rates. The numbers of sports differ by maker.
  private static let trainingColumns = [2, 3, 4]

  /// - Parameter told: as the band sends it.
  static func parts(
    of item: BandItem, _ told: [Int64], trueTime: Int64, shownTime: Int64, isOptional: Bool, isDateable: Bool
  ) -> [BandExpected] {
    func owed(_ series: Series, _ numbers: [Int64]) -> BandExpected {
      BandExpected(
        series: series, numbers: numbers, kind: item.kind, isManual: item.isManual,
        trueTime: trueTime,
        shownTime: shownTime, item: item, isOptional: isOptional, isDateable: isDateable)
    }
    switch item.series {
    case .systolicPressure:
      guard told.count >= 2 else { return [] }
      return [owed(.systolicPressure, [told[0]]), owed(.diastolicPressure, [told[1]])]
    case .training:
      guard told.count >= 5 else { return [] }
      return [owed(.training, trainingColumns.map { told[$0] })]
    default: return told.first.map { [owed(item.series, [$0])] } ?? []
    }
  }

  /// The same numbers of a stored sample.
  static func numbers(of sample: StoredSample) -> [Int64] {
    switch sample.series {
    case .training:
      trainingColumns.compactMap { $0 < sample.values.count ? sample.values[$0] : nil }
    default: [sample.series.layout == .interval ? sample.values.last ?? 0 : sample.value]
    }
  }
}

/// A value of the store.
struct BandKept {
  let series: Series
  var numbers: [Int64]
  let kind: SampleKind
  let isManual: Bool
  var isSure: Bool
  /// µs.
  var time: Int64
  /// Length of an interval, µs.
  let length: Int64
  /// Raw bytes as the band sent them, if those are stored.
  var bytes: [UInt8]

  init(_ sample: StoredSample) {
    series = sample.series
    numbers = BandExpected.numbers(of: sample)
    kind = sample.flags.kind
    isManual = sample.flags.isManual
    isSure = sample.clockTrusted
    time = sample.time.microseconds
    length = sample.series.layout == .interval ? sample.values.first ?? 0 : 0
    bytes = sample.bytes
  }

  /// Determines the day of an interval: a clock that was a second off begins it before midnight.
  var middle: Int64 { time + length / 2 }

  /// Whether a moment lies in this interval, or nearly.
  func covers(_ moment: Int64, slack: Int64) -> Bool { moment >= time - slack && moment <= time + length + slack }

  /// Wearers begin trainings; whether that makes them manual is decided by the driver.
  func isLike(_ owed: BandExpected) -> Bool {
    series == owed.series && numbers == owed.numbers && kind == owed.kind
      && (isManual == owed.isManual || series == .training)
  }

  /// Whether it may be the expected value, to `reach` µs: at the true time, or that of the band's clock. An unsure time
  /// may be anywhere between, and up to the moment of fetching.
  func mayBe(_ owed: BandExpected, reach: Int64) -> Bool {
    if abs(time - owed.trueTime) <= reach || abs(time - owed.shownTime) <= reach { return true }
    let estimates = owed.estimates
    return !owed.isDateable && !isSure && time >= estimates.lowerBound - reach && time <= estimates.upperBound + reach
  }
}
