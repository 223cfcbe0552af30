// Heart rates that a band measured by itself: yesterday's, which go first, and today's so far.

import Bluetooth
import EventLoop
import Health
import Wearable

/// The rates every five minutes (53), and not those every minute (54): they alone reach over midnight, and nothing that
/// a band can be ordered is denser. Of the minutes of a training its own rates count, and no minute is stored of both.
final class RatesDomain: LookDomain {
  nonisolated static let kind = SyncDomain(RatesLook.domain, [.heartRate], isAutomatic: true)

  init(_ link: any WearableLink, _ client: MoyoungClient) { super.init(link, client, Self.kind) }

  /// What midnight takes first.
  private static let indices: [UInt8] = [4, 5, 6, 7, 0, 1, 2, 3]

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
    guard let today else { return nil }
    let minutes = Set(
      known.filter { $0.id.hasPrefix(TrainingRatesLook.domain + "/") }.flatMap {
        TrainingRatesLook.storedMinutes($0.progress)
      })
    var looks: [any MoyoungLook] = []
    for index in Self.indices {
      guard
        let answer = try await client.askIfKnown(Moyoung.Command.rates, [index], { $0.first == index })
      else { return looks.isEmpty ? nil : looks }
      guard let answer = MoyoungRates(payload: answer) else {
        link.note("heart rates of less than a quarter of a day")
        continue
      }
      let day = today - answer.daysAgo
      let name = RatesLook.name(day: day, quarter: answer.quarter)
      let look = RatesLook(
        answer.rates, day: day, quarter: answer.quarter, readAt: shown,
        since: since.map { $0 + MoyoungClockNote.doubtful },
        known: known.first { $0.id == name }?.progress ?? [], isOfTraining: { minutes.contains($0) })
      guard let look, self.today == today else { return looks.isEmpty ? nil : looks }
      if let last = look.lastOfFuture {
        link.note("its clock was ahead: it has heart rates of a time that has not come")
        // What is read later of these places is as old as they are, unless it was measured once more.
        try MoyoungClockNote.noteFuture(until: last + MoyoungRates.step + 2, link)
      }
      looks.append(look)
    }
    return looks
  }

  override func isKept(_ id: String) -> Bool { isOfKeptDays(id) }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try RatesLook(bytes) }
}
