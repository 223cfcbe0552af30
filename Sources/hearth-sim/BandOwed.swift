// What one item of a band should be in the store: the series it is kept under, its numbers, its marks and where its
// time may be.

import BandTwin
import EventLoop
import Health
import RingStore

/// One value that the store owes, or may have.
struct BandOwed {
  let series: Series
  /// The stored numbers that are compared: value, or value and length, or the columns of a training that bands tell.
  let numbers: [Int64]
  let kind: SampleKind
  let isManual: Bool
  /// µs, by the hub's clock of then; as the band's own clock showed it in the hub's zone.
  let trueTime: Int64
  let shownTime: Int64
  let item: BandItem
  /// Nobody can hold its absence against a hub.
  var isOptional = false
  /// The band's clock was right in a zone that the hub had been in; else the hub can only estimate its time.
  var isDateable = true
  /// µs: it was measured before; when the hub had it first.
  var fetchedBy: Int64?
  /// µs: what its clock showed, in other zones and seasons of the hub.
  var otherwiseShown: [Int64] = []
  /// Where an estimate may lie.
  var estimates: ClosedRange<Int64> {
    let all = otherwiseShown + [trueTime, shownTime, fetchedBy ?? shownTime]
    return (all.min() ?? trueTime)...(all.max() ?? trueTime)
  }

  /// Columns of a training: part, sport, seconds, metres, kcal and two rates. Which number a sport has is the maker's.
  private static let trainingColumns = [2, 3, 4]

  /// - Parameter told: as the band tells it.
  static func parts(
    of item: BandItem, _ told: [Int64], trueTime: Int64, shownTime: Int64, isOptional: Bool, isDateable: Bool
  ) -> [BandOwed] {
    func owed(_ series: Series, _ numbers: [Int64]) -> BandOwed {
      BandOwed(
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

  /// The same numbers of what the store has.
  static func numbers(of sample: StoredSample) -> [Int64] {
    switch sample.series {
    case .training:
      trainingColumns.compactMap { $0 < sample.values.count ? sample.values[$0] : nil }
    default: [sample.series.layout == .interval ? sample.values.last ?? 0 : sample.value]
    }
  }
}

/// One value that the store has.
struct BandKept {
  let series: Series
  var numbers: [Int64]
  let kind: SampleKind
  let isManual: Bool
  var isSure: Bool
  /// µs.
  var time: Int64
  /// Of an interval, µs.
  let length: Int64
  /// As the band sent it, where it is kept so.
  var bytes: [UInt8]

  init(_ sample: StoredSample) {
    series = sample.series
    numbers = BandOwed.numbers(of: sample)
    kind = sample.flags.kind
    isManual = sample.flags.isManual
    isSure = sample.clockTrusted
    time = sample.time.microseconds
    length = sample.series.layout == .interval ? sample.values.first ?? 0 : 0
    bytes = sample.bytes
  }

  /// Which day an interval belongs to: a clock that was a second off begins it before midnight.
  var middle: Int64 { time + length / 2 }

  /// A moment lies in this interval, or nearly.
  func covers(_ moment: Int64, slack: Int64) -> Bool { moment >= time - slack && moment <= time + length + slack }

  /// Trainings are begun by their wearers: whether that makes them manual is the driver's to say.
  func isLike(_ owed: BandOwed) -> Bool {
    series == owed.series && numbers == owed.numbers && kind == owed.kind
      && (isManual == owed.isManual || series == .training)
  }

  /// Where it may lie, to `reach` µs: at its true time, where its band's clock put it, or, with a time that is not
  /// sure, anywhere between, and until it was fetched.
  func mayBe(_ owed: BandOwed, reach: Int64) -> Bool {
    if abs(time - owed.trueTime) <= reach || abs(time - owed.shownTime) <= reach { return true }
    let estimates = owed.estimates
    return !owed.isDateable && !isSure && time >= estimates.lowerBound - reach && time <= estimates.upperBound + reach
  }
}
