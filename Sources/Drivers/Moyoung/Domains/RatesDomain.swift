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
    if clock.isDue, try noteStrange(answers, today, known) {
      read = ReadRates()
      return nil
    }
    read = ReadRates(answers, today: today)
    if try isForLater(answers, known) { leaveForLater() }
    var looks = self.looks(answers, today, known)
    let isLost = try noteLoss(answers, today, known)
    if try noteOthers(looks) || isLost { looks = self.looks(answers, today, known) }
    return looks.isEmpty ? nil : looks
  }

  private var hasLookedFirst = false
  /// In this visit some were not answered: they were waited for, or are not any more.
  private var wait: Wait?
  private enum Wait { case goesOn, isOver }

  override func begin() {
    super.begin()
    (read, hasLookedFirst, wait) = (ReadRates(), false, nil)
  }

  /// A clock that is to be moved was set by nobody in this visit: what others did to it shows in the rates alone, and
  /// trainings, which come first, would be dated as if it were known. So the rates are looked at before them.
  ///
  /// - Returns: false where they do not say it, as some were not answered, or are of a day that has passed meanwhile:
  ///   trainings wait for the next visit, as the clock does, up to a bound (`RatesWait`).
  func lookFirst(_ known: [KnownItem]) async throws(VisitTrouble) -> Bool {
    if !clock.isDue || hasLookedFirst { return true }
    // Nobody knows which days it tells: what trainings say is dated as unsure.
    if clock.isStrange { return true }
    guard let today else { return false }
    let answers = try await client.rates { self.today == today }
    guard self.today == today, try !isForLater(answers, known) else { return false }
    hasLookedFirst = true
    if try noteStrange(answers, today, known) { return true }
    _ = try clock.noteAhead(ReadRates(answers, today: today))
    return true
  }

  /// It gave some within the two days that it keeps: what is not answered now is lost on its way.
  private func isIncomplete(_ answers: [MoyoungRates], _ known: [KnownItem]) -> Bool {
    answers.count < Self.quarters && known.contains { isOfKeptDays($0.id) }
  }

  /// Some were not answered, and the next visit asks again before the clock is moved. Beyond the bound of that all that
  /// was measured until now is not sure, and the visit goes on with what was answered.
  private func isForLater(_ answers: [MoyoungRates], _ known: [KnownItem]) throws(VisitTrouble) -> Bool {
    guard isIncomplete(answers, known) else {
      link.forget(RatesWait.self)
      return false
    }
    // They are asked for twice in a visit.
    if let wait { return wait == .goesOn }
    if !clock.isDue { return true }
    let waits = (link.remembered(RatesWait.self) ?? RatesWait(since: link.hubTime.wall)).again
    guard waits.isOver(link.hubTime.wall) else {
      wait = .goesOn
      try link.remember(waits)
      return true
    }
    wait = .isOver
    link.note("some of its heart rates never come: what it has by the time that its clock shows is taken as it is")
    try MoyoungClockNote.noteDoubt(until: shown, link)
    // Kept until the clock was moved: a visit that ends before that leaves the next one nothing to wait for.
    return false
  }

  /// - Returns: nobody knows which days the band tells.
  private func noteStrange(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) throws(VisitTrouble) -> Bool
  {
    if isRecognised(answers, today, known) { return false }
    link.note("its clock was lost, or set by others: its days have other heart rates than were stored of them")
    try MoyoungClockNote.noteDoubt(until: shown, link)
    clock.isStrange = true
    return true
  }

  private func looks(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) -> [RatesLook] {
    let (overlap, isLast) = (clock.overlap, clock.isDue)
    let trainings = known.filter { $0.id.hasPrefix(TrainingRatesLook.domain + "/") }
    let minutes = Set(trainings.flatMap { TrainingRatesLook.storedMinutes($0.progress, overlap) })
    let allMinutes = Set(trainings.flatMap { TrainingRatesLook.storedMinutes($0.progress) })
    // Places that somebody's clock was ahead of are known by their rates.
    let since = since.map { since in
      let ahead = overlap.flatMap { since <= $0.until + MoyoungTime.step ? $0.seen : nil }
      return min(ahead ?? since, since) + MoyoungClockNote.doubtful
    }
    return answers.compactMap { answer in
      let day = today - answer.daysAgo
      let name = RatesLook.name(day: day, quarter: answer.quarter)
      return RatesLook(
        answer.rates, day: day, quarter: answer.quarter, readAt: shown, since: since,
        known: known.first { $0.id == name }?.progress ?? [], isLast: isLast,
        overlap: overlap, beside: rate,
        isOfTraining: { minutes.contains($0) }, wasOfTraining: { allMinutes.contains($0) })
    }
  }

  /// It has most of the rates that were stored at the places at which they were: by its clock these are the same days.
  private func isRecognised(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) -> Bool {
    let all = stored(answers, today, known)
    return all.count < Self.leastGone || 2 * all.count { $0.now == $0.stored } >= all.count
  }

  private struct StoredRate {
    /// When its place begins, s as shown.
    let second: Int64
    let stored, now: UInt8
  }

  /// Rates that were stored since the clock is known, and what stands at their places now. A place that comes twice is
  /// passed over: it may be empty while the band is at work on it.
  private func stored(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) -> [StoredRate] {
    let (overlap, since) = (clock.overlap, since ?? 0)
    return answers.flatMap { answer -> [StoredRate] in
      let name = RatesLook.name(day: today - answer.daysAgo, quarter: answer.quarter)
      guard let progress = known.first(where: { $0.id == name }).map({ RatesProgress($0.progress) }) else { return [] }
      let begin = answer.begin(today: today)
      return answer.rates.enumerated().compactMap { place, rate in
        let second = begin + Int64(place) * MoyoungRates.step
        guard second >= since, progress.stored[place], progress.rates[place] != 0, overlap?.has(second) != true else {
          return nil
        }
        return StoredRate(second: second, stored: progress.rates[place], now: rate)
      }
    }
  }

  /// Of the two days that a band keeps.
  private static let quarters = MoyoungRates.indices.count
  /// Stored rates that must be gone before that says anything.
  private static let leastGone = 3

  /// A band keeps the rates of two days. If most of those that were stored are not there any more, its memory was
  /// emptied, or its clock shows other days: it was lost, and counts from 2000 on.
  ///
  /// - Returns: what it measured until now is not sure.
  private func noteLoss(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) throws(VisitTrouble) -> Bool {
    guard answers.count == Self.quarters else { return false }
    guard !isRecognised(answers, today, known) else { return false }
    link.note("most heart rates that were stored are gone: its clock was lost, or it was emptied")
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
