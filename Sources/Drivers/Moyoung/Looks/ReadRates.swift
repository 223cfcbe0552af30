// Heart rates as read, by times of the band's clock. Pure.

/// Answers 53 of one moment, by the second at which each place begins.
struct ReadRates: Sendable, Hashable {
  /// Rates by the second at which a quarter of a day begins.
  private var quarters: [Int64: [UInt8]] = [:]

  init() {}

  /// - Parameter today: day from which the answers count back.
  init(_ answers: [MoyoungRates], today: Int64) {
    for answer in answers { quarters[answer.begin(today: today)] = answer.rates }
  }

  /// Rate at the place that begins at a second; nil: not read.
  subscript(second: Int64) -> UInt8? {
    let inQuarter = MoyoungTime.secondOfDay(second) % MoyoungRates.quarter
    return quarters[second - inQuarter]?[Int(inQuarter / MoyoungRates.step)]
  }

  /// Begin of the last matching place that has a rate; nil: no such place.
  func last(where isMeant: (Int64) -> Bool) -> Int64? {
    var found: Int64?
    for (begin, rates) in quarters {
      for (place, rate) in rates.enumerated() where MoyoungRates.isRate(rate) {
        let second = begin + Int64(place) * MoyoungRates.step
        if isMeant(second) { found = max(found ?? second, second) }
      }
    }
    return found
  }
}
