// Values of a record, and the series that have them.

internal import Health

/// A value that a record has for its second, in the unit of its field.
enum FITMeasure: UInt8, Sendable, CaseIterable {
  /// 180/2^31 degrees.
  case latitude, longitude
  /// 0.2 m above -500 m.
  case altitude
  /// bpm.
  case heartRate
  /// 1/128 of a revolution per minute; for steps, of two steps.
  case cadence
  /// cm.
  case distance
  /// mm/s.
  case speed
  /// W.
  case power

  var fields: [FITField] {
    switch self {
    case .latitude: [FITField(0, .sint32)]
    case .longitude: [FITField(1, .sint32)]
    case .altitude: [FITField(2, .uint16)]
    case .heartRate: [FITField(3, .uint8)]
    case .cadence: [FITField(4, .uint8), FITField(53, .uint8)]
    case .distance: [FITField(5, .uint32)]
    case .speed: [FITField(6, .uint16)]
    case .power: [FITField(7, .uint16)]
    }
  }

  /// Numbers that fit the fields.
  var range: ClosedRange<Int64> {
    switch self {
    case .latitude, .longitude: FITType.sint32.range
    case .altitude, .speed, .power: FITType.uint16.range
    case .heartRate: FITType.uint8.range
    case .cadence: 0...(0xFE << 7 | 0x7F)
    case .distance: FITType.uint32.range
    }
  }

  /// Returns a value for each field; nil: no value.
  func values(_ number: Int64?) -> [FITValue?] {
    guard let number else { return fields.map { _ in nil } }
    return self == .cadence ? [.number(number >> 7), .number(number & 0x7F)] : [.number(number)]
  }
}

/// A value as a series has it, before a record combines it with others.
enum FITQuantity: UInt8, Sendable, CaseIterable {
  case latitude, longitude, altitude, heartRate, cadence, distance, speed
  /// Distance since the reset of a sensor; a record has it from the begin of its session.
  case totalDistance
  /// Power of each pedal; a record has their sum.
  case leftPower, rightPower
  /// Interval between two beats, ms.
  case interval

  /// nil: not in a record by itself.
  var measure: FITMeasure? {
    switch self {
    case .latitude: .latitude
    case .longitude: .longitude
    case .altitude: .altitude
    case .heartRate: .heartRate
    case .cadence: .cadence
    case .distance, .totalDistance: .distance
    case .speed: .speed
    case .leftPower, .rightPower: .power
    case .interval: nil
    }
  }

  /// The quantities of a row with their numbers; empty for a row that has none.
  static func all(_ row: ExportRow) -> [(quantity: FITQuantity, number: Int64)] {
    switch (row.known, row.value) {
    case (.heartRate, .number(let bpm)): [(.heartRate, bpm)]
    // The profile counts both feet as one revolution.
    case (.cadence, .number(let steps)): scaled(.cadence, steps, 64, 1)
    case (.crankCadence, .number(let tenths)): scaled(.cadence, tenths, 128, 10)
    case (.speed, .number(let tenths)): scaled(.speed, tenths, 1000, 36)
    case (.exerciseDistance, .number(let decimetres)): scaled(.distance, decimetres, 10, 1)
    case (.totalDistance, .number(let decimetres)): scaled(.totalDistance, decimetres, 10, 1)
    case (.altitude, .number(let centimetres)): scaled(.altitude, centimetres, 1, 20, plus: 50_000)
    case (.leftPower, .number(let watts)): [(.leftPower, watts)]
    case (.rightPower, .number(let watts)): [(.rightPower, watts)]
    case (.location, .vector(let columns)) where columns.count == 4:
      scaled(.latitude, columns[0], 1 << 31, 1_800_000_000)
        + scaled(.longitude, columns[1], 1 << 31, 1_800_000_000).map { ($0, meridian($1)) }
        + scaled(.altitude, columns[2], 5, 1, plus: 500) + scaled(.speed, columns[3], 1000, 1)
    default: []
    }
  }

  /// The meridian of 180 degrees east is that of 180 degrees west, which is a number of the field.
  private static func meridian(_ longitude: Int64) -> Int64 {
    let range = FITType.sint32.range
    return (range.upperBound + 1...range.upperBound + 2).contains(longitude) ? range.lowerBound : longitude
  }

  /// `(number + plus) * factor / divisor`, rounded; empty if that is no 64-bit number.
  private static func scaled(
    _ quantity: FITQuantity, _ number: Int64, _ factor: Int64, _ divisor: Int64, plus: Int64 = 0
  ) -> [(quantity: FITQuantity, number: Int64)] {
    let doubled = (Int128(number) + Int128(plus)) * Int128(factor) * 2 + Int128(divisor)
    let whole = Int128(2 * divisor)
    let floor = doubled / whole - (doubled % whole < 0 ? 1 : 0)
    return Int64(exactly: floor).map { [(quantity, $0)] } ?? []
  }
}
