// Trainings: the table of the last three, and the rates of one, which a band begins to send after it ended.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Fetches answer 55. The next training overwrites the oldest.
final class TrainingDomain: LookDomain {
  nonisolated static let kind = SyncDomain(TrainingLook.domain, [.training], isAutomatic: false)

  private let rates: RatesDomain

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock, _ rates: RatesDomain) {
    self.rates = rates
    super.init(link, client, clock, Self.kind)
  }

  /// Reads the rates before any training is dated; false: that is not possible now.
  func lookFirst(_ known: [KnownItem]) async throws(VisitTrouble) -> Bool { try await rates.lookFirst(known) }

  /// Places of one answer: three are known; more are implausible.
  private static let limit = 3
  /// Places as read last.
  private(set) var places: [TrainingPlace] = []

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
    places = []
    guard try await lookFirst(known) else {
      leaveForLater()
      return nil
    }
    guard let answer = try await client.askIfKnown(Moyoung.Command.trainings) else { return nil }
    if answer.count % TrainingPlace.size != 0 { link.note("a table of trainings that does not end with one") }
    let readAt = shown
    let places = min(Self.limit, answer.count / TrainingPlace.size)
    var looks: [any MoyoungLook] = []
    for place in 0..<places {
      let raw = Array(answer[(place * TrainingPlace.size)...].prefix(TrainingPlace.size))
      guard let look = TrainingLook(raw, readAt: readAt, since: since, overlap: clock.overlap) else { continue }
      guard look.isOver else {
        link.note("a training that is not over, or of a time that has not come: its clock was ahead, or it goes on")
        continue
      }
      if looks.contains(where: { $0.name == look.name }) { continue }
      looks.append(look)
      self.places.append(look.place)
    }
    return looks.sorted { $0.begins < $1.begins }
  }

  /// A training is stored once. If the band sends it differently later, the stored one stays.
  override func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    let items = try await super.list(known: known)
    return items.map { item in
      guard let stored = known.first(where: { $0.id == item.id && $0.isDurable }), stored.mark != item.mark else {
        return item
      }
      link.note("a training that it reports otherwise than before")
      return HeldItem(id: stored.id, mark: stored.mark, size: stored.size, begins: item.begins)
    }
  }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try TrainingLook(bytes) }
}

