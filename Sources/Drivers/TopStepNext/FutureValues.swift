// Values of a time that has not come: they tell that the clock of a band was ahead when it measured them.

import Health
import StateCodec
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
  /// a list that ends sooner, or any of a band that has left such slots empty were measured. Nights and trainings have
  /// no slots.
  ///
  /// - Parameters:
  ///   - now: s since 2000.
  ///   - leavesEmpty: the band has told a day with slots to come that were empty.
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
    // Of a day that goes on: one that is over may well have a value in its last slot.
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

/// The list of a day: of each slot whether it has a value.
private struct DaySlots {
  /// s since 2000.
  let begin, end: Int64
  /// s of one.
  let step: Int64
  let hasValue: [Bool]

  /// Slots that are to come say something of a band only if there are some: two, as its clock may be a slot ahead.
  private static let leastToCome: Int64 = 2

  /// nil if it has none, or none with a time.
  init?(_ begin: Int64, _ end: Int64, _ step: Int64, _ values: some Collection<some BinaryInteger>) {
    guard !values.isEmpty, TopStep.times.contains(begin) else { return nil }
    (self.begin, self.end, self.step, hasValue) = (begin, end, step, values.map { $0 != 0 })
  }

  /// There is one in the last slot of the day. A day without an end that makes sense may be over with its last slot.
  var isFull: Bool { hasValue.last == true && begin + Int64(hasValue.count) * step >= end }

  /// The day goes on, and none of the slots that begin after a moment has a value.
  func areEmpty(after moment: Int64) -> Bool {
    guard begin <= moment, end > moment + Self.leastToCome * step else { return false }
    return !hasValue.indices.contains { hasValue[$0] && begin + Int64($0) * step > moment }
  }
}

/// Kinds of data of which a band has told a day with slots to come that were empty: it fills none.
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
  /// Its list of automatic values, or of half-hours; nil: it has none.
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

  /// Its list has a value in the last slot of the day.
  fileprivate func fillsDay(_ bytes: [UInt8]) -> Bool { slots(bytes)?.isFull ?? false }

  /// A message of a day may have values behind a moment, s since 2000: of a night the begin of its day alone is told.
  fileprivate func mayReach(_ span: DaySpan, _ moment: Int64) -> Bool {
    span.end > moment || span.begin > moment - 2 * 86_400
  }
}
