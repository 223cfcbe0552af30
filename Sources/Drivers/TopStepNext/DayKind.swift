// Kinds of data that a band keeps, and how each is asked for.

import Health
import TopStepMessages
import Wearable

/// By the number of the type on the wire. Type 3, pressure, is never asked for: an optical band estimates it.
enum DayKind: UInt8, Sendable, Hashable, CaseIterable {
  case heartRate = 1
  case spo2 = 2
  case stress = 4
  case sleep = 5
  case activity = 6
  case sport = 7

  var id: String {
    switch self {
    case .heartRate: "heart-rate"
    case .spo2: "spo2"
    case .stress: "stress"
    case .sleep: "sleep"
    case .activity: "activity"
    case .sport: "trainings"
    }
  }

  var series: [Series] {
    switch self {
    case .heartRate: [.heartRate]
    case .spo2: [.spo2]
    case .stress: [.stress]
    case .sleep: [.sleepStage]
    case .activity: [.steps, .distance, .calories, .activeTime]
    case .sport: [.training]
    }
  }

  /// Of rates, saturation and stress each message has what people began by hand apart (field 3) from what the band
  /// measured by itself; nights and half-hours are its own, trainings are begun by somebody.
  var syncDomain: SyncDomain {
    switch self {
    case .heartRate, .spo2, .stress: SyncDomain(id, series, tellsManual: true)
    case .sleep, .activity: SyncDomain(id, series, isAutomatic: true)
    case .sport: SyncDomain(id, series, isAutomatic: false)
    }
  }

  var data: TopStepTopic { .data(rawValue) }

  var wireType: TopStepDataType { TopStepDataType(rawValue: Int(rawValue)) ?? .none }

  /// Bits of the capability word, any of which says that the band keeps it; empty: no bit does.
  var bits: [CapabilityBytes.Bit] {
    switch self {
    case .heartRate: [.heartRate]
    case .spo2: [.spo2]
    case .stress: [.stress]
    case .sleep: [.sleep]
    case .activity: [.dailyActivity, .steps, .distance, .calories]
    case .sport: []
    }
  }

  /// s of one slot of a list, from which on it is complete; 0: values are of a moment.
  var slot: Int64 { self == .activity || self == .sleep ? 1800 : 0 }

  /// By how much the clocks of hub and band may differ, s: whole seconds, an answer's way, and 120 ppm for as long as a
  /// link stays without another setting.
  private static let clockSlack: Int64 = 60

  /// What is told of later than this is not final yet, of a day that is not over: slots that end after it, and
  /// automatic values that begin after it.
  ///
  /// - Parameter now: s since 2000.
  func settled(_ now: Int64) -> Int64 {
    slot > 0 ? TopStep.floored(now, slot) * slot : now - Self.clockSlack
  }

  /// By how much an answer has to go back behind what is stored, µs, where that is more than `SyncWish.overlap`.
  ///
  /// - Parameter interval: s between two measurements, as the band says.
  func overlap(interval: Int?) -> Int64 {
    switch self {
    case .heartRate, .spo2, .stress: Int64(clamping: interval ?? 0).multipliedReportingOverflow(by: 2_000_000).0
    // A night is read as a whole: the unit of its lengths shows in all of it, and its last stage comes late.
    case .sleep: 86_400_000_000
    case .activity: 2 * slot * 1_000_000
    // One that lasts is stored at its end and dated at its begin.
    case .sport: 86_400_000_000
    }
  }
}
