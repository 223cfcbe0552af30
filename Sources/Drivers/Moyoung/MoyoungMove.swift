// Move of the clock that a kill of the hub may have interrupted. Newer measurements show whether the band received it.

import StateCodec
import Wearable

/// State of the clock before a move, stored until the move is done.
///
/// The clock cannot be read. But a band stores a rate under the time that its clock shows. New rates after the old time
/// mean that it did not receive the move; new rates after the new time mean that it did.
struct MoyoungMove: RememberedState, Hashable {
  static let name = "moyoung-move"

  /// Time before the move, s on the band's clock, and the seconds to add.
  let from, by: Int64
  /// Rates of that day and the day before, every five minutes; `unread` if the hub does not know them.
  private let rates: [UInt8]

  private static let unread: UInt8 = 0xFF
  private static let placeCount = 576
  /// End of valid times, s: the year 9999.
  private static let bound: Int64 = 253_402_300_800
  /// New rates that may lie outside the elapsed time, since a band may recompute one. More of them disprove the assumed
  /// time.
  private static let strangeLimit = 1

  /// - Parameter rates: rate at the place that begins at a second; nil: not read.
  init(from: Int64, to: Int64, _ rates: (Int64) -> UInt8?) {
    (self.from, by) = (from, to - from)
    let first = Self.firstDay(from) * MoyoungTime.day
    self.rates = (0..<Int64(Self.placeCount)).map { rates(first + $0 * MoyoungRates.step) ?? Self.unread }
  }

  private static func firstDay(_ from: Int64) -> Int64 { MoyoungTime.dayNumber(from) - 1 }

  /// Rate at the place that begins at a second, at the time of the move; nil: unknown. A day of the future has no
  /// rates.
  private func standing(at second: Int64) -> UInt8? {
    let place = (second - Self.firstDay(from) * MoyoungTime.day) / MoyoungRates.step
    guard place >= 0 else { return nil }
    guard place < rates.count else { return 0 }
    return rates[Int(place)] == Self.unread ? nil : rates[Int(place)]
  }

  /// Whether the band received the move.
  ///
  /// - Parameters:
  ///   - shown: time on the clock without the move, s.
  ///   - answers: current rates.
  /// - Returns: nil if the rates do not decide: the band measured no new rate, or the two times are close.
  func wasHeard(shown: Int64, _ answers: [MoyoungRates]) -> Bool? {
    let isUnheard = fits(shown, since: from, answers)
    let isHeard = fits(shown + by, since: from + by, answers)
    return isHeard == isUnheard ? nil : isHeard
  }

  /// Whether there are new rates, and all of them lie between two times of the clock.
  private func fits(_ shown: Int64, since begin: Int64, _ answers: [MoyoungRates]) -> Bool {
    var (within, strange) = (0, 0)
    for answer in answers {
      let first = answer.begin(today: MoyoungTime.dayNumber(shown))
      for (place, rate) in answer.rates.enumerated() where MoyoungRates.isRate(rate) {
        let second = first + Int64(place) * MoyoungRates.step
        guard let old = standing(at: second), old != rate else { continue }
        // From the preceding place on: the band may have completed it after it was read.
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
