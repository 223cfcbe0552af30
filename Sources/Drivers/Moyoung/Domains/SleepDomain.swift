// Sleep: the two nights before, and the one that ended today.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Fetches today's sleep (50) and that of the two days before (51), the oldest first.
final class SleepDomain: LookDomain {
  nonisolated static let kind = SyncDomain(SleepLook.domain, [.sleepStage], isAutomatic: true)
  private let pastDays: PastDays

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock, _ pastDays: PastDays) {
    self.pastDays = pastDays
    super.init(link, client, clock, Self.kind)
  }

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
    guard let today else { return nil }
    var looks = try await past(today, known)
    guard let answer = try await client.askIfKnown(Moyoung.Command.sleepToday) else {
      return looks.isEmpty ? nil : looks
    }
    let (night, readAt) = (SleepNight(answer), shown)
    guard self.today == today else { return looks.isEmpty ? nil : looks }
    looks += try await ofEvening(today, night, known)
    guard self.today == today, !night.entries.isEmpty else { return looks.isEmpty ? nil : looks }
    // Entries with an invalid time of day are stored unchanged under today's date.
    let isOdd = (try? night.seconds()) == nil
    guard let day = isOdd ? today : night.dateOfToday(readAt: readAt, until: clock.overlap?.until) else {
      link.note("sleep that may be of two days, or of a time that has not come: it is looked at later")
      return looks
    }
    if let look = look(night, day: day, readAt: readAt, isDayCertain: true, isOver: false, known) { looks.append(look) }
    return looks
  }

  /// Sleep of today, requested from 20:00 on as yesterday's. A band may count it so once its next sleep day has begun,
  /// but that is not certain.
  private func ofEvening(_ today: Int64, _ tonight: SleepNight, _ known: [KnownItem]) async throws(VisitTrouble)
    -> [any MoyoungLook]
  {
    let isTold = known.contains { $0.id == SleepLook.name(today) && $0.isDurable }
    // Entries that would be in the future tomorrow are of today: the sleep day has not begun.
    let hasBegun = (tonight.entries.last?.second).map { $0 <= MoyoungTime.secondOfDay(shown) - SleepNight.evening }
    guard MoyoungTime.secondOfDay(shown) >= SleepNight.evening, !isTold, hasBegun ?? true else { return [] }
    let argument = pastDays.order.sleep(1)
    let answer = try await client.askIfKnown(Moyoung.Command.pastDays, [argument]) { $0.first == argument }
    guard let answer, self.today == today else { return [] }
    let night = SleepNight(answer.dropFirst())
    if night.entries.isEmpty { return [] }
    return look(night, day: today, readAt: shown, isDayCertain: false, isOver: false, known).map { [$0] } ?? []
  }

  private func look(
    _ night: SleepNight, day: Int64, readAt: Int64, isDayCertain: Bool, isOver: Bool, _ known: [KnownItem]
  ) -> SleepLook? {
    let name = SleepLook.name(day)
    // The band sent this night before the clock was moved.
    if isElsewhere(night, day, known) { return nil }
    let begin = SleepNight.begin(of: day) + (night.entries.first?.second ?? 0)
    return SleepLook(
      night, day: day, readAt: readAt, isSure: isDayCertain && (since.map { begin >= $0 } ?? false), isOver: isOver,
      known: known.first { $0.id == name }?.progress ?? [])
  }

  /// Whether this night is stored under another date. If the clock never showed a time twice, an equal night is another
  /// one.
  private func isElsewhere(_ night: SleepNight, _ day: Int64, _ known: [KnownItem]) -> Bool {
    clock.overlap != nil
      && known.contains { item in
        item.id.hasPrefix(SleepLook.domain + "/") && item.id != SleepLook.name(day)
          && SleepLook.isStored(night, item.progress)
      }
  }

  /// Past nights. From 20:00 on it is unknown from which day a band counts back.
  private func past(_ today: Int64, _ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook] {
    guard MoyoungTime.secondOfDay(shown) < SleepNight.evening else { return [] }
    var nights: [SleepNight] = []
    for argument: UInt8 in 3...4 {
      let answer = try await client.askIfKnown(Moyoung.Command.pastDays, [argument]) { $0.first == argument }
      guard let answer else { return [] }
      nights.append(SleepNight(answer.dropFirst()))
    }
    let readAt = shown
    guard nights.count == 2, self.today == today else { return [] }
    func marks(_ daysAgo: Int64) -> String? {
      known.first { $0.id == SleepLook.name(today - daysAgo) && $0.isDurable }?.mark
    }
    // A stored night is recognised by its entries; one of the two answers decides for both.
    let order = PastDayOrder.judge((nights[0], nights[1])) { night, daysAgo in
      guard let mark = marks(daysAgo) else { return marks(3 - daysAgo) != LookDigest(night.bytes).mark }
      return mark == LookDigest(night.bytes).mark
    }
    if marks(1) != marks(2) { try pastDays.learn(order) }
    func told(_ daysAgo: Int64) -> SleepNight { nights[Int(pastDays.order.sleep(daysAgo)) - 3] }
    if ([1, 2] as [Int64]).contains(where: { isElsewhere(told($0), today - $0, known) }) {
      link.note("it reports a night that was stored of another day: its past nights are looked at later")
      return []
    }
    return ([2, 1] as [Int64]).compactMap { daysAgo in
      let night = told(daysAgo)
      // A stored night is not replaced by one that may belong to another day.
      if night.entries.isEmpty || (!pastDays.isCertain && marks(daysAgo) != nil) { return nil }
      return look(
        night, day: today - daysAgo, readAt: readAt, isDayCertain: pastDays.isCertain, isOver: true, known)
    }
  }

  override func isKept(_ id: String) -> Bool { isOfKeptDays(id) }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try SleepLook(bytes) }
}
