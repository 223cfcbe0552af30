// Rate of each stream: the one that is needed, chosen from the settings that the wearable offers.

import Bluetooth
public import Health
public import Wearable

extension PMD {
  /// Settings with which a stream is begun.
  struct SamplingPlan: Sendable, Hashable {
    let type: MeasurementType
    let selection: Selection
    let isInSDKMode: Bool
  }
}

extension PMD.MeasurementType {
  /// Hz below which the samples are of little use; nil for types without a choice of rates.
  ///
  /// Movement of a body has no components above 20 Hz, and 50 Hz preserve its shape. A pulse wave stays below 15 Hz,
  /// and intervals between its beats need 50 Hz. Intervals between R-peaks need 125 Hz. The magnetic field turns with
  /// the body, and 10 Hz show its pose. Temperature and pressure are slow.
  var leastUsefulRate: UInt32? {
    switch self {
    case .ecg: 125
    case .acc, .gyro, .ppg: 50
    case .magnetometer: 10
    case .pressure, .temperature, .skinTemperature: 1
    case .ppi, .location, .offlineHR, .sdkMode, .offlineRecording: nil
    }
  }

  /// Whether the data rate exceeds that of an idle link, which has one connection event in two seconds.
  var needsFastLink: Bool {
    switch self {
    case .ecg, .acc, .gyro, .ppg, .magnetometer: true
    default: false
    }
  }
}

extension PMD.Settings {
  /// Selects the ordered rate. Without an order it is the fastest for a link in the foreground, else the slowest useful
  /// one.
  func selection(_ type: PMD.MeasurementType, ordered: Int?, _ profile: LinkProfile) -> PMD.Selection {
    guard let rates = values[.sampleRate], !rates.isEmpty else { return largest }
    if let ordered, let nearest = rates.min(by: { Self.distance($0, ordered) < Self.distance($1, ordered) }) {
      return choosing([.sampleRate: nearest])
    }
    guard profile != .foreground, let least = type.leastUsefulRate, let rate = rates.filter({ $0 >= least }).min()
    else { return largest }
    return choosing([.sampleRate: rate])
  }

  /// Difference in Hz between the ordered rate and the nearest one; nil if no rate is offered.
  func distance(toRate ordered: Int) -> UInt32? { values[.sampleRate]?.map { Self.distance($0, ordered) }.min() }

  private static func distance(_ rate: UInt32, _ ordered: Int) -> UInt32 {
    let ordered = UInt32(clamping: ordered)
    return max(rate, ordered) - min(rate, ordered)
  }
}

extension Polar {
  /// Rates of a model's streams that can be ordered. Empty if the model or its rates are unknown: any rate may then be
  /// ordered, and the nearest offered one is used.
  static func rates(of key: String) -> [Series: [WearableRate]] {
    let kinds = PMD.MeasurementType.allCases.filter(\.hasSettings).compactMap(\.series.first)
    guard let streams = streams(of: key) else { return Dictionary(uniqueKeysWithValues: kinds.map { ($0, []) }) }
    var rates: [Series: [WearableRate]] = [:]
    for offer in streams.live where kinds.contains(offer.series) {
      rates[offer.series] = offer.rates.map { WearableRate(Int($0)) }
    }
    for offer in streams.liveInSDKMode where kinds.contains(offer.series) {
      let known = rates[offer.series, default: []]
      let more = offer.rates.map { Int($0) }.filter { rate in !known.contains { $0.hertz == rate } }
      rates[offer.series] = (known + more.map { WearableRate($0, silencesHeartRate: true) }).sorted {
        $0.hertz < $1.hertz
      }
    }
    return rates
  }
}

extension PolarDriver: RatedDriver {
  /// Rates in Hz that may be ordered, by series.
  public func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { Polar.rates(of: wearable.polarModel) }
}

extension PolarStrapDriver: RatedDriver {
  /// Rates in Hz that may be ordered, by series.
  public func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { Polar.rates(of: wearable.polarModel) }
}

extension KnownWearable {
  /// Key of the model in Polar's tables; empty if unknown.
  var polarModel: String { advertisedName.flatMap { Polar.LocalName($0)?.modelKey } ?? model?.lowercased() ?? "" }

  var polarFirmware: Polar.FirmwareVersion? { firmware.flatMap { Polar.FirmwareVersion($0) } }
}
