// Nights and daily sums in the store: data that bands send in other pieces than those of the measurement.

import BandTwin
import EventLoop
import Health
import RingStore
import Simulation

extension BandJudge {
  // MARK: Nights

  private func isMeasured(_ part: BandKept, by item: BandExpected) -> Bool {
    let length = item.item.length.components.seconds * 1_000_000
    let starts = [item.trueTime, item.shownTime]
    let isIn =
      starts.contains { start in part.middle >= start - reach && part.middle <= start + length + reach }
      || isEstimated(part, item, length)
    return isIn && item.numbers == part.numbers
  }

  /// Whether its time is unsure, and between the true one and that of a wrong clock.
  private func isEstimated(_ part: BandKept, _ item: BandExpected, _ length: Int64) -> Bool {
    guard !item.isDateable, !part.isSure else { return false }
    let estimates = item.estimates
    return part.middle >= estimates.lowerBound - reach && part.middle <= estimates.upperBound + length + reach
  }

  /// A band begins the next five minutes early if its clock is set forward in the middle of the present ones.
  private func liesAcrossSetting(_ part: BandKept, _ next: BandKept, _ owed: [BandExpected]) -> Bool {
    let before = owed.filter { isMeasured(part, by: $0) }
    let behind = owed.filter { isMeasured(next, by: $0) }
    return before.contains { one in behind.contains { $0.item.stretch != one.item.stretch } }
  }

  private func describe(_ part: BandKept) -> String {
    let marks = part.isSure ? "sure" : "unsure"
    return "\(part.numbers) from \(part.time / 1_000_000) s for \(part.length / 1_000_000) s, \(marks)"
  }

  /// Checks a night. Stages may be merged and cut: each moment of the night has its stage, and no moment has two.
  mutating func judgeSleep(
    _ series: Series, _ owed: [BandExpected], _ stored: [BandKept], _ name: String
  ) {
    // The night as a whole is computed from its stages.
    if series == .sleep { return }
    let kept = stored.sorted { $0.time < $1.time }
    var missing = 0
    var example = ""
    for item in owed {
      let half = item.item.length.components.seconds * 500_000
      let middles = [item.trueTime + half, item.shownTime + half]
      // If the hub's clock is stepped later, the middle of a short stage may be outside of its stored span.
      let slack = reach - Self.bound / 2
      let isThere = kept.contains { part in
        part.numbers == item.numbers
          && (middles.contains { part.covers($0, slack: slack) } || isEstimated(part, item, 2 * half))
      }
      if isThere {
        outcome.matched += 1
      } else if !item.isOptional {
        if missing == 0 { example = describe(item) }
        missing += 1
      }
    }
    if missing > 0 {
      report(
        "\(name) sleep_stage: \(missing) of \(owed.count { !$0.isOptional }) are not there; the first is \(example)"
      )
    }
    var (twice, strange) = (0, 0)
    var firstTwice = ""
    for (number, part) in kept.enumerated() {
      if number > 0, kept[number - 1].time + kept[number - 1].length > part.time + reach,
        part.isSure, kept[number - 1].isSure, !liesAcrossSetting(kept[number - 1], part, owed)
      {
        if twice == 0 { firstTwice = "\(describe(part)) behind \(describe(kept[number - 1]))" }
        twice += 1
      }
      let hasItem = owed.contains { isMeasured(part, by: $0) }
      if !hasItem { strange += 1 }
    }
    if twice > 0 { report("\(name) sleep_stage: \(twice) begin while another goes on; the first: \(firstTwice)") }
    if strange > 0 {
      report("\(name) sleep_stage: \(strange) of \(kept.count) were never measured")
    }
  }

  // MARK: Sums of days

  /// Checks daily sums: never more than was walked, and all of it if all of it must be stored.
  mutating func judgeSums(
    _ series: Series, _ owed: [BandExpected], _ stored: [BandKept], _ name: String, _ band: VirtualBand
  ) {
    func day(_ time: Int64) -> Int64 { zone(of: band, at: time).date(of: time).dayNumber }
    // A band counts by its own midnight, which is before or after the true one with a clock that is a second off.
    func day(_ item: BandExpected) -> Int64 {
      day(abs(item.shownTime - item.trueTime) <= reach ? item.shownTime : item.trueTime)
    }
    // Whatever happened to clocks, no step may be counted twice.
    let (all, allWalked) = (stored.reduce(0) { $0 + ($1.numbers.first ?? 0) }, walked(owed))
    if all > allWalked { report("\(name) \(series.name): \(all) in all, \(allWalked) were counted") }
    // On whatever days: what a band's memory held long enough, by clocks that a hub can follow, is all there.
    let owing = walked(owed.filter { !$0.isOptional })
    if all < owing { report("\(name) \(series.name): \(all) in all, \(owing) were counted and reported") }
    let days = Set(owed.map { day($0) } + stored.map { day($0.middle) }).sorted()
    for number in days {
      let own = owed.filter { day($0) == number }
      // A clock that was set in the middle of a day leaves sums that cannot be assigned to a day.
      let stretches = Set(owed.filter { abs(day($0) - number) <= 1 }.map(\.item.stretch))
      let isPlain =
        stretches.count <= 1 && own.allSatisfy { abs($0.shownTime - $0.trueTime) <= reach }
      let walked = walked(own)
      let parts = stored.filter { day($0.middle) == number }
      let kept = parts.reduce(0) { $0 + ($1.numbers.first ?? 0) }
      guard isPlain else {
        outcome.unjudgedDays += 1
        continue
      }
      let what = "\(name) \(series.name): \(kept) on day \(number)"
      if kept > walked { report("\(what), \(walked) were counted; \(list(parts))") }
      if kept < walked, own.allSatisfy({ !$0.isOptional }) {
        report("\(what), of \(walked) that were counted and reported; \(list(parts))")
      }
      if kept == walked { outcome.matched += 1 }
    }
  }

  private func walked(_ owed: [BandExpected]) -> Int64 { owed.reduce(0) { $0 + ($1.numbers.first ?? 0) } }

  /// Begin and end in minutes of the day, and amount.
  private func list(_ parts: [BandKept]) -> String {
    parts.sorted { $0.time < $1.time }.suffix(12).map { part in
      let begin = part.time / 60_000_000 % 1440
      return "\(begin)+\(part.length / 60_000_000): \(part.numbers.first ?? 0)"
    }.joined(separator: ", ")
  }
}
