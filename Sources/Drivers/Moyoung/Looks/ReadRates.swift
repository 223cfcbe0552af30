// Heart rates as they were read, by times of the clock: pure.

/// Answers 53 of one moment, by the second at which each place begins.
struct ReadRates: Sendable, Hashable {
  /// By the second at which a quarter of a day begins.
  private var quarters: [Int64: [UInt8]] = [:]

  init() {}

  /// - Parameter today: the day from which they count back.
  init(_ answers: [MoyoungRates], today: Int64) {
    for answer in answers { quarters[answer.begin(today: today)] = answer.rates }
  }

  /// What stands at the place that begins at a second; nil: it was not read.
  subscript(second: Int64) -> UInt8? {
    let inQuarter = MoyoungTime.secondOfDay(second) % MoyoungRates.quarter
    return quarters[second - inQuarter]?[Int(inQuarter / MoyoungRates.step)]
  }

  /// Where the last of those begins that has a rate; nil: none has.
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
