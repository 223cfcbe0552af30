// Messages and fields of the FIT profile that an activity file has here.
//
// By number and name, with the fields as number, name, base type and unit:
//
// - 0 file_id: 0 type (4: activity), 1 manufacturer (255: development), 2 product, 4 time_created, 8 product_name.
// - 23 device_info: 253 timestamp, 0 device_index, 2 manufacturer, 4 product, 25 source_type (3: Bluetooth LE, 5:
//   local), 27 product_name. Index 0 is the program.
// - 21 event: 253 timestamp, 0 event (0: timer), 1 event_type (0: start, 4: stop_all).
// - 20 record: 253 timestamp, then the fields that the file has values of:
//     - 0 and 1 position (sint32, 180/2^31 degrees), 2 altitude (uint16, 0.2 m above -500 m)
//     - 3 heart_rate (uint8, bpm), 7 power (uint16, W)
//     - 4 cadence (uint8, 1/min), 53 fractional_cadence (uint8, 1/128 per minute)
//     - 5 distance (uint32, cm), 6 speed (uint16, mm/s)
// - 78 hrv: 0 time (5 of uint16, ms), with invalid values at the end. It follows the record of its second.
// - 19 lap:
//     - 254 message_index, 253 timestamp (its end), 0 event (9), 1 event_type (1: stop), 2 start_time
//     - 7 total_elapsed_time and 8 total_timer_time (uint32, ms), 9 total_distance (uint32, cm)
//     - 11 total_calories (uint16, kcal), 15 avg_heart_rate, 16 max_heart_rate
//     - 24 lap_trigger (7: end of the session, 0: manual), 25 sport
// - 18 session: the same but 0 event (8), 16 avg_heart_rate, 17 max_heart_rate, 28 trigger (0), 5 sport, and
//   25 first_lap_index, 26 num_laps, 110 sport_profile_name.
// - 34 activity: 253 timestamp, 0 total_timer_time (ms), 1 num_sessions, 2 type (0: one session, 1: several),
//   3 event (26), 4 event_type (1), 5 local_timestamp.
//
// Times are seconds since 1989-12-31T00:00:00Z; below 0x1000_0000 they would count from the start of a device.

/// Seconds of FIT.
enum FITTime {
  /// 1989-12-31T00:00:00Z, in seconds since 1970.
  static let epoch: Int64 = 631_065_600
  /// Seconds since 1970 that a time can have: 1998-07-03T21:24:16Z to 2126-02-06.
  static let range: ClosedRange<Int64> = epoch + 0x1000_0000...epoch + 0xFFFF_FFFE

  static func value(_ seconds: Int64) -> FITValue { .number(seconds - epoch) }
}

/// The sport of an activity, as the profile numbers it.
public enum FITSport: String, Sendable, CaseIterable {
  case generic, running, cycling, swimming, basketball, soccer, tennis, training, walking, rowing, hiking, boxing
  case fitnessEquipment = "fitness-equipment"
  case crossCountrySkiing = "cross-country-skiing"
  case inlineSkating = "inline-skating"
  case rockClimbing = "rock-climbing"
  case iceSkating = "ice-skating"

  var number: Int64 {
    switch self {
    case .generic: 0
    case .running: 1
    case .cycling: 2
    case .fitnessEquipment: 4
    case .swimming: 5
    case .basketball: 6
    case .soccer: 7
    case .tennis: 8
    case .training: 10
    case .walking: 11
    case .crossCountrySkiing: 12
    case .rowing: 15
    case .hiking: 17
    case .inlineSkating: 30
    case .rockClimbing: 31
    case .iceSkating: 33
    case .boxing: 47
    }
  }
}

extension FITMessage {
  static func fileID(nameRoom: Int) -> FITMessage {
    FITMessage(
      local: 0, global: 0,
      fields: [
        FITField(0, .enumeration), FITField(1, .uint16), FITField(2, .uint16), FITField(4, .uint32),
        FITField(8, .string, count: nameRoom),
      ])
  }

  static func deviceInfo(nameRoom: Int) -> FITMessage {
    FITMessage(
      local: 1, global: 23,
      fields: [
        FITField(253, .uint32), FITField(0, .uint8), FITField(2, .uint16), FITField(4, .uint16),
        FITField(25, .enumeration), FITField(27, .string, count: nameRoom),
      ])
  }

  static let event = FITMessage(
    local: 2, global: 21, fields: [FITField(253, .uint32), FITField(0, .enumeration), FITField(1, .enumeration)])

  /// - Parameter measured: what the file has.
  static func record(_ measured: [FITMeasure]) -> FITMessage {
    FITMessage(local: 3, global: 20, fields: [FITField(253, .uint32)] + measured.flatMap(\.fields))
  }

  static let hrv = FITMessage(local: 4, global: 78, fields: [FITField(0, .uint16, count: beats)])
  /// Intervals of one message.
  static let beats = 5

  static let lap = FITMessage(
    local: 5, global: 19,
    fields: [
      FITField(254, .uint16), FITField(253, .uint32), FITField(0, .enumeration), FITField(1, .enumeration),
      FITField(2, .uint32), FITField(7, .uint32), FITField(8, .uint32), FITField(9, .uint32), FITField(11, .uint16),
      FITField(15, .uint8), FITField(16, .uint8), FITField(24, .enumeration), FITField(25, .enumeration),
    ])

  static func session(nameRoom: Int) -> FITMessage {
    FITMessage(
      local: 6, global: 18,
      fields: [
        FITField(254, .uint16), FITField(253, .uint32), FITField(0, .enumeration), FITField(1, .enumeration),
        FITField(2, .uint32), FITField(7, .uint32), FITField(8, .uint32), FITField(9, .uint32), FITField(11, .uint16),
        FITField(16, .uint8), FITField(17, .uint8), FITField(28, .enumeration), FITField(5, .enumeration),
        FITField(25, .uint16), FITField(26, .uint16), FITField(110, .string, count: nameRoom),
      ])
  }

  static let activity = FITMessage(
    local: 7, global: 34,
    fields: [
      FITField(253, .uint32), FITField(0, .uint32), FITField(1, .uint16), FITField(2, .enumeration),
      FITField(3, .enumeration), FITField(4, .enumeration), FITField(5, .uint32),
    ])
}
