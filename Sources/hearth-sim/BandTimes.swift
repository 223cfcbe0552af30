// Expected time of a band's item in the store, possible excuses for its absence, and what a hub could see of its clock.

import BandTwin
import CivilTime
import EventLoop
import Health
import Simulation

extension BandJudge {
  /// A hub sets a clock back that is ahead by more than this; corrections of a clock's drift are smaller.
  private static let putBack: Duration = .seconds(-15)
  /// A place of a band's day: only the end of it may be shown again.
  private static let place: Duration = .seconds(300)

  /// - Parameters:
  ///   - isKept: its band's memory held it long enough.
  ///   - isConfirmed: the hub ordered the band to delete it. Then there is no excuse for its absence.
  func parts(
    of item: BandItem, _ told: BandFamily.Told, _ band: VirtualBand, isKept: Bool, isConfirmed: Bool
  ) -> [BandExpected] {
    let trueTime = item.at.nanoseconds / 1000 + total(at: item.at)
    let shownTime = shownTime(of: item, told, band.recorder.clock)
    // A clock that was never set, or that showed another time, gives it an unknown time.
    let isForeign = item.isClockForeign || band.recorder.clock.settings.last { $0.at <= item.at }?.isForeign == true
    let isDateable = item.isClockSet && !isForeign && abs(shownTime - trueTime) <= reach
    let parts = BandExpected.parts(
      of: item, told.values, trueTime: trueTime, shownTime: shownTime,
      isOptional: !told.mustBeStored || !isConfirmed && !(isKept && isDateable), isDateable: isDateable)
    if isDateable || told.time != nil { return parts }
    return parts.map { owed in
      var owed = owed
      owed.otherwiseShown = otherwiseShown(item)
      return owed
    }
  }

  /// Times that a clock set by others shows, in every zone and season of the hub around then: which of them it means is
  /// unknown. So is the day of a night, which is sent with times of day.
  private func otherwiseShown(_ item: BandItem) -> [Int64] {
    let shown = item.shown * 1_000_000
    let day: Int64 = 86_400_000_000
    let all = zones.flatMap { zone in
      [shown - day, shown + day].map { shown - Int64(zone.rules.offset(at: $0)) * 1_000_000 }
    }
    return item.series == .sleepStage ? all + all.map { $0 - day } + all.map { $0 + day } : all
  }

  /// Adds when the hub first had it, if its time can only be estimated.
  func dated(_ owed: BandExpected, _ band: VirtualBand) -> BandExpected {
    guard !owed.isDateable, let told = band.ledger.deliveries.first(where: { $0.items.contains(owed.item.number) })
    else { return owed }
    var owed = owed
    owed.fetchedBy = told.sentAt.nanoseconds / 1000 + total(at: told.sentAt)
    return owed
  }

  /// The time by its band's clock, in the zone in which the hub had last set that clock. For items from before the
  /// hub's first setting, in the zone of that setting. The clock keeps the season in which it was set.
  private func shownTime(of item: BandItem, _ told: BandFamily.Told, _ clock: WristClock) -> Int64 {
    let shown = (told.time ?? item.shown) * 1_000_000
    if told.time != nil { return shown }
    let isOwn = { (setting: (at: Instant, by: Duration, isForeign: Bool)) in !setting.isForeign }
    let setting = clock.settings.prefix(item.settings).last(where: isOwn) ?? clock.settings.first(where: isOwn)
    guard let at = setting?.at else { return shown - Int64(zones[0].rules.offset(at: shown)) * 1_000_000 }
    let rules = zones.last { $0.at <= at }?.rules ?? zones[0].rules
    return shown - Int64(rules.offset(at: at.nanoseconds / 1000 + total(at: at))) * 1_000_000
  }

