// A move of the clock that a kill of the hub may have cut short: what the band measured since says whether it heard it.

import StateCodec
import Wearable

/// What is known of a clock before it is moved, remembered until the move is done.
///
/// The clock cannot be read. But a band keeps a rate under the time that its clock shows: new rates behind the time of
/// before mean that it did not hear the move, new rates behind the time of after that it did.
struct MoyoungMove: RememberedState, Hashable {
  static let name = "moyoung-move"

  /// s as the clock showed them, and by how many it is moved.
  let from, by: Int64
  /// Of the day of `from` and the day before, every five minutes; `unread` if the hub does not know it.
  private let rates: [UInt8]

  private static let unread: UInt8 = 0xFF
  private static let placeCount = 576
  /// Seconds beyond which a time is none: the year 9999.
  private static let bound: Int64 = 253_402_300_800
  /// New rates outside of the time that has passed: more of them, and the clock has not shown what it is taken for. A
  /// band may work one out anew.
  private static let strangeLimit = 1

  /// - Parameter rates: those that were read at the place that begins at a second; nil: it was not read.
  init(from: Int64, to: Int64, _ rates: (Int64) -> UInt8?) {
    (self.from, by) = (from, to - from)
    let first = Self.firstDay(from) * MoyoungTime.day
    self.rates = (0..<Int64(Self.placeCount)).map { rates(first + $0 * MoyoungRates.step) ?? Self.unread }
  }

  private static func firstDay(_ from: Int64) -> Int64 { MoyoungTime.dayNumber(from) - 1 }

  /// The rate that stood at the place that begins at a second; nil: not known. No day has rates before it comes.
  private func standing(at second: Int64) -> UInt8? {
    let place = (second - Self.firstDay(from) * MoyoungTime.day) / MoyoungRates.step
    guard place >= 0 else { return nil }
    guard place < rates.count else { return 0 }
    return rates[Int(place)] == Self.unread ? nil : rates[Int(place)]
  }

  /// Whether the band heard it.
  ///
  /// - Parameters:
  ///   - shown: what the clock shows if it did not, s.
  ///   - answers: rates as they are now.
  /// - Returns: nil if the rates do not decide it, as nothing was measured since, or the two times are close.
  func wasHeard(shown: Int64, _ answers: [MoyoungRates]) -> Bool? {
    let isUnheard = fits(shown, since: from, answers)
    let isHeard = fits(shown + by, since: from + by, answers)
    return isHeard == isUnheard ? nil : isHeard
  }

  /// All new rates lie between two times of the clock, and there are some.
  private func fits(_ shown: Int64, since begin: Int64, _ answers: [MoyoungRates]) -> Bool {
    var (within, strange) = (0, 0)
    for answer in answers {
      let first = answer.begin(today: MoyoungTime.dayNumber(shown))
      for (place, rate) in answer.rates.enumerated() where MoyoungRates.isRate(rate) {
        let second = first + Int64(place) * MoyoungRates.step
        guard let old = standing(at: second), old != rate else { continue }
        // From the place before on: the band may have ended it after it was read.
        let isWithin = second + 2 * MoyoungRates.step > begin && second <= shown
        if isWithin { within += 1 } else { strange += 1 }
      }
    }
    return within > 0 && strange <= Self.strangeLimit
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, from)
    fields.put(2, by)
    fields.put(3, rates)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var (from, by): (Int64?, Int64?) = (nil, nil)
    var rates: [UInt8]?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&from)
      case 2: fields.read(&by)
      case 3: fields.read(&rates, atMost: Self.placeCount)
      default: break
      }
    }
    guard let from, let by, let rates, (0..<Self.bound).contains(from), (-Self.bound..<Self.bound).contains(by)
    else { return nil }
    (self.from, self.by, self.rates) = (from, by, rates)
  }
}
