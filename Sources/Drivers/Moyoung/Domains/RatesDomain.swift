// Heart rates that a band measured automatically: yesterday's first, then today's so far.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Fetches the rates every five minutes (53), not those every minute (54). Only 53 reaches back over midnight, and no
/// interval that can be ordered is denser. A training has its own rates for its minutes; no minute is stored of both.
final class RatesDomain: LookDomain {
  nonisolated static let kind = SyncDomain(RatesLook.domain, [.heartRate], isAutomatic: true)

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock) {
    super.init(link, client, clock, Self.kind)
  }

  /// Rates as read last.
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
  /// State of waiting, if rates were missing in this visit: the hub still waits, or has stopped waiting.
  private var wait: Wait?
  private enum Wait { case goesOn, isOver }

  override func begin() {
    super.begin()
    (read, hasLookedFirst, wait) = (ReadRates(), false, nil)
  }

  /// Reads the rates before the trainings if the clock is to be moved. Such a clock was not set in this visit, so only
  /// the rates show a setting by another program. Without them trainings would be dated as if the clock were known.
  ///
  /// - Returns: false if rates are missing, or the day ended meanwhile. Trainings then wait for the next visit, as does
  ///   the clock, up to a bound (`RatesWait`).
  func lookFirst(_ known: [KnownItem]) async throws(VisitTrouble) -> Bool {
    if !clock.isDue || hasLookedFirst { return true }
    // The days of the answers are unknown, so trainings are dated as unsure.
    if clock.isStrange { return true }
    guard let today else { return false }
    let answers = try await client.rates { self.today == today }
    guard self.today == today, try !isForLater(answers, known) else { return false }
    hasLookedFirst = true
    if try noteStrange(answers, today, known) { return true }
    _ = try clock.noteAhead(ReadRates(answers, today: today))
    return true
  }

  /// Whether answers are missing, although the band gave rates of its two days before: they were lost on the way.
  private func isIncomplete(_ answers: [MoyoungRates], _ known: [KnownItem]) -> Bool {
    answers.count < Self.quarters && known.contains { isOfKeptDays($0.id) }
  }

  /// Whether missing rates are left to the next visit, before the clock is moved. Beyond the bound of waiting, this
  /// visit continues with the rates it has. Everything measured until now is then unsure.
  private func isForLater(_ answers: [MoyoungRates], _ known: [KnownItem]) throws(VisitTrouble) -> Bool {
    guard isIncomplete(answers, known) else {
      link.forget(RatesWait.self)
      return false
    }
    // The rates are requested twice in a visit.
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
    // Kept until the clock was moved: if this visit ends before that, the next one does not wait again.
    return false
  }

  /// - Returns: whether the days of the answers are unknown.
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
    // Times by which another program had set the clock ahead are known by their rates.
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

  /// Whether most stored rates are still at their places, so that the band's days are the same.
  private func isRecognised(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) -> Bool {
    let all = stored(answers, today, known)
    return all.count < Self.leastGone || 2 * all.count { $0.now == $0.stored } >= all.count
  }

  private struct StoredRate {
    /// Begin of the place on the band's clock, s.
    let second: Int64
    let stored, now: UInt8
  }

  /// Rates that were stored since the clock is known, with the rates at the same places now. Places shown twice are
  /// skipped, since they may be empty while the band is measuring there.
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

  /// Answers for the two days that a band keeps.
  private static let quarters = MoyoungRates.indices.count
  /// Stored rates that must be missing before that counts as evidence.
  private static let leastGone = 3

  /// Detects lost rates. A band keeps the rates of two days. If most stored ones are gone, its memory was erased, or
  /// its clock shows other days: it lost its time and counts from 2000.
  ///
  /// - Returns: whether everything measured until now is unsure.
  private func noteLoss(_ answers: [MoyoungRates], _ today: Int64, _ known: [KnownItem]) throws(VisitTrouble) -> Bool {
    guard answers.count == Self.quarters else { return false }
    guard !isRecognised(answers, today, known) else { return false }
    link.note("most heart rates that were stored are gone: its clock was lost, or it was emptied")
    try MoyoungClockNote.noteDoubt(until: shown, link)
    return true
  }

  /// Evaluates the rates for settings of the clock by other programs.
  ///
  /// - Returns: whether the looks have to be built again.
  private func noteOthers(_ looks: [RatesLook]) throws(VisitTrouble) -> Bool {
    var isNews = false
    if looks.contains(where: \.wasPutBack) {
      link.note("its clock was put back by others: it has other heart rates at times that were stored")
      try MoyoungClockNote.noteDoubt(until: shown, link)
      isNews = true
    }
    return try clock.noteAhead(read) || isNews
  }

  /// Rate as read last, at the place that begins at a second; nil: not read.
  func rate(at second: Int64) -> UInt8? { read[second] }

  override func isKept(_ id: String) -> Bool { isOfKeptDays(id) }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try RatesLook(bytes) }
}
