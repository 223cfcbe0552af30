// Values of a time that has not come: they tell that the clock of a band was ahead when it measured them.

import Health
import TopStepMessages
import Wearable

/// Looks for them in an answer, without keeping any.
final class FutureValues: ItemSink {
  /// µs since 1970.
  private let latest: Int64
  private var last: Int64?
  private var values: Set<Int64> = []
  private var hasManual = false

  /// By how much what was measured may lie behind now, s: as the hub has it.
  static let tolerance: Int64 = 120

  private init(latest: Int64) { self.latest = latest }

  /// Until when a band has values of a time that has not come; nil: it has none.
  ///
  /// Bands fill slots that are still to come, with zeros or with one number up to the end of the day: several numbers,
  /// or a list that ends sooner, were measured. Nights and trainings have no slots.
  ///
  /// - Parameter now: s since 2000.
  /// - Returns: s since 2000.
  static func end(of messages: [DayMessage], _ kind: DayKind, now: Int64) -> Int64? {
    guard let latest = TopStep.microseconds(now + tolerance) else { return nil }
    let sink = FutureValues(latest: latest)
    for message in messages where message.span.map({ kind.mayReach($0, now + tolerance) }) ?? false {
      var item = DayItem(kind)
      item.messages = [message.bytes]
      var reader = DayReader(item, into: sink)
      _ = try? reader.read()
    }
    // Of a day that goes on: one that is over may well have a value in its last slot.
    let isFilled = messages.contains { message in
      message.span.map { $0.end > now + tolerance } ?? false && kind.fillsDay(message.bytes)
    }
    let isMeasured = sink.hasManual || sink.values.count > 1 || !isFilled || kind == .sleep || kind == .sport
    guard isMeasured, let last = sink.last else { return nil }
    return TopStep.seconds(last) + max(kind.slot, DayReader.automaticStep)
  }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    guard deviceTime > latest else { return }
    last = max(last ?? deviceTime, deviceTime)
    if let value = values.last, kind == .normal { self.values.insert(value) }
    if isManual { hasManual = true }
  }

  func noteAnomaly(_ what: StaticString) {}
}

extension DayKind {
  /// Its list of automatic values, or of half-hours, has one in the last slot of the day.
  fileprivate func fillsDay(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .heartRate:
      guard let day = try? TopStepHeartRateDay(wire: bytes) else { return false }
      return isFull(day.automatic.count, day.automatic.last, DayReader.automaticStep, day.start, day.end)
    case .spo2, .stress:
      guard let day = try? TopStepMeasuredDay(wire: bytes) else { return false }
      return isFull(day.automatic.count, day.automatic.last, DayReader.automaticStep, day.start, day.end)
    case .activity:
      guard let day = try? TopStepActivityDay(wire: bytes) else { return false }
      return isFull(day.steps.count, day.steps.last, slot, day.start, day.end)
    case .sleep, .sport: return false
    }
  }

  private func isFull(
    _ count: Int, _ last: (some BinaryInteger)?, _ step: Int64, _ begin: Int64, _ end: Int64
  ) -> Bool {
    guard let last, last != 0, TopStep.times.contains(begin) else { return false }
    // A day without an end that makes sense may be over with its last slot.
    return begin + Int64(count) * step >= end
  }

  /// A message of a day may have values behind a moment, s since 2000: of a night the begin of its day alone is told.
  fileprivate func mayReach(_ span: DaySpan, _ moment: Int64) -> Bool {
    span.end > moment || span.begin > moment - 2 * 86_400
  }
}
