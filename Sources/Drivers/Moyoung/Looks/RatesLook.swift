// Look at the heart rates of a quarter of a day: which of them are new, complete and not in the future. Pure.

import Bluetooth
import CivilTime
import Health
import Wearable

/// Look at one answer 53.
///
///     0-6      head
///     7-8      day, days since 1970
///     9        quarter of it
///     10-18    places that are stored already, a bit for each
///     19-27    places whose minute is stored of a training
///     28-99    rates, as the band sent them
///     then     `RatesBefore`, if the clock was set back, or was unsure
///     then     places in the future that are counted already, a bit for each, if there are any
///
/// A place is stored when its five minutes are over at the time of the look; until then the band may still be
/// measuring. If the clock is moved next, the place in progress is stored too, because the old clock never completes
/// it.
struct RatesLook: MoyoungLook {
  private(set) var head: LookHead
  let day: UInt16
  let quarter: UInt8
  let stored, ofTraining: PlaceSet
  let rates: [UInt8]
  let before: RatesBefore?
  private let counted: PlaceSet?

  static let domain = "heart-rate"
  private static let count = MoyoungRates.count

  /// - Parameters:
  ///   - isLast: the clock is moved after this look.
  ///   - beside: the rate at a place of another quarter, by the second at which it begins; nil: not read.
  ///   - isOfTraining: whether the minute at a second is stored of a training.
  ///   - wasOfTraining: the same, including trainings by the clock before it was set back.
  /// - Returns: nil for a day that cannot be encoded.
  init?(
    _ rates: [UInt8], day: Int64, quarter: UInt8, readAt: Int64, since: Int64?, known: [UInt8],
    isLast: Bool = false, overlap: MoyoungOverlap? = nil, beside: (Int64) -> UInt8? = { _ in nil },
    isOfTraining: (Int64) -> Bool, wasOfTraining: (Int64) -> Bool = { _ in false }
  ) {
    guard rates.count == Self.count, quarter < 4, let day = UInt16(exactly: day), let at = UInt32(exactly: readAt)
    else { return nil }
    let begin = Self.begin(day, quarter)
    var progress = RatesProgress(known)
    var taken = PlaceSet(Self.count)
    for place in 0..<Self.count {
      let second = begin + Int64(place) * MoyoungRates.step
      if isOfTraining(second) { taken[place] = true } else if wasOfTraining(second) { progress.stored[place] = true }
      progress.forget(place, standing: overlap.flatMap { $0.isKnown && $0.has(second) ? $0.rate(at: second) : nil })
    }
    (stored, ofTraining) = (progress.stored, taken)
    counted = progress.refused.bytes.contains { $0 != 0 } ? progress.refused : nil
    (self.day, self.quarter, self.rates) = (day, quarter, rates)
    before = RatesBefore(begin: begin, rates, progress, overlap, readAt: readAt, beside: beside) { !taken[$0] }
    let isOver = begin + 6 * 3600 <= readAt
    var marks: LookHead.Marks = isOver ? .dayIsOver : []
    if isLast { marks.insert(.last) }
    head = LookHead(.rates, marks, readAt: at)
    // The first place that is stored now decides.
    if let first = places.first, since.map({ begin + Int64(first) * MoyoungRates.step < $0 }) ?? true {
      marks.insert(.unsure)
      head = LookHead(.rates, marks, readAt: at)
    }
  }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    head = try LookHead(&reader, .rates)
    guard let day = reader.u16(), let quarter = reader.u8(), let stored = reader.take(9), let taken = reader.take(9),
      let rates = reader.take(Self.count)
    else { throw .cut("less than a quarter of a day") }
    let countedSize = PlaceSet(Self.count).bytes.count
    if reader.remaining <= countedSize {
      before = nil
    } else {
      guard let found = RatesBefore(&reader) else { throw .cut("rates of before that are not whole") }
      before = found
    }
    counted = reader.isAtEnd ? nil : reader.take(countedSize).map { PlaceSet(Self.count, $0) }
    guard quarter < 4, reader.isAtEnd else { throw .malformed("no quarter of a day") }
    (self.day, self.quarter, self.rates) = (day, quarter, Array(rates))
    (self.stored, ofTraining) = (PlaceSet(Self.count, stored), PlaceSet(Self.count, taken))
  }

  var bytes: [UInt8] {
    var bytes = head.bytes
    bytes.append(littleEndian: day)
    bytes.append(quarter)
    bytes += stored.bytes + ofTraining.bytes
    bytes += rates
    if let before { bytes += before.bytes }
    if let counted { bytes += counted.bytes }
    return bytes
  }

  private static func begin(_ day: UInt16, _ quarter: UInt8) -> Int64 {
    Int64(day) * MoyoungTime.day + Int64(quarter) * 6 * 3600
  }

  /// `heart-rate/2026-11-25T06`
  static func name(day: Int64, quarter: UInt8) -> String {
    let hour = Int(quarter) * 6
    return "\(domain)/\(LocalDate(dayNumber: day).text)T\(hour < 10 ? "0" : "")\(hour)"
  }

  var begins: Int64 { Self.begin(day, quarter) }
  var name: String { Self.name(day: Int64(day), quarter: quarter) }

  private func time(_ place: Int) -> Int64 { begins + Int64(place) * MoyoungRates.step }

  /// Status of a place at the time of the look.
  private enum Telling {
    case nothing
    /// Measured when the clock first showed this time, or showed it only once.
    case first
    /// Measured after the clock was set back, or not stored before that.
    case again
    /// Measured by a clock that another program set back.
    case changed
    /// A time that the clock shows again later: still the old value.
    case before
    /// A time in the future, by an unknown clock.
    case future
  }

  private func telling(_ place: Int) -> Telling {
    guard MoyoungRates.isRate(rates[place]) else { return .nothing }
    guard let before, before.has(time(place)) else {
      if isOver(place) { return before?.isChanged(place, rates) == true ? .changed : .first }
      return time(place) > head.latest ? .future : .nothing
    }
    if isOver(place) {
      // A place that was never stored is stored once: its five minutes were not over when this hub set the clock back.
      let isNews = before.isKnown && !stored[place] || before.isMeasured(place, rates, isOver: isOver, time: time)
      return isNews ? .again : .nothing
    }
    guard time(place) > head.latest else { return .nothing }
    return before.isKnown ? .before : .future
  }

  private func isOver(_ place: Int) -> Bool {
    time(place) + (head.marks.contains(.last) ? 0 : MoyoungRates.step) <= Int64(head.readAt)
  }

  private func isNew(_ place: Int) -> Bool {
    if ofTraining[place] { return false }
    return switch telling(place) {
    case .nothing, .future: false
    case .first, .before: !stored[place]
    case .again: before?.again[place] != true
    case .changed: true
    }
  }

  /// Places with a value that the store does not have.
  private var places: [Int] { (0..<Self.count).filter(isNew) }

  var mark: String {
    var digest = LookDigest()
    for place in 0..<Self.count {
      let told = telling(place)
      if told == .nothing { continue }
      digest.add(UInt8(truncatingIfNeeded: place))
      // No rate: refused now, and possibly stored later.
      digest.add(told == .future ? 0 : rates[place])
      if told == .again { digest.add(before?.number ?? 0) }
    }
    return digest.mark
  }

  var count: Int { places.count }
  var future: Int { (0..<Self.count).count { telling($0) == .future } }
  var refused: Int { (0..<Self.count).count { telling($0) == .future && counted?[$0] != true } }
  /// Whether another program set the clock back: stored places have other rates, without a setting back by this hub.
  var wasPutBack: Bool { before?.hasChanged ?? false }
  var isWhole: Bool { head.marks.contains(.dayIsOver) }
  var summary: String { "\(count) heart rates" }

  var progress: [UInt8] {
    var progress = RatesProgress(stored: stored, again: before?.again, number: before?.number ?? 0)
    for place in places {
      progress.stored[place] = true
      if telling(place) == .again { progress.again[place] = true }
    }
    // Rates that were not measured since are old, and were stored in their time.
    for place in 0..<Self.count where before?.has(time(place)) == true && isOver(place) {
      progress.stored[place] = true
    }
    for place in 0..<Self.count where progress.stored[place] && MoyoungRates.isRate(rates[place]) {
      // The place that the band measures again is not stored yet.
      let isInWork = before?.has(time(place)) == true && !isOver(place)
      progress.rates[place] = isInWork ? before?.rate(place) ?? 0 : rates[place]
    }
    for place in 0..<Self.count where telling(place) == .future { progress.refused[place] = true }
    return progress.bytes
  }

  /// Stored places, from the record kept with the item.
  static func stored(_ progress: [UInt8]) -> PlaceSet { RatesProgress(progress).stored }

  func append(to sink: any ItemSink) {
    for place in places {
      let (rate, time) = (Int64(rates[place]), time(place) * 1_000_000)
      // The rate is the same as when the clock was set back, so it may be old or new.
      if telling(place) == .again, before?.isSame(place, rates) == true {
        sink.append(.heartRate, [rate], bytes: [], at: time, kind: .normal, isManual: false, isTimeSure: false)
      } else {
        sink.append(.heartRate, rate, at: time)
      }
    }
    sink.refuse(.heartRate, refused)
  }
}