  /// Whether it may be a leftover. A band's clock was set back, and showed the time of an already filled place again.
  /// No value was measured then, and the old one stayed. No answer distinguishes that from a measurement with the same
  /// result. So the hub may store it once more, with an unsure time. Without such a setting, the same value at another
  /// time was stored twice.
  func isLeft(_ owed: BandExpected, at kept: BandKept, _ band: VirtualBand) -> Bool {
    guard !kept.isSure, kept.isLike(owed) else { return false }
    let isPutBack = band.recorder.clock.settings.dropFirst(owed.item.settings).contains { setting in
      setting.by < Self.putBack && setting.at.nanoseconds / 1000 + total(at: setting.at) <= kept.time + reach
    }
    guard isPutBack else { return false }
    if owed.trueTime < kept.time, abs(ownShown(at: kept.time, band) - owed.item.shown * 1_000_000) <= reach {
      return true
    }
    let settings = band.recorder.clock.settings
    var moment = owed.item.at
    for (place, setting) in settings.enumerated().dropFirst(owed.item.settings) {
      // When the clock showed that time, with this setting.
      moment = moment - setting.by
      let isOver = place + 1 < settings.count && moment >= settings[place + 1].at
      guard moment + Self.place > setting.at, !isOver else { continue }
      if abs(kept.time - (moment.nanoseconds / 1000 + total(at: moment))) <= reach { return true }
    }
    return false
  }

  /// µs that a band's clock would have shown if only the hub had set it: for how long it showed other settings is
  /// unknown.
  private func ownShown(at time: Int64, _ band: VirtualBand) -> Int64 {
    let setting = band.recorder.clock.settings.last { setting in
      !setting.isForeign && setting.at.nanoseconds / 1000 + total(at: setting.at) <= time
    }
    let set = setting.map { $0.at.nanoseconds / 1000 + total(at: $0.at) } ?? time
    return time + Int64(zone(of: band, at: time).offset(at: set)) * 1_000_000
  }

  /// Whether the value of a place equals the one from before its band's clock was set back: no answer distinguishes it
  /// from a leftover.
  func isAsBefore(_ owed: BandExpected, _ all: [BandExpected]) -> Bool {
    all.contains { other in
      other.item.number < owed.item.number && other.item.shown == owed.item.shown && other.numbers == owed.numbers
    }
  }

  /// Zone in which the hub had set a band's clock: the band counts its days by that.
  func zone(of band: VirtualBand, at time: Int64) -> TimeZoneRules {
    let own = band.recorder.clock.settings.filter { !$0.isForeign }
    let setting = own.last { $0.at.nanoseconds / 1000 + total(at: $0.at) <= time } ?? own.first
    return setting.flatMap { setting in zones.last { $0.at <= setting.at } }?.rules ?? zones[0].rules
  }

  func total(at moment: Instant) -> Int64 {
    wallSteps.last { $0.at <= moment }?.total ?? wallSteps[0].total
  }

  /// - Parameter shown: s since 1970, without a zone.
  private static func day(_ shown: Int64) -> Int64 { TimeZoneRules.utc.date(of: shown * 1_000_000).dayNumber }

  /// Whether a hub can see that the clock of this measurement was wrong.
  func isSeen(_ owed: BandExpected, _ band: VirtualBand, _ family: BandFamily) -> Bool {
    let item = owed.item
    if item.settings == 0 || !item.isClockForeign { return true }
    // A value that was sent with it had a future time.
    let deliveries = band.ledger.deliveries
    guard let first = deliveries.first(where: { $0.items.contains(item.number) }) else { return false }
    // With places without dates only a value of today shows that, and each quarter of a day is sent separately.
    let asked = family.hasPlaces ? deliveries.filter { $0.link == first.link && $0.sentAt <= first.sentAt } : [first]
    let ahead = owed.shownTime - owed.trueTime
    return asked.contains { told in
      let sent = told.sentAt.nanoseconds / 1000 + total(at: told.sentAt)
      let today = zone(of: band, at: sent).date(of: sent).dayNumber
      return told.items.contains { number in
        guard number <= band.recorder.items.count else { return false }
        let other = band.recorder.item(number)
        guard other.isClockForeign, other.stretch == item.stretch, other.series != .steps else { return false }
        if family.hasPlaces, Self.day(other.shown) != today { return false }
        return other.at.nanoseconds / 1000 + total(at: other.at) + ahead > sent + reach + Self.bound
      }
    }
  }
}
