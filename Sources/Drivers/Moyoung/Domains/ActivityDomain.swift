// Steps, distance and calories: totals of the two days before, and today's so far.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Fetches answers 51 about steps, and the characteristic FEE1.
final class ActivityDomain: LookDomain {
  nonisolated static let kind = SyncDomain(TotalsLook.domain, [.steps, .distance, .calories], isAutomatic: true)
  private let totals: GATTCharacteristic?
  private let pastDays: PastDays

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock, _ pastDays: PastDays) {
    totals = link.database.characteristic(Moyoung.totals, in: Moyoung.service).flatMap {
      $0.properties.contains(.read) ? $0 : nil
    }
    self.pastDays = pastDays
    super.init(link, client, clock, Self.kind)
  }

  /// Current counters; nil if the band does not report them.
  func now() async throws(VisitTrouble) -> DailyTotals? {
    guard let totals else { return nil }
    let bytes = try await link.read(totals)
    guard let now = DailyTotals(bytes), now.isPlausible else {
      link.note("invalid totals of today")
      return nil
    }
    return now
  }

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
    guard let today else { return nil }
    func stored(_ day: Int64) -> TotalsLook.Known? {
      known.first { $0.id == TotalsLook.name(day) }.flatMap { TotalsLook.known($0.progress) }
    }
    var looks: [any MoyoungLook] = try await past(today, stored)
    guard let now = try await now(), self.today == today else { return looks.isEmpty ? nil : looks }
    let before = stored(today)
    let look = TotalsLook(
      now, day: today, readAt: shown, isOver: false, since: since, isDayCertain: true, known: before,
      moves: clock.moves, movedTo: clock.movedTo)
    if let look {
      if look.head.marks.contains(.anew) { link.note("its counters of today restarted") }
      looks.append(look)
    }
    return looks
  }

  private func past(_ today: Int64, _ stored: (Int64) -> TotalsLook.Known?) async throws(VisitTrouble)
    -> [any MoyoungLook]
  {
    let (yesterday, before) = (stored(today - 1), stored(today - 2))
    // Both days are closed: there is no open total to request.
    if yesterday?.isOver == true, before?.isOver == true, pastDays.isCertain { return [] }
    var totals: [DailyTotals] = []
    for argument: UInt8 in 1...2 {
      let answer = try await client.askIfKnown(Moyoung.Command.pastDays, [argument]) { $0.first == argument }
      guard let answer else { return [] }
      guard let found = DailyTotals(answer.dropFirst()), found.isPlausible else {
        link.note("invalid totals of a past day")
        return []
      }
      totals.append(found)
    }
    guard totals.count == 2, self.today == today else { return [] }
    func fits(_ answer: DailyTotals, _ daysAgo: Int64) -> Bool {
      guard let known = daysAgo == 1 ? yesterday : before else { return true }
      return known.isOver ? answer == known.counters : answer.steps >= known.counters.steps
    }
    if totals[0] != totals[1] {
      try pastDays.learn(PastDayOrder.judge((totals[0], totals[1]), fits))
      try pastDays.compare(MoyoungPastDayOrder.Answers(day: today, first: totals[0], second: totals[1]))
    }
    let readAt = shown
    return ([2, 1] as [Int64]).compactMap { daysAgo in
      let answer = totals[Int(pastDays.order.steps(daysAgo)) - 1]
      let known = stored(today - daysAgo)
      // If the final total is less than an earlier look of that day, the answer belongs to another day.
      guard known.map({ !$0.isOver && answer.steps >= $0.counters.steps }) ?? true else { return nil }
      return TotalsLook(
        answer, day: today - daysAgo, readAt: readAt, isOver: true, since: since, isDayCertain: pastDays.isCertain,
        known: known, moves: clock.moves, movedTo: clock.movedTo)
    }
  }

  override func isKept(_ id: String) -> Bool { isOfKeptDays(id) }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try TotalsLook(bytes) }
}
