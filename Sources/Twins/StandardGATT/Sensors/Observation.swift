// Observation of the Generic Health Sensor Service as bytes, and its segmentation.

import Bluetooth

/// Numbers from the nomenclature of IEEE 11073-10101 that the twin uses.
enum Nomenclature {
  static let saturation: UInt32 = 150_456
  static let pulse: UInt32 = 149_530
  static let electrocardiogram: UInt32 = 147_842
  static let bodyTemperature: UInt32 = 150_364
  static let respiration: UInt32 = 151_562
  static let pressure: UInt32 = 150_020
  static let systolic: UInt32 = 150_021
  static let diastolic: UInt32 = 150_022
  static let meanPressure: UInt32 = 150_023
  /// Measured at a finger: the supplemental information in the dossier's example of a bundle.
  static let finger: UInt32 = 0x0002_4C3C

  static let percent: UInt16 = 544
  static let perMinute: UInt16 = 2720
  static let celsius: UInt16 = 6048
  static let breaths: UInt16 = 2784
  static let millimetresOfMercury: UInt16 = 3872
  static let millivolt: UInt16 = 4274
}

/// Observation: class, and the fields that its flags announce, in their order.
///
///     octets  content
///     1       class: 1 numeric, 2 discrete, 3 string, 4 samples, 5 events, 6 state, 7 several numbers, 8 TLV,
///             FF bundle
///     2       length of what follows
///     2       flags: bit 0 type, 1 time, 2 duration, 3 status, 4 object, 5 patient, 6 supplemental, 7 derived,
///             8 members
///     n       those fields, then the value
struct Observation {
  var kind: UInt8
  var type: UInt32?
  /// Nine bytes.
  var time: [UInt8]?
  var duration: MedicalNumber?
  var status: UInt16?
  var object: UInt32?
  var patient: UInt8?
  var supplemental: [UInt32] = []
  /// Objects from which it was derived, and its members.
  var derivedFrom: [UInt32] = []
  var members: [UInt32] = []
  /// Coded fields beside the value: type, length u16, format and bytes of each.
  var coded: [[UInt8]] = []
  var value: [UInt8]

  static func number(_ number: MedicalNumber, unit: UInt16) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: unit)
    bytes.append(littleEndian: number.float)
    return bytes
  }

  /// Several numbers of one moment: count, and type, unit and number of each.
  static func numbers(_ parts: [(type: UInt32, unit: UInt16, number: MedicalNumber)]) -> [UInt8] {
    var bytes = [UInt8(parts.count)]
    for part in parts {
      bytes.append(littleEndian: part.type)
      bytes += number(part.number, unit: part.unit)
    }
    return bytes
  }

  /// Equidistant samples: unit, scale and offset as FLOAT, seconds per sample as FLOAT, samples per period (1), bytes
  /// per sample (2), count, samples.
  static func samples(_ samples: [Int16], unit: UInt16, scale: MedicalNumber, period: MedicalNumber) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: unit)
    for number in [scale, MedicalNumber(0), period] { bytes.append(littleEndian: number.float) }
    bytes += [1, 2]
    bytes.append(littleEndian: UInt32(samples.count))
    for sample in samples { bytes.append(littleEndian: sample) }
    return bytes
  }

  static func text(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(text.utf8.count))
    return bytes + Array(text.utf8)
  }

  static func bundle(_ members: [Observation]) -> [UInt8] {
    [UInt8(members.count)] + members.flatMap(\.bytes)
  }

  var flags: UInt16 {
    var flags: UInt16 = 0
    if type != nil { flags |= 1 << 0 }
    if time != nil { flags |= 1 << 1 }
    if duration != nil { flags |= 1 << 2 }
    if status != nil { flags |= 1 << 3 }
    if object != nil { flags |= 1 << 4 }
    if patient != nil { flags |= 1 << 5 }
    if !supplemental.isEmpty { flags |= 1 << 6 }
    if !derivedFrom.isEmpty { flags |= 1 << 7 }
    if !members.isEmpty { flags |= 1 << 8 }
    if !coded.isEmpty { flags |= 1 << 9 }
    return flags
  }

  var bytes: [UInt8] { bytes(flags: flags) }

  /// - Parameter flags: other flags than its own, for wrong values.
  func bytes(flags: UInt16) -> [UInt8] {
    var body: [UInt8] = []
    body.append(littleEndian: flags)
    if let type { body.append(littleEndian: type) }
    body += time ?? []
    if let duration { body.append(littleEndian: duration.float) }
    if let status { body.append(littleEndian: status) }
    if let object { body.append(littleEndian: object) }
    if let patient { body.append(patient) }
    for list in [supplemental, derivedFrom, members] where !list.isEmpty {
      body.append(UInt8(list.count))
      for code in list { body.append(littleEndian: code) }
    }
    if !coded.isEmpty { body += [UInt8(coded.count)] + coded.flatMap(\.self) }
    body += value
    var bytes = [kind]
    bytes.append(littleEndian: UInt16(body.count))
    return bytes + body
  }
}

/// Segment counter, modulo 64, over all values of one characteristic.
struct Segments {
  private(set) var counter: UInt8

  /// Segments with a first byte each: bit 0 first, bit 1 last, bits 2–7 counter.
  mutating func cut(_ body: [UInt8], room: Int) -> [[UInt8]] {
    let size = max(1, room)
    return stride(from: 0, to: max(body.count, 1), by: size).map { start in
      let end = min(start + size, body.count)
      var head = counter << 2
      if start == 0 { head |= 0x01 }
      if end == body.count { head |= 0x02 }
      counter = (counter + 1) & 0x3F
      return [head] + body[start..<end]
    }
  }
}

/// Moment in the form of service 1840 and Current Elapsed Time (2BF2): flags, u48, source, offset.
enum ElapsedTime {
  /// 2000-01-01 in microseconds since 1970.
  static let epoch: Int64 = 946_684_800_000_000

  /// Meaning of a time stamp.
  enum Kind: Sendable, Hashable {
    /// UTC, with the local offset.
    case utcWithOffset
    case utc
    /// Local time, with its offset from UTC.
    case localWithOffset
    /// Time since switch-on.
    case ticks
  }

  /// - Parameters:
  ///   - count: units since 2000, or ticks.
  ///   - isCurrent: on the present timeline of its clock.
  static func bytes(
    _ kind: Kind, count: UInt64, isMilliseconds: Bool, isCurrent: Bool, source: UInt8, quarterHours: Int
  ) -> [UInt8] {
    var flags: UInt8 = isMilliseconds ? 0x08 : 0
    switch kind {
    case .utcWithOffset: flags |= 0x12
    case .utc: flags |= 0x02
    case .localWithOffset: flags |= 0x10
    case .ticks: flags |= 0x01
    }
    if isCurrent { flags |= 0x20 }
    let hasOffset = flags & 0x10 != 0
    var bytes = [flags]
    bytes.append(littleEndian48: count)
    return bytes + [source, hasOffset ? UInt8(bitPattern: Int8(clamping: quarterHours)) : 0]
  }
}
