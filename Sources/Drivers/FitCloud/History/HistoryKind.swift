// Kinds of history that are fetched: numbers on the wire, series, and the bands that have them.

import Health
import Wearable

/// History type. Its number plus 0x80 is the type of values that were measured by hand.
struct HistoryKind: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    /// Items of one byte.
    case values(Series)
    /// Items of two bytes.
    case pressure
    case sleep
    case steps
    /// The layout of the items is not published: the bytes are stored.
    case raw
  }

  /// Stable name, which operators type.
  let id: String
  /// Type of the automatic values.
  let type: UInt8
  let content: Content
  let isManual: Bool
  /// Feature that a band must report; nil: every band has this kind.
  let needs: FitCloudFeatures.Feature?

  static let manualBit: UInt8 = 0x80

  /// True if not every band with the flag has this kind. If it does not answer, it has no records of it.
  var isOptional: Bool { type == 254 }

  private init(
    _ id: String, _ type: UInt8, _ content: Content, isManual: Bool = false, needs: FitCloudFeatures.Feature? = nil
  ) {
    (self.id, self.type, self.content, self.isManual, self.needs) = (id, type, content, isManual, needs)
  }

  /// Type byte that starts the transfer.
  func code(_ generation: FitCloudGeneration) -> UInt8 {
    let old: [UInt8: UInt8] = [5: 0x0A, 6: 0x0B]
    let automatic = generation == .old ? old[type] ?? type : type
    return isManual ? type | Self.manualBit : automatic
  }

  /// Order of fetching: first what is overwritten first and needed most.
  static let all: [HistoryKind] = [
    HistoryKind("heart-rate", 3, .values(.heartRate), needs: .heartRate),
    HistoryKind("heart-rate-manual", 3, .values(.heartRate), isManual: true, needs: .heartRate),
    HistoryKind("spo2", 4, .values(.spo2), needs: .spo2),
    HistoryKind("spo2-manual", 4, .values(.spo2), isManual: true, needs: .spo2),
    HistoryKind("respiration", 6, .values(.respirationRate), needs: .respiration),
    HistoryKind("respiration-manual", 6, .values(.respirationRate), isManual: true, needs: .respiration),
    HistoryKind("blood-pressure", 5, .pressure, needs: .pressureByPump),
    HistoryKind("blood-pressure-manual", 5, .pressure, isManual: true, needs: .pressureByPump),
    HistoryKind("sleep", 2, .sleep),
    HistoryKind("steps", 1, .steps),
    HistoryKind("stress", 18, .raw, needs: .stress),
    HistoryKind("stress-manual", 18, .raw, isManual: true, needs: .stress),
    HistoryKind("temperature", 17, .raw, needs: .temperature),
    HistoryKind("temperature-manual", 17, .raw, isManual: true, needs: .temperature),
    HistoryKind("resting-heart-rate", 254, .raw, needs: .heartRate),
    HistoryKind("sport", 16, .raw, needs: .sports),
  ]

  /// Whether this kind is requested from a band with these features. If the band does not report its features, only
  /// kinds that every band has are requested. Values by hand are left out then, since they need a flag of their own.
  func isServed(by features: FitCloudFeatures?) -> Bool {
    guard let features else {
      return !isManual && [3, 4, 2, 1].contains(type)
    }
    if isManual, !features.has(.manualSync) { return false }
    if content == .sleep, features.has(.noSleep) { return false }
    return needs.map { features.has($0) } ?? true
  }

  var series: [Series] {
    switch content {
    case .values(let series): [series]
    case .pressure: [.systolicPressure, .diastolicPressure]
    case .sleep: [.sleepStage]
    // Records with more than one field are stored raw.
    case .steps: [.steps, .raw]
    case .raw: [.raw]
    }
  }

  /// Bytes of an item; nil: unknown.
  var itemSize: Int? {
    switch content {
    case .values, .sleep: 1
    case .pressure, .steps: 2
    case .raw: nil
    }
  }

  var syncDomain: SyncDomain { SyncDomain(id, series, isAutomatic: !isManual) }
}

extension HistoryKind {
  /// Whether an item has no value. The band was not worn or did not measure, or an old defect filled its empty slots
  /// with an impossible count of steps. No value was recorded then, so the item is no evidence of the clock either.
  func isNone(_ item: HistoryCursor.Item) -> Bool {
    item.value == 0 || content == .steps && Int(item.value) > Self.mostSteps(item)
  }

  /// Largest plausible number of steps in an item.
  static func mostSteps(_ item: HistoryCursor.Item) -> Int {
    max(Int(HistoryReading.oldStepLimit), item.interval * HistoryReading.stepsPerMinute)
  }
}
