// Kinds of data that a band stores, and how the hub requests each.

import Health
import TopStepMessages
import Wearable

/// Kind of data, by the number of its type on the wire. Type 3, pressure, is never requested: an optical band only
/// estimates it.
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

  /// Sync domain of this kind. Messages of rate, saturation and stress list values started by hand (field 3) apart from
  /// automatic ones. Nights and half-hours are always automatic, and trainings always started by a person.
  var syncDomain: SyncDomain {
    switch self {
    case .heartRate, .spo2, .stress: SyncDomain(id, series, tellsManual: true)
    case .sleep, .activity: SyncDomain(id, series, isAutomatic: true)
    case .sport: SyncDomain(id, series, isAutomatic: false)
    }
  }

  var data: TopStepTopic { .data(rawValue) }

  var wireType: TopStepDataType { TopStepDataType(rawValue: Int(rawValue)) ?? .none }

  /// Bits of the capability word; any of them says that the band stores this kind. Empty: no bit describes it.
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

  /// Length of one slot of a list, s; a slot is complete at its end. 0: values have a moment, not a slot.
  var slot: Int64 { self == .activity || self == .sleep ? 1800 : 0 }

  /// Possible difference between the clocks of hub and band, s. Covers rounding to whole seconds and the travel time of
  /// an answer. A drift of 120 ppm, for as long as a link stays without another setting, is covered too.
  private static let clockSlack: Int64 = 60

  /// Moment up to which the values of an unfinished day are final, s since 2000. Slots that end after it, and automatic
  /// values that begin after it, may still change.
  ///
  /// - Parameter now: s since 2000.
  func settled(_ now: Int64) -> Int64 {
    slot > 0 ? TopStep.floored(now, slot) * slot : now - Self.clockSlack
  }

  /// Time before the newest stored value from which a request must start, µs, if more than `SyncSelection.overlap`.
  ///
  /// - Parameter interval: s between two measurements, as the band reports.
  func overlap(interval: Int?) -> Int64 {
    switch self {
    case .heartRate, .spo2, .stress: Int64(clamping: interval ?? 0).multipliedReportingOverflow(by: 2_000_000).0
    // A night is read whole: only the whole shows the unit of its lengths, and its last stage comes late.
    case .sleep: 86_400_000_000
    case .activity: 2 * slot * 1_000_000
    // A training is stored at its end and dated at its beginning.
    case .sport: 86_400_000_000
    }
  }
}
