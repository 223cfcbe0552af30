// What commands and answers of a few bytes say. Each type is one payload, without its frame. Pure.

import Bands
import Bluetooth
import CivilTime
import Health

/// Command 49: the clock.
///
///     0-3   what the clock is to show, `MoyoungTime`, big-endian
///     4     8, the hours east of Greenwich for which all its times are meant
enum MoyoungClockSetting {
  static func payload(_ shown: Int64) -> [UInt8]? {
    MoyoungTime.wire(shown).map { $0.bigEndianBytes + [UInt8(MoyoungTime.east / 3600)] }
  }
}

/// Command 18: whom the band's algorithms count for.
///
///     0   height, cm
///     1   weight, kg
///     2   age, years
///     3   0 male, 1 female
struct MoyoungUser: Sendable, Hashable {
  let height, weight, age: UInt8
  let isFemale: Bool

  /// Years that a band takes: those that TopStep's kit does.
  static let ages = 3...120

  init(height: UInt8, weight: UInt8, age: UInt8, isFemale: Bool) {
    (self.height, self.weight, self.age, self.isFemale) = (height, weight, age, isFemale)
  }

  /// nil where a number does not fit.
  init?(_ body: BandBody) {
    guard Self.ages.contains(body.age), let age = UInt8(exactly: body.age), let height = UInt8(exactly: body.height),
      let weight = UInt8(exactly: body.weight)
    else { return nil }
    self.init(height: height, weight: weight, age: age, isFemale: body.isFemale)
  }

  /// nil where a fact is missing, or does not fit a byte.
  init?(_ facts: BodyFacts, on today: LocalDate) {
    let body = BandBody(facts, on: today)
    guard body.assumed.isEmpty else { return nil }
    self.init(body)
  }

  /// nil for what is none.
  init?(payload: [UInt8]) {
    guard payload.count == 4, payload[3] <= 1 else { return nil }
    self.init(height: payload[0], weight: payload[1], age: payload[2], isFemale: payload[3] == 1)
  }

  var payload: [UInt8] { [height, weight, age, isFemale ? 1 : 0] }
}

/// Commands 31 and 47: how often the heart rate is measured. The code is the number of five minutes; four are known.
enum MoyoungInterval {
  static let codes: [UInt8] = [1, 2, 4, 6]
  /// Seconds that may be ordered.
  static var seconds: [Int] { codes.map { Int($0) * 300 } }

  /// nil for an interval that no code is known for.
  static func code(_ seconds: Int) -> UInt8? { codes.first { Int($0) * 300 == seconds } }

  /// 0: it does not measure by itself; nil: a code that is not known.
  static func seconds(_ code: UInt8) -> Int? { code == 0 ? 0 : codes.contains(code) ? Int(code) * 300 : nil }
}

/// Commands 109 and 107: one measurement by order.
enum MoyoungMeasurement {
  static let start: [UInt8] = [0]
  static let stop: [UInt8] = [0xFF]

  /// What came of it: bpm, or percent. nil: it has no result, 0, or says something that is none.
  static func result(_ payload: [UInt8], _ series: Series) -> Int64? {
    guard let value = payload.first else { return nil }
    // 255 is the byte that stops it.
    let range: ClosedRange<UInt8> = series == .spo2 ? 1...100 : 1...254
    return range.contains(value) ? Int64(value) : nil
  }
}

/// What was counted on one day so far: characteristic FEE1, and answers 51 about steps.
///
///     0-2   steps, little-endian
///     3-5   metres
///     6-8   kilocalories
struct DailyTotals: Sendable, Hashable {
  let steps, metres, kilocalories: UInt32

  init(steps: UInt32, metres: UInt32, kilocalories: UInt32) {
    (self.steps, self.metres, self.kilocalories) = (steps, metres, kilocalories)
  }

  /// nil for fewer than nine bytes; further ones are passed over.
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

  /// What a person can do on one day and more: three times the distance of the longest run of 24 hours, with steps of
  /// half a metre for all of it. What exceeds it is an empty memory (FF FF FF).
  var isPlausible: Bool { steps <= 2_000_000 && metres <= 1_000_000 && kilocalories <= 50_000 }

  var isEmpty: Bool { steps == 0 && metres == 0 && kilocalories == 0 }
}

/// Answer 53: the heart rates of a quarter of a day.
///
///     0      index: 0-3 today, 4-7 yesterday; from midnight, 6, 12 and 18 h on
///     1-72   one every five minutes, bpm; 0 none
struct MoyoungRates: Sendable, Hashable {
  let index: UInt8
  let rates: [UInt8]

  static let count = 72
  static let indices: ClosedRange<UInt8> = 0...7
  /// Seconds between two, and of all in one answer.
  static let step: Int64 = 300
  static let quarter: Int64 = 21_600

  /// nil for another index, and for fewer rates.
  init?(payload: [UInt8]) {
    guard let index = payload.first, Self.indices.contains(index), payload.count > Self.count else { return nil }
    (self.index, rates) = (index, Array(payload[1...Self.count]))
  }

  var daysAgo: Int64 { Int64(index / 4) }
  var quarter: UInt8 { index % 4 }
  var startHour: Int { Int(quarter) * 6 }
  /// The second at which its first place begins, as the clock shows it on a day from which it counts back.
  func begin(today: Int64) -> Int64 { (today - daysAgo) * MoyoungTime.day + Int64(quarter) * Self.quarter }

  /// Answer 54: 72 minutes of today, by how many such parts of the day lie before; nil for another part, and for fewer.
  static func minutes(_ payload: [UInt8], part: UInt8) -> [UInt8]? {
    guard payload.first == part, payload.count > Self.count else { return nil }
    return Array(payload[1...Self.count])
  }

  /// 0 is no sample, 255 an empty memory.
  static func isRate(_ value: UInt8) -> Bool { value != 0 && value != 0xFF }
}
