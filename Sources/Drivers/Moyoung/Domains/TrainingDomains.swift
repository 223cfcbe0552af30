// Trainings: the table of the last three, and the rates of one that a band begins to tell after it ended.

import Bluetooth
import EventLoop
import Health
import Wearable

/// Answer 55. The next training takes the place of the oldest.
final class TrainingDomain: LookDomain {
  nonisolated static let kind = SyncDomain(TrainingLook.domain, [.training], isAutomatic: false)

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock) {
    super.init(link, client, clock, Self.kind)
  }

  /// Places of one answer: three are known; more are not believed.
  private static let limit = 3

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
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
      if !looks.contains(where: { $0.name == look.name }) { looks.append(look) }
    }
    return looks.sorted { $0.begins < $1.begins }
  }

  /// A training is stored once: where a band tells it otherwise later, what is stored stays.
  override func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    let items = try await super.list(known: known)
    return items.map { item in
      guard let stored = known.first(where: { $0.id == item.id && $0.isDurable }), stored.mark != item.mark else {
        return item
      }
      link.note("a training that it tells otherwise than before")
      return HeldItem(id: stored.id, mark: stored.mark, size: stored.size, begins: item.begins)
    }
  }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try TrainingLook(bytes) }
}

/// Command 52. A band begins it by itself, and goes on as long as it is answered.
final class TrainingRatesDomain: LookDomain {
  nonisolated static let kind = SyncDomain(TrainingRatesLook.domain, [.heartRate], isAutomatic: false)

  init(_ link: any WearableLink, _ client: MoyoungClient, _ clock: MoyoungClock) {
    super.init(link, client, clock, Self.kind)
  }

  override func looks(_ known: [KnownItem]) async throws(VisitTrouble) -> [any MoyoungLook]? {
    guard let parts = try await told() else { return nil }
    let readAt = shown
    let overlap = clock.overlap
    guard let begin = parts.begin(readAt: readAt, until: overlap.flatMap { $0.isKnown ? $0.until : nil }) else {
      link.note("rates of a training whose begin is no time of this month")
      return nil
    }
    let name = TrainingRatesLook.name(begin)
    let quarters = known.filter { $0.id.hasPrefix(RatesLook.domain + "/") }
    let look = TrainingRatesLook(
      parts.rates, begin: begin, readAt: readAt, since: since, known: known.first { $0.id == name }?.progress ?? [],
      overlap: overlap, isOfDay: { Self.isStored($0, quarters) })
    return look.map { [$0] }
  }

  /// A minute whose rate is stored as one of the day.
  private static func isStored(_ second: Int64, _ quarters: [KnownItem]) -> Bool {
    guard second % MoyoungRates.step == 0 else { return false }
    let (day, inDay) = (MoyoungTime.dayNumber(second), MoyoungTime.secondOfDay(second))
    let name = RatesLook.name(day: day, quarter: UInt8(truncatingIfNeeded: inDay / (6 * 3600)))
    guard let known = quarters.first(where: { $0.id == name }) else { return false }
    return RatesLook.stored(known.progress)[Int(inDay % (6 * 3600) / MoyoungRates.step)]
  }

  /// All parts, where the band began to tell some; nil: it did not.
  private func told() async throws(VisitTrouble) -> TrainingRatesParts? {
    var parts = TrainingRatesParts()
    var waiting = client.takePushed()
    guard let first = waiting.first, TrainingRatesParts.isFirst(first) else { return nil }
    for _ in 0..<TrainingRatesParts.partLimit {
      if waiting.isEmpty {
        // Asked twice, a band goes on to the part after the one that was lost, and no part says where it belongs: what
        // came so far is kept, and the next link begins anew.
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
        link.note("a part of a training's rates that is none")
        return parts
      }
    }
    link.note("more rates of a training than a day has")
    return parts
  }

  /// What came in an earlier visit stays listed: a band tells it once.
  override func isKept(_ id: String) -> Bool { true }

  override func read(_ bytes: RawBytes) throws(ItemDefect) -> any MoyoungLook { try TrainingRatesLook(bytes) }
}
