// The kinds of history that are fetched: numbers on the wire, what they become, and which bands have them.

import Health
import Wearable

/// One history type. Its number plus 0x80 is what a person measured by hand.
struct HistoryKind: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    /// One byte an item.
    case values(Series)
    /// Two bytes an item.
    case pressure
    case sleep
    case steps
    /// The layout of its items is not published: the bytes are kept.
    case raw
  }

  /// Stable: people type it.
  let id: String
  /// Of the automatic twin.
  let type: UInt8
  let content: Content
  let isManual: Bool
  /// What a band must say that it has; nil: all have it.
  let needs: FitCloudFeatures.Feature?

  static let manualBit: UInt8 = 0x80

  /// Not every band that has its flag need have it: one that does not answer has nothing.
  var isOptional: Bool { type == 254 }

  private init(
    _ id: String, _ type: UInt8, _ content: Content, isManual: Bool = false, needs: FitCloudFeatures.Feature? = nil
  ) {
    (self.id, self.type, self.content, self.isManual, self.needs) = (id, type, content, isManual, needs)
  }

  /// The byte that starts its transfer.
  func code(_ generation: FitCloudGeneration) -> UInt8 {
    let old: [UInt8: UInt8] = [5: 0x0A, 6: 0x0B]
    let automatic = generation == .old ? old[type] ?? type : type
    return isManual ? type | Self.manualBit : automatic
  }

  /// In the order in which they are fetched: what is overwritten first and wanted most.
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

  /// Whether it is asked for at a band with these features. Of one that does not say what it has, what is certain is
  /// asked for, and nothing by hand: that has a flag of its own.
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
    // More fields than one are kept as they are.
    case .steps: [.steps, .raw]
    case .raw: [.raw]
    }
  }

  /// Bytes of an item; nil: not told.
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
  /// No value: it was not worn, or had nothing, or an old defect fills its empty slots with more steps than anybody
  /// takes. It was not recorded, so it says nothing of the clock either.
  func isNone(_ item: HistoryCursor.Item) -> Bool {
    item.value == 0 || content == .steps && Int(item.value) > Self.mostSteps(item)
  }

  /// Steps of an item that somebody may take.
  static func mostSteps(_ item: HistoryCursor.Item) -> Int {
    max(Int(HistoryReading.oldStepLimit), item.interval * HistoryReading.stepsPerMinute)
  }
}
