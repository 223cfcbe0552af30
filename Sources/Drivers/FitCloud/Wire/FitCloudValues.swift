// Values of single keys: host, wearer's body, monitoring, battery, totals of today.

import Bands
import Bluetooth
import CivilTime
import Health

/// Value of bind and login, 32 bytes. Published for the old generation only; assumed to be the same for the new one.
///
///     byte 0-3   user id, little-endian, unlike all else
///     4-28       0
///     29         1
///     30         model of the phone: 0, none
///     31         system of the phone: 0, none
enum FitCloudUser {
  static let size = 32

  static func bytes(_ user: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: user)
    bytes += [UInt8](repeating: 0, count: size - 4)
    bytes[29] = 1
    return bytes
  }
}

/// Result of bind and login: the first byte of the reply.
enum FitCloudResult: Sendable, Hashable {
  case accepted, failed, cancelled, timedOut, needsReset
  /// An unpublished code, or an empty reply.
  case unknown(UInt8?)

  init(_ value: [UInt8]) {
    switch value.first {
    case 0: self = .accepted
    case 1: self = .failed
    case 2: self = .cancelled
    case 3: self = .timedOut
    case 5: self = .needsReset
    case let code: self = .unknown(code)
    }
  }
}

/// Wearer's body for the old generation, 4 bytes, big-endian.
///
///     bit 31      sex: 1 male
///     30-24       age, years
///     23-15       height in half centimetres
///     14-5        weight in half kilograms
///     4-0         spare
struct FitCloudProfile: Sendable, Hashable {
  var isMale: Bool
  /// Years, 0-127.
  var age: Int
  /// Half centimetres, 0-511.
  var height: Int
  /// Half kilograms, 0-1023.
  var weight: Int

  init(isMale: Bool, age: Int, height: Int, weight: Int) {
    (self.isMale, self.age, self.height, self.weight) = (isMale, age, height, weight)
  }

  init?(_ value: [UInt8]) {
    guard value.count == 4 else { return nil }
    let word = value.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    self.init(
      isMale: word >> 31 == 1, age: Int(word >> 24 & 127), height: Int(word >> 15 & 511), weight: Int(word >> 5 & 1023))
  }

  /// nil if a part is unknown, or outside the kit's ranges: age 3-120, height 80-220 cm, weight 20-200 kg.
  init?(_ body: BodyFacts, on today: LocalDate) {
    let whole = BandBody(body, on: today)
    guard whole.assumed.isEmpty else { return nil }
    self.init(whole)
  }

  /// nil if a part is outside the kit's ranges.
  init?(_ body: BandBody) {
    guard (3...120).contains(body.age), (80...220).contains(body.height), (20...200).contains(body.weight) else {
      return nil
    }
    self.init(isMale: !body.isFemale, age: body.age, height: 2 * body.height, weight: 2 * body.weight)
  }

  var bytes: [UInt8] {
    let word =
      UInt32(isMale ? 1 : 0) << 31 | UInt32(truncatingIfNeeded: age & 127) << 24
      | UInt32(truncatingIfNeeded: height & 511) << 15 | UInt32(truncatingIfNeeded: weight & 1023) << 5
    return (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
  }
}

/// Automatic measuring, big-endian.
///
///     byte 0   1 on, 0 off
///     1-2      start of the daily window, minutes after midnight
///     3-4      its end
///     5-6      minutes between two measurements; new generation only
struct FitCloudMonitor: Sendable, Hashable {
  var isOn: Bool
  var begin: UInt16
  var end: UInt16
  var interval: UInt16?

  static let shortSize = 5
  static let size = 7

  init(isOn: Bool, begin: UInt16, end: UInt16, interval: UInt16? = nil) {
    (self.isOn, self.begin, self.end, self.interval) = (isOn, begin, end, interval)
  }

  /// nil for another size, or a switch that is neither 0 nor 1.
  init?(_ value: [UInt8]) {
    guard value.count == Self.shortSize || value.count == Self.size, value[0] < 2 else { return nil }
    func word(_ place: Int) -> UInt16 { UInt16(value[place]) << 8 | UInt16(value[place + 1]) }
    self.init(isOn: value[0] == 1, begin: word(1), end: word(3), interval: value.count == Self.size ? word(5) : nil)
  }

  var bytes: [UInt8] {
    let words = [begin, end] + (interval.map { [$0] } ?? [])
    var bytes: [UInt8] = [isOn ? 1 : 0]
    for word in words {
      bytes.append(UInt8(word >> 8))
      bytes.append(UInt8(word & 0xFF))
    }
    return bytes
  }
}

/// Remaining charge.
///
///     byte 0   percent
///     1        1 charging, 0 not; missing on some
struct FitCloudBattery: Sendable, Hashable {
  /// 0-100.
  let percent: Int
  let isCharging: Bool?

  init?(_ value: [UInt8]) {
    guard let percent = value.first, percent <= 100 else { return nil }
    self.percent = Int(percent)
    isCharging = value.count > 1 && value[1] < 2 ? value[1] == 1 : nil
  }

  var text: String? { isCharging.map { $0 ? "charging" : "not charging" } }
}

/// Totals of the day so far: six big-endian numbers of four bytes, in the old layout. Newer bands may append more.
struct FitCloudTotals: Sendable, Hashable {
  let steps: UInt32
  /// Distance in m.
  let distance: UInt32
  /// Energy in small calories.
  let calories: UInt32
  /// Deep sleep in min.
  let deepSleep: UInt32
  let lightSleep: UInt32
  /// Beats per minute; 0: unknown.
  let meanHeartRate: UInt32

  static let size = 24

  init?(_ value: [UInt8]) {
    guard value.count >= Self.size else { return nil }
    let words = (0..<6).map { place in value[(4 * place)..<(4 * place + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    (steps, distance, calories) = (words[0], words[1], words[2])
    (deepSleep, lightSleep, meanHeartRate) = (words[3], words[4], words[5])
  }
}
