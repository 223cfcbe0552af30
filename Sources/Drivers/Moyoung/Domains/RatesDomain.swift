// Heart rates that a band measured by itself: yesterday's, which go first, and today's so far.

import Bluetooth
import EventLoop
import Health
import Wearable

/// The rates every five minutes (53), and not those every minute (54): they alone reach over midnight, and nothing that
/// a band can be ordered is denser. Of the minutes of a training its own rates count, and no minute is stored of both.
final class RatesDomain: LookDomain {
  nonisolated static let kind = SyncDomain(RatesLook.domain, [.heartRate], isAutomatic: true)

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock) {
    super.init(link, client, clock, Self.kind)
  }

  /// As they were read last.
  private var read = ReadRates()

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
    guard let today else { return nil }
    let answers = try await client.rates { self.today == today }
    read = ReadRates(answers, today: today)
    // It gave some within the two days that it keeps: what was not answered now was lost on the way.
    if answers.count < Self.quarters, known.contains(where: { isOfKeptDays($0.id) }) { leaveForLater() }
    var looks = self.looks(answers, today, known)
    let isLost = try noteLoss(answers, today, known)
    if try noteOthers(looks) || isLost { looks = self.looks(answers, today, known) }
    return looks.isEmpty ? nil : looks
  }

  private func looks(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) -> [RatesLook] {
    let overlap = clock.overlap
    let trainings = known.filter { $0.id.hasPrefix(TrainingRatesLook.domain + "/") }
    let minutes = Set(trainings.flatMap { TrainingRatesLook.storedMinutes($0.progress, overlap) })
    let allMinutes = Set(trainings.flatMap { TrainingRatesLook.storedMinutes($0.progress) })
    // Places that somebody's clock was ahead of are known by their rates.
    let since = since.map { since in
      let isAhead = overlap.map { !$0.isKnown && $0.from < since && since <= $0.until + MoyoungTime.step } ?? false
      return (isAhead ? overlap?.from ?? since : since) + MoyoungClockNote.doubtful
    }
    return answers.compactMap { answer in
      let day = today - answer.daysAgo
      let name = RatesLook.name(day: day, quarter: answer.quarter)
      return RatesLook(
        answer.rates, day: day, quarter: answer.quarter, readAt: shown, since: since,
        known: known.first { $0.id == name }?.progress ?? [], overlap: overlap, beside: rate,
        isOfTraining: { minutes.contains($0) }, wasOfTraining: { allMinutes.contains($0) })
    }
  }

  /// Of the two days that a band keeps.
  private static let quarters = MoyoungRates.indices.count
  /// Stored rates that must be gone before that says anything.
  private static let leastGone = 3

  /// A band keeps the rates of two days. Where none of those that were stored is there any more, its memory was
  /// emptied, or its clock shows other days: it was lost, and counts from 2000 on.
  ///
  /// - Returns: what it measured until now is not sure.
  private func noteLoss(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) throws(VisitTrouble) -> Bool {
    guard answers.count == Self.quarters else { return false }
    let overlap = clock.overlap
    var gone = 0
    var newest: Int64 = 0
    for answer in answers {
      let name = RatesLook.name(day: today - answer.daysAgo, quarter: answer.quarter)
      guard let progress = known.first(where: { $0.id == name }).map({ RatesProgress($0.progress) }) else { continue }
      let begin = answer.begin(today: today)
      for (place, rate) in answer.rates.enumerated() where progress.stored[place] && progress.rates[place] != 0 {
        // A place that comes twice may be empty while the band is at work on it.
        let second = begin + Int64(place) * MoyoungRates.step
        if overlap?.has(second) == true { continue }
        if MoyoungRates.isRate(rate) { return false }
        gone += 1
        newest = max(newest, second)
      }
    }
    // What is not sure already is no news.
    guard gone >= Self.leastGone, newest >= since ?? 0 else { return false }
    link.note("heart rates that were stored are gone: its clock was lost, or it was emptied")
    try MoyoungClockNote.noteDoubt(until: shown, link)
    return true
  }

  /// What the rates say of a clock that others set.
  ///
  /// - Returns: the looks are others with that.
  private func noteOthers(_ looks: [RatesLook]) throws(VisitTrouble) -> Bool {
    var isNews = false
    if looks.contains(where: \.wasPutBack) {
      link.note("its clock was put back by others: it has other heart rates at times that were stored")
      try MoyoungClockNote.noteDoubt(until: shown, link)
      isNews = true
    }
    return try clock.noteAhead(read) || isNews
  }

  /// As it was read last at the place that begins at a second; nil: it was not.
  func rate(at second: Int64) -> UInt8? { read[second] }

  override func isKept(_ id: String) -> Bool { isOfKeptDays(id) }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try RatesLook(bytes) }
}
