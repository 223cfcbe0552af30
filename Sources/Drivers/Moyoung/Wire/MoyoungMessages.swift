// Commands and answers of a few bytes. Each type is one payload, without its frame. Pure.

import Bands
import Bluetooth
import CivilTime
import Health

/// Command 49: setting the clock.
///
///     0-3   time to show, `MoyoungTime`, big-endian
///     4     8, the zone in hours east of UTC that all its times assume
enum MoyoungClockSetting {
  static func payload(_ shown: Int64) -> [UInt8]? {
    MoyoungTime.wire(shown).map { $0.bigEndianBytes + [UInt8(MoyoungTime.east / 3600)] }
  }
}

/// Command 18: the wearer, for the band's algorithms.
///
///     0   height, cm
///     1   weight, kg
///     2   age, years
///     3   0 male, 1 female
struct MoyoungUser: Sendable, Hashable {
  let height, weight, age: UInt8
  let isFemale: Bool

  /// Ages that a band accepts: those of TopStep's kit.
  static let ages = 3...120

  init(height: UInt8, weight: UInt8, age: UInt8, isFemale: Bool) {
    (self.height, self.weight, self.age, self.isFemale) = (height, weight, age, isFemale)
  }

  /// nil if a number is out of range.
  init?(_ body: BandBody) {
    guard Self.ages.contains(body.age), let age = UInt8(exactly: body.age), let height = UInt8(exactly: body.height),
      let weight = UInt8(exactly: body.weight)
    else { return nil }
    self.init(height: height, weight: weight, age: age, isFemale: body.isFemale)
  }

  /// nil if a fact is missing, or does not fit a byte.
  init?(_ facts: BodyFacts, on today: LocalDate) {
    let body = BandBody(facts, on: today)
    guard body.assumed.isEmpty else { return nil }
    self.init(body)
  }

  /// nil for an invalid payload.
  init?(payload: [UInt8]) {
    guard payload.count == 4, payload[3] <= 1 else { return nil }
    self.init(height: payload[0], weight: payload[1], age: payload[2], isFemale: payload[3] == 1)
  }

  var payload: [UInt8] { [height, weight, age, isFemale ? 1 : 0] }
}

/// Commands 31 and 47: interval of automatic heart rates. The code counts units of five minutes; four codes are known.
enum MoyoungInterval {
  static let codes: [UInt8] = [1, 2, 4, 6]
  /// Intervals that can be ordered, seconds.
  static var seconds: [Int] { codes.map { Int($0) * 300 } }

  /// nil if no known code has this interval.
  static func code(_ seconds: Int) -> UInt8? { codes.first { Int($0) * 300 == seconds } }

  /// 0: automatic measuring is off; nil: an unknown code.
  static func seconds(_ code: UInt8) -> Int? { code == 0 ? 0 : codes.contains(code) ? Int(code) * 300 : nil }
}

/// Commands 109 and 107: a measurement by order.
enum MoyoungMeasurement {
  static let start: [UInt8] = [0]
  static let stop: [UInt8] = [0xFF]

  /// Result in bpm or percent; nil: no result (0), or an invalid one.
  static func result(_ payload: [UInt8], _ series: Series) -> Int64? {
    guard let value = payload.first else { return nil }
    // 255 is the byte that stops it.
    let range: ClosedRange<UInt8> = series == .spo2 ? 1...100 : 1...254
    return range.contains(value) ? Int64(value) : nil
  }
}

/// Counters of one day so far: characteristic FEE1, and answers 51 about steps.
///
///     0-2   steps, little-endian
///     3-5   metres
///     6-8   kilocalories
struct DailyTotals: Sendable, Hashable {
  let steps, metres, kilocalories: UInt32

  init(steps: UInt32, metres: UInt32, kilocalories: UInt32) {
    (self.steps, self.metres, self.kilocalories) = (steps, metres, kilocalories)
  }

  /// nil for fewer than nine bytes; further ones are ignored.
  init?(_ bytes: RawBytes) {
    var reader = ByteReader(bytes)
    guard let steps = reader.u24(), let metres = reader.u24(), let kilocalories = reader.u24() else { return nil }
    self.init(steps: steps, metres: metres, kilocalories: kilocalories)
  }

  init?(_ bytes: some Sequence<UInt8>) {
    let copy = Array(bytes)
    guard let totals = copy.withUnsafeBytes({ DailyTotals($0) }) else { return nil }
    self = totals
  }

  /// Whether a person can do this in a day, with a margin. The limit is three times the distance of the longest run of
  /// 24 hours, in steps of half a metre. Higher numbers are an empty memory (FF FF FF).
  var isPlausible: Bool { steps <= 2_000_000 && metres <= 1_000_000 && kilocalories <= 50_000 }

  var isEmpty: Bool { steps == 0 && metres == 0 && kilocalories == 0 }
}

/// Answer 53: the heart rates of a quarter of a day.
///
///     0      index: 0-3 today, 4-7 yesterday; from midnight, 6, 12 and 18 h on
///     1-72   one rate every five minutes, bpm; 0: no rate
struct MoyoungRates: Sendable, Hashable {
  let index: UInt8
  let rates: [UInt8]

  static let count = 72
  static let indices: ClosedRange<UInt8> = 0...7
  /// Seconds between two rates, and seconds of one answer.
  static let step: Int64 = 300
  static let quarter: Int64 = 21_600

  /// nil for an unknown index, or missing rates.
  init?(payload: [UInt8]) {
    guard let index = payload.first, Self.indices.contains(index), payload.count > Self.count else { return nil }
    (self.index, rates) = (index, Array(payload[1...Self.count]))
  }

  var daysAgo: Int64 { Int64(index / 4) }
  var quarter: UInt8 { index % 4 }
  var startHour: Int { Int(quarter) * 6 }
  /// Begin of the first place, in seconds on the band's clock, for the day from which the answer counts back.
  func begin(today: Int64) -> Int64 { (today - daysAgo) * MoyoungTime.day + Int64(quarter) * Self.quarter }

  /// Answer 54: 72 minutes of today, by the number of preceding parts; nil for another part, or missing rates.
  static func minutes(_ payload: [UInt8], part: UInt8) -> [UInt8]? {
    guard payload.first == part, payload.count > Self.count else { return nil }
    return Array(payload[1...Self.count])
  }

  /// 0 is no sample, 255 an empty memory.
  static func isRate(_ value: UInt8) -> Bool { value != 0 && value != 0xFF }
}
