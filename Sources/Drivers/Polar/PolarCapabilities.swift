// Capabilities of a Polar wearable: the features of its measurement service, its file transfer, and the data that its
// model stores by the vendor's description.

import EventLoop
import Health
public import Wearable

extension PolarSession {
  /// Nil until the features were read, if it has the measurement service.
  var announced: WearableCapabilities? {
    var all = transfer.isPresent ? Polar.kept(by: link.known.polarModel) : WearableCapabilities()
    guard let client = recorder?.client else { return all }
    guard let features = client.told else { return nil }
    let denser = Polar.denserSeries(of: link.known.polarModel)
    for type in features.online {
      all.insert(.live, type.series)
      let first = Array(type.series.prefix(1))
      all.insert(.streamed, first)
      if features.hasSDKMode { all.insert(.denser, first.filter { denser.contains($0) }) }
    }
    for type in features.offline { all.insert(.recorded, type.series) }
    return all
  }

  /// Reads the features once over a link, unless the visit already has. A refusal or another answer is only noted.
  func askFeatures() async throws(VisitTrouble) {
    guard let client = recorder?.client, client.told == nil else { return }
    do throws(VisitTrouble) { _ = try await client.features() } catch {
      switch error {
      case .refused, .unsupported, .framing, .busy: link.note("it does not say what it measures: \(error)")
      default: throw error
      }
    }
  }
}

extension Polar {
  /// The data that a model stores in files. A model that is in no table may store all kinds.
  static func kept(by key: String) -> WearableCapabilities {
    let facts = ModelTable.known.facts(key)
    if facts.fileSystem == .h10 {
      return WearableCapabilities(.recorded, facts.recordsExercises ? [.heartRate, .rrInterval] : [])
    }
    guard let streams = streams(of: key) else {
      var all = WearableCapabilities([.recorded, .history], PolarFiles.series)
      if mayMeasure(.heartRate, by: key) { all.insert(.monitoring, [.heartRate]) }
      return all
    }
    var all = WearableCapabilities(.history, streams.daily)
    for kind in PolarFile.Kind.allCases {
      if let first = kind.series.first, daysOnly.contains(kind), streams.daily.contains(first) {
        all.insert(.history, kind.series)
      }
    }
    if streams.daily.contains(.nightlyRecharge) {
      all.insert(.resting, nightly)
    }
    // Data that the wearer starts on the device: a sensor measures neither position nor speed.
    all.insert(.recorded, facts.isSensor ? [.exercise, .training, .heartRate, .rrInterval] : trainings)
    if mayMeasure(.heartRate, by: key) { all.insert(.monitoring, [.heartRate]) }
    return all
  }

  /// Series of a night (`NightFiles`).
  fileprivate static let nightly: [Series] = [.skinTemperature, .heartRateVariability, .respirationRate]

  /// Files of days and nights, which are written automatically.
  private static let daysOnly: [PolarFile.Kind] = [
    .activitySamples, .dailySummary, .automaticSamples, .nightlyRecharge, .sleep, .sleepTemperature, .skinTemperature,
  ]

  /// Series of trainings and tests.
  private static let trainings: [Series] = {
    let kinds: [PolarFile.Kind] = [
      .trainingSession, .exerciseBase, .exerciseSamples, .exerciseSamples2, .route, .route2, .spo2Test,
    ]
    return kinds.flatMap(\.series)
  }()

  /// Series with more rates in SDK mode. For a model that is in no table: all series with rates.
  static func denserSeries(of key: String) -> [Series] {
    if let streams = streams(of: key) { return streams.liveInSDKMode.map(\.series) }
    return PMD.MeasurementType.allCases.filter(\.hasSettings).compactMap(\.series.first)
  }
}

extension PolarDriver: CapableDriver {
  /// Rates of SDK mode are ordered like others (`RatedDriver`), and heart rate day and night as monitoring.
  public var furtherCapabilities: WearableCapabilities { Self.further }

  private static let further: WearableCapabilities = {
    var all = WearableCapabilities(.denser, Polar.denserSeries(of: ""))
    all.insert(.monitoring, [.heartRate])
    all.insert(.resting, Polar.nightly)
    return all
  }()
}
