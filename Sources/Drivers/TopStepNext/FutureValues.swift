// Values dated in the future, which show that the band's clock was ahead when it measured them.

import Health
import StateCodec
import TopStepMessages
import Wearable

/// Sink that searches an answer for values of the future, and stores no value.
final class FutureValues: ItemSink {
  /// µs since 1970.
  private let latest: Int64
  private var last: Int64?
  private var values: Set<Int64> = []
  private var hasManual = false

  /// Seconds by which a value may be ahead of the present, the same as the hub's own limit.
  static let tolerance: Int64 = 120

  private init(latest: Int64) { self.latest = latest }

  /// End of the values that are dated in the future; nil: all are of the past.
  ///
  /// Bands fill future slots with zeros, or with one number up to the end of the day. Measured values are recognised by
  /// other signs: several numbers, a list that ends sooner, or a band that left such slots empty before. Nights and
  /// trainings have no slots.
  ///
  /// - Parameters:
  ///   - now: s since 2000.
  ///   - leavesEmpty: this band has sent a day with empty future slots.
  /// - Returns: s since 2000.
  static func end(of messages: [DayMessage], _ kind: DayKind, now: Int64, leavesEmpty: Bool = false) -> Int64? {
    guard let latest = TopStep.microseconds(now + tolerance) else { return nil }
    let sink = FutureValues(latest: latest)
    for message in messages where message.span.map({ kind.mayReach($0, now + tolerance) }) ?? false {
      var item = DayItem(kind)
      item.messages = [message.bytes]
      var reader = DayReader(item, into: sink)
      _ = try? reader.read()
    }
    // Only an unfinished day counts here: a finished day may have a value in its last slot.
    let isFilled = messages.contains { message in
      message.span.map { $0.end > now + tolerance } ?? false && kind.fillsDay(message.bytes)
    }
    let isMeasured =
      leavesEmpty || sink.hasManual || sink.values.count > 1 || !isFilled || kind == .sleep || kind == .sport
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

/// Slots of a day's list, and which of them have a value.
private struct DaySlots {
  /// s since 2000.
  let begin, end: Int64
  /// Length of one slot, s.
  let step: Int64
  let hasValue: [Bool]

  /// Future slots that a day needs before it shows a band's habit: two, as the band's clock may be a slot ahead.
  private static let leastToCome: Int64 = 2

  /// nil if the list is empty or has no valid time.
  init?(_ begin: Int64, _ end: Int64, _ step: Int64, _ values: some Collection<some BinaryInteger>) {
    guard !values.isEmpty, TopStep.times.contains(begin) else { return nil }
    (self.begin, self.end, self.step, hasValue) = (begin, end, step, values.map { $0 != 0 })
  }

  /// Whether the last slot of the day has a value. A day without a plausible end may end with its last listed slot.
  var isFull: Bool { hasValue.last == true && begin + Int64(hasValue.count) * step >= end }

  /// Whether the day is unfinished and every slot that begins after a moment is empty.
  func areEmpty(after moment: Int64) -> Bool {
    guard begin <= moment, end > moment + Self.leastToCome * step else { return false }
    return !hasValue.indices.contains { hasValue[$0] && begin + Int64($0) * step > moment }
  }
}

/// Kinds of data for which a band has sent a day with empty future slots. The band does not fill slots of that kind.
struct SlotsLeftEmpty: RememberedState, Equatable {
  static let name = "topstep-slots"
  private(set) var kinds: Set<DayKind> = []

  init() {}

  /// - Parameter now: s since 2000.
  func noting(_ messages: [DayMessage], _ kind: DayKind, now: Int64) -> SlotsLeftEmpty {
    var noted = self
    if messages.contains(where: { kind.slots($0.bytes)?.areEmpty(after: now + FutureValues.tolerance) ?? false }) {
      noted.kinds.insert(kind)
    }
    return noted
  }

  func write(to fields: inout FieldWriter) {
    for kind in DayKind.allCases where kinds.contains(kind) { fields.put(kind.rawValue, flag: true) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() { if let kind = DayKind(rawValue: tag) { kinds.insert(kind) } }
  }
}

extension DayKind {
  /// List of automatic values or of half-hours; nil: the message has no such list.
  fileprivate func slots(_ bytes: [UInt8]) -> DaySlots? {
    switch self {
    case .heartRate:
      guard let day = try? TopStepHeartRateDay(wire: bytes) else { return nil }
      return DaySlots(day.start, day.end, DayReader.automaticStep, day.automatic)
    case .spo2, .stress:
      guard let day = try? TopStepMeasuredDay(wire: bytes) else { return nil }
      return DaySlots(day.start, day.end, DayReader.automaticStep, day.automatic)
    case .activity:
      guard let day = try? TopStepActivityDay(wire: bytes) else { return nil }
      return DaySlots(day.start, day.end, slot, day.steps)
    case .sleep, .sport: return nil
    }
  }

  /// Whether the list has a value in the last slot of the day.
  fileprivate func fillsDay(_ bytes: [UInt8]) -> Bool { slots(bytes)?.isFull ?? false }

  /// Whether a message may have values after a moment, s since 2000. A night reports only the beginning of its day.
  fileprivate func mayReach(_ span: DaySpan, _ moment: Int64) -> Bool {
    span.end > moment || span.begin > moment - 2 * 86_400
  }
}