/// Fetches command 52, which the band starts by itself and continues while it gets answers. Parts may be missing,
/// because a phone received them or one was lost. The minutes of today (54) then replace them.
final class TrainingRatesDomain: LookDomain {
  nonisolated static let kind = SyncDomain(TrainingRatesLook.domain, [.heartRate], isAutomatic: false)
  private let trainings: TrainingDomain
  /// The band does not know command 54.
  private var hasNoMinutes = false
  /// Begins of the trainings for which minutes were requested over this link.
  private var asked: Set<Int64> = []

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock, _ trainings: TrainingDomain) {
    self.trainings = trainings
    super.init(link, client, clock, Self.kind)
  }

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
    guard try await trainings.lookFirst(known) else {
      leaveForLater()
      return nil
    }
    let told = try await toldLook(known)
    var looks = told.map { [$0] } ?? []
    func missing(_ place: TrainingPlace) -> Bool {
      let name = TrainingRatesLook.name(place.begin)
      let count = told?.name == name ? told?.rates.count : nil
      let known = TrainingRatesLook.minuteCount(known.first { $0.id == name }?.progress ?? [])
      return place.begin < place.end && max(count ?? 0, known) < Int(place.end - place.begin) / 60
        && clock.overlap.map { $0.until <= place.begin || $0.from >= place.end } ?? true
    }
    let places = hasNoMinutes ? [] : trainings.places.filter { !asked.contains($0.begin) && missing($0) }
    guard !places.isEmpty, let today else { return looks.isEmpty ? nil : looks }
    for place in places {
      guard let minutes = try await minutes(of: place, today), self.today == today else { break }
      asked.insert(place.begin)
      let name = TrainingRatesLook.name(place.begin)
      let heard = told?.name == name ? told?.rates ?? [] : []
      let rates = minutes.enumerated().map { $0 < heard.count && MoyoungRates.isRate(heard[$0]) ? heard[$0] : $1 }
      let stored = known.first { $0.id == name }?.progress
      guard let look = look(rates, begin: place.begin, known, stored), look.count > 0 else { continue }
      looks.removeAll { $0.name == name }
      looks.append(look)
    }
    return looks.isEmpty ? nil : looks
  }

  /// Rates of a training from the minutes of today only; nil: a part of the day was not answered.
  private func minutes(of place: TrainingPlace, _ today: Int64) async throws(VisitTrouble) -> [UInt8]? {
    let midnight = today * MoyoungTime.day
    let minutes = (0..<min(TrainingRatesParts.limit, Int(place.end - place.begin) / 60)).map { minute in
      Int(place.begin + Int64(minute) * 60 - midnight).quotientAndRemainder(dividingBy: 60)
    }
    let ofToday = minutes.map { $0.quotient }.filter { (0..<1440).contains($0) }
    var day = [UInt8](repeating: 0, count: 1440)
    for part in Set(ofToday.map { $0 / MoyoungRates.count }).sorted() {
      let number = UInt8(truncatingIfNeeded: part)
      let answer = try await client.askIfKnown(Moyoung.Command.minutes, [number]) { $0.first == number }
      guard let answer, let rates = MoyoungRates.minutes(answer, part: number) else {
        hasNoMinutes = true
        return nil
      }
      day.replaceSubrange(part * MoyoungRates.count..<(part + 1) * MoyoungRates.count, with: rates)
    }
    return minutes.map { (0..<1440).contains($0.quotient) && $0.remainder >= 0 ? day[$0.quotient] : 0 }
  }

  /// Look at the rates that the band began to send.
  private func toldLook(_ known: [KnownItem]) async throws(VisitTrouble) -> TrainingRatesLook? {
    guard let parts = try await told() else { return nil }
    let readAt = shown
    let overlap = clock.overlap
    guard let begin = parts.begin(readAt: readAt, until: overlap.flatMap { $0.isKnown ? $0.until : nil }) else {
      link.note("rates of a training that did not begin this month")
      return nil
    }
    let name = TrainingRatesLook.name(begin)
    return look(parts.rates, begin: begin, known, known.first { $0.id == name }?.progress)
  }

  private func look(_ rates: [UInt8], begin: Int64, _ known: [KnownItem], _ stored: [UInt8]?) -> TrainingRatesLook? {
    let quarters = known.filter { $0.id.hasPrefix(RatesLook.domain + "/") }
    return TrainingRatesLook(
      rates, begin: begin, readAt: shown, since: since, known: stored ?? [], overlap: clock.overlap,
      isOfDay: { Self.isStored($0, quarters) })
  }

  /// Whether the rate of a minute is stored as one of the day.
  private static func isStored(_ second: Int64, _ quarters: [KnownItem]) -> Bool {
    guard second % MoyoungRates.step == 0 else { return false }
    let (day, inDay) = (MoyoungTime.dayNumber(second), MoyoungTime.secondOfDay(second))
    let name = RatesLook.name(day: day, quarter: UInt8(truncatingIfNeeded: inDay / (6 * 3600)))
    guard let known = quarters.first(where: { $0.id == name }) else { return false }
    return RatesLook.stored(known.progress)[Int(inDay % (6 * 3600) / MoyoungRates.step)]
  }

  /// Returns the parts, if the band began to send; nil: it did not.
  private func told() async throws(VisitTrouble) -> TrainingRatesParts? {
    var parts = TrainingRatesParts()
    var waiting = client.takePushed()
    guard let first = waiting.first, TrainingRatesParts.isFirst(first) else { return nil }
    for _ in 0..<TrainingRatesParts.partLimit {
      if waiting.isEmpty {
        // Not repeated: a band answers a repetition with the next part, and no part carries its position. The received
        // parts are kept, and the next link starts again.
        guard let next = try await client.askIfKnown(Moyoung.Command.trainingRates, isRepeatable: false) else {
          link.note("the rates of a training came to no end")
          return parts
        }
        waiting = [next]
      }
      switch parts.take(waiting.removeFirst()) {
      case .more: continue
      case .end: return parts
      case .odd:
        link.note("an invalid part of a training's rates")
        return parts
      }
    }
    link.note("more rates of a training than a day has")
    return parts
  }

  /// Rates of an earlier visit stay listed: a band sends them once.
  override func isKept(_ id: String) -> Bool { true }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try TrainingRatesLook(bytes) }
}
