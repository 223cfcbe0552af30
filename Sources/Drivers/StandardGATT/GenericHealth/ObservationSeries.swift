// Series of observations: a row for each code of the nomenclature.

import Health

/// A numeric type of a generic health sensor, and its series.
///
/// Supporting another type takes one more row. Other types are counted and, if they are stored observations, kept as
/// bytes.
struct ObservationSeries: Sendable, Hashable {
  /// Code of IEEE 11073-10101, with its partition: 150456 is 2 × 65536 + 19384.
  let code: UInt32
  let series: Series
  /// Unit of the series. Numbers in another unit are not converted.
  let unit: UInt16
  /// Plausible range in that unit.
  let range: ClosedRange<Int64>

  private enum Unit {
    static let percent: UInt16 = 544
    static let perMinute: UInt16 = 2720
    static let breathsPerMinute: UInt16 = 2784
    static let celsius: UInt16 = 6048
  }

  static let all = [
    ObservationSeries(code: 150_456, series: .spo2, unit: Unit.percent, range: 0...100),
    ObservationSeries(code: 149_530, series: .pulseRate, unit: Unit.perMinute, range: 0...300),
    ObservationSeries(code: 147_842, series: .heartRate, unit: Unit.perMinute, range: 0...300),
    ObservationSeries(code: 151_562, series: .respirationRate, unit: Unit.breathsPerMinute, range: 0...100),
    ObservationSeries(code: 150_364, series: .bodyTemperature, unit: Unit.celsius, range: 10...50),
  ]

  static let series: [Series] = all.map(\.series)

  /// Interpretation of a number.
  enum Meaning: Sendable, Hashable {
    case value(Series, Int64)
    /// A special value without a number, or 0, which sensors send instead.
    case nothing
    /// The reserved special value.
    case reserved
    /// Value outside of the plausible range.
    case outOfRange
    /// A code or a unit without a row.
    case unknown
  }

  static func meaning(of type: UInt32?, unit: UInt16, _ number: MedicalFloat) -> Meaning {
    guard let row = all.first(where: { $0.code == type }), row.unit == unit else { return .unknown }
    if number.isReserved { return .reserved }
    let scale = row.series.denominator
    guard let value = number.scaled(by: scale), value != 0 else { return .nothing }
    let range = row.range.lowerBound * scale...row.range.upperBound * scale
    return range.contains(value) ? .value(row.series, value) : .outOfRange
  }
}

extension HealthObservation {
  /// Interpretations of all its numbers; empty if the wearable considers the value invalid.
  var meanings: [ObservationSeries.Meaning] {
    guard status.isDisjoint(with: .unfit) else { return [] }
    switch value {
    case .number(let unit, let number): return [ObservationSeries.meaning(of: type, unit: unit, number)]
    case .numbers(let components):
      return components.map { ObservationSeries.meaning(of: $0.type, unit: $0.unit, $0.number) }
    case .codes, .text, .bytes: return [.unknown]
    }
  }
}
