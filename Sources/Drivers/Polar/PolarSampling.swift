// How fast each stream is wanted, and what that makes of the settings that a wearable offers.

import Bluetooth
public import Health
public import Wearable

extension PMD {
  /// What one stream is begun with.
  struct SamplingPlan: Sendable, Hashable {
    let type: MeasurementType
    let selection: Selection
    let isInSDKMode: Bool
  }
}

extension PMD.MeasurementType {
  /// Hz below which its samples are of little use; nil where it has one rate, or none.
  ///
  /// A body's movement has nothing above 20 Hz, and 50 Hz keep its shape; a pulse wave has nothing above 15 Hz, and
  /// intervals between its beats want 50 Hz; intervals between R-peaks want 125 Hz. A field turns with the body, whose
  /// pose 10 Hz tell. Temperatures and pressures are slow.
  var leastUsefulRate: UInt32? {
    switch self {
    case .ecg: 125
    case .acc, .gyro, .ppg: 50
    case .magnetometer: 10
    case .pressure, .temperature, .skinTemperature: 1
    case .ppi, .location, .offlineHR, .sdkMode, .offlineRecording: nil
    }
  }

  /// An idle link, with its one event in two seconds, does not carry it.
  var needsFastLink: Bool {
    switch self {
    case .ecg, .acc, .gyro, .ppg, .magnetometer: true
    default: false
    }
  }
}

extension PMD.Settings {
  /// Of the rates that are offered: the ordered one, or else the fastest for a link in the foreground and the slowest
  /// that is of use for any other.
  func selection(_ type: PMD.MeasurementType, ordered: Int?, _ profile: LinkProfile) -> PMD.Selection {
    guard let rates = values[.sampleRate], !rates.isEmpty else { return largest }
    if let ordered, let nearest = rates.min(by: { Self.distance($0, ordered) < Self.distance($1, ordered) }) {
      return choosing([.sampleRate: nearest])
    }
    guard profile != .foreground, let least = type.leastUsefulRate, let rate = rates.filter({ $0 >= least }).min()
    else { return largest }
    return choosing([.sampleRate: rate])
  }

  /// How far the nearest rate is from the ordered one, Hz; nil where none is offered.
  func distance(toRate ordered: Int) -> UInt32? { values[.sampleRate]?.map { Self.distance($0, ordered) }.min() }

  private static func distance(_ rate: UInt32, _ ordered: Int) -> UInt32 {
    let ordered = UInt32(clamping: ordered)
    return max(rate, ordered) - min(rate, ordered)
  }
}

extension Polar {
  /// Rates that people may order of a model's streams. Of a model that is not known, or whose own rates are not, there
  /// are none to choose from: any may be ordered, and the nearest that it offers is taken.
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
  public func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { Polar.rates(of: wearable.polarModel) }
}

extension PolarStrapDriver: RatedDriver {
  public func rates(of wearable: KnownWearable) -> [Series: [WearableRate]] { Polar.rates(of: wearable.polarModel) }
}

extension KnownWearable {
  /// What Polar's models are looked up by; empty where it is not known.
  var polarModel: String { advertisedName.flatMap { Polar.LocalName($0)?.modelKey } ?? model?.lowercased() ?? "" }

  var polarFirmware: Polar.FirmwareVersion? { firmware.flatMap { Polar.FirmwareVersion($0) } }
}
