// Look at the totals of one day: their growth since they were last stored. Pure.

import Bluetooth
import CivilTime
import Health
import Wearable

/// Look at FEE1 of today, or at an answer 51 about steps of a finished day.
///
///     0-6     head
///     7-8     day, days since 1970
///     9-12    begin and
///     13-16   end of the period of counting, seconds on the band's clock
///     17-28   new steps, metres, kilocalories
///     29-40   the counters as they are, or at their highest
///     41      number of moves of the clock by this hub, modulo 256; absent in older looks
///
/// Each look stores the growth since the look before as one interval. The intervals of a day therefore add up to its
/// final counters, however often and in whichever order it was looked at.
struct TotalsLook: MoyoungLook {
  let head: LookHead
  let day: UInt16
  let from, to: UInt32
  let growth, counters: DailyTotals
  /// Number of moves of the clock by this hub, modulo 256; nil in older looks.
  let moves: UInt8?

  static let domain = "activity"
  /// Layout of the record. Layout 1 ends before the moves.
  private static let progressLayout: UInt8 = 2

  /// Counters as stored last.
  struct Known: Sendable, Hashable {
    let until: Int64
    let counters: DailyTotals
    /// Whether their day was over.
    let isOver: Bool
    /// Number of moves of the clock by this hub, modulo 256.
    var moves: UInt8 = 0
  }

  /// - Parameters:
  ///   - since: time on the band's clock when this hub first set it; nil: never set.
  ///   - isDayCertain: the day of the total is known, not assumed.
  ///   - moves: number of moves of the clock by this hub, modulo 256.
  ///   - movedTo: time to which the last move set the clock.
  /// - Returns: nil for a day that cannot be encoded.
  init?(
    _ now: DailyTotals, day: Int64, readAt: Int64, isOver: Bool, since: Int64?, isDayCertain: Bool, known: Known?,
    moves: UInt8 = 0, movedTo: Int64? = nil
  ) {
    guard let number = UInt16(exactly: day), let at = UInt32(exactly: readAt) else { return nil }
    let midnight = day * MoyoungTime.day
    let end = isOver ? midnight + MoyoungTime.day : min(max(readAt, midnight + 1), midnight + MoyoungTime.day)
    // If the clock was moved after the look before, new counts are from after the move: all earlier ones were fetched
    // first.
    let isMoved = movedTo.map { to in to < end && (known.map { $0.moves != moves } ?? (to > midnight)) } ?? false
    let begin = min(max((isMoved ? movedTo : known?.until) ?? midnight, midnight), end - 1)
    guard let from = UInt32(exactly: begin), let to = UInt32(exactly: end) else { return nil }
    // A day that comes a second time begins with empty counters.
    let isSecond = isMoved && (movedTo ?? 0) <= midnight
    let isAnew = !isOver && known.map { Self.isAnew(now, $0.counters, isSecond: isSecond) } ?? false
    var marks: LookHead.Marks = isOver ? .dayIsOver : []
    if isAnew { marks.insert(.anew) }
    if !isDayCertain || since.map({ begin < $0 }) ?? true { marks.insert(.unsure) }
    let before = isAnew ? nil : known?.counters
    func grown(_ now: UInt32, _ before: UInt32?) -> UInt32 { now > (before ?? 0) ? now - (before ?? 0) : 0 }
    growth = DailyTotals(
      steps: grown(now.steps, before?.steps), metres: grown(now.metres, before?.metres),
      kilocalories: grown(now.kilocalories, before?.kilocalories))
    counters = DailyTotals(
      steps: max(now.steps, before?.steps ?? 0), metres: max(now.metres, before?.metres ?? 0),
      kilocalories: max(now.kilocalories, before?.kilocalories ?? 0))
    (self.day, self.from, self.to, self.moves) = (number, from, to, moves)
    head = LookHead(.totals, marks, readAt: at)
  }

  /// Whether the counters restarted. If they are less than half of before, they restarted and all of their value is
  /// new. A smaller decrease is a restore from the band's own backup: growth counts again when they are higher.
  private static func isAnew(_ now: DailyTotals, _ before: DailyTotals, isSecond: Bool) -> Bool {
    isSecond ? now.steps < before.steps : UInt64(now.steps) * 2 < UInt64(before.steps)
  }

  init(_ bytes: RawBytes) throws(ItemDefect) {
    var reader = ByteReader(bytes)
    head = try LookHead(&reader, .totals)
    guard let day = reader.u16(), let from = reader.u32(), let to = reader.u32(), let growth = Self.totals(&reader),
      let counters = Self.totals(&reader)
    else { throw .cut("less than the totals of a day") }
    moves = reader.u8()
    guard from < to, to - from <= UInt32(MoyoungTime.day), reader.isAtEnd else { throw .malformed("no part of a day") }
    guard growth.isPlausible, counters.isPlausible else { throw .malformed("more than is possible on a day") }
    (self.day, self.from, self.to, self.growth, self.counters) = (day, from, to, growth, counters)
  }

  private static func totals(_ reader: inout ByteReader) -> DailyTotals? {
    guard let steps = reader.u32(), let metres = reader.u32(), let kilocalories = reader.u32() else { return nil }
    return DailyTotals(steps: steps, metres: metres, kilocalories: kilocalories)
  }

  private static func bytes(_ totals: DailyTotals) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in [totals.steps, totals.metres, totals.kilocalories] { bytes.append(littleEndian: value) }
    return bytes
  }

  var bytes: [UInt8] {
    var bytes = head.bytes
    bytes.append(littleEndian: day)
    bytes.append(littleEndian: from)
    bytes.append(littleEndian: to)
    return bytes + Self.bytes(growth) + Self.bytes(counters) + (moves.map { [$0] } ?? [])
  }

  /// `activity/2026-11-25`
  static func name(_ day: Int64) -> String { "\(domain)/\(LocalDate(dayNumber: day).text)" }

  var name: String { Self.name(Int64(day)) }
  var begins: Int64 { Int64(from) }
  /// Digest of the counters alone, so the same total is the same at any time.
  var mark: String { LookDigest(Self.bytes(counters)).mark }
  var isWhole: Bool { head.marks.contains(.dayIsOver) }
  var summary: String { "\(growth.steps) steps, \(growth.metres) m, \(growth.kilocalories) kcal more" }
  var count: Int { amounts.count }
  var future: Int { 0 }
  /// Restarted counters at 0 are stored, too. Otherwise the next look, above half of the old value, would count as
  /// growth of that.
  var isNews: Bool { head.marks.contains(.anew) }

  /// Amounts in the scale of their series. 0 is no sample.
  private var amounts: [(series: Series, amount: Int64)] {
    [
      (.steps, Int64(growth.steps)), (.distance, Int64(growth.metres) * 10),
      (.calories, Int64(growth.kilocalories) * 10),
    ].filter { $0.1 > 0 }
  }

  /// Layout 2, end (4 bytes), counters (12), whether the day was over, number of moves of the clock.
  var progress: [UInt8] {
    var bytes = [Self.progressLayout]
    bytes.append(littleEndian: to)
    return bytes + Self.bytes(counters) + [isWhole ? 1 : 0, moves ?? 0]
  }

  static func known(_ progress: [UInt8]) -> Known? {
    guard progress.count == 18 && progress[0] == 1 || progress.count == 19 && progress[0] == progressLayout else {
      return nil
    }
    return progress.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      reader.skip(1)
      guard let until = reader.u32(), let counters = totals(&reader), let over = reader.u8() else { return nil }
      return Known(until: Int64(until), counters: counters, isOver: over == 1, moves: reader.u8() ?? 0)
    }
  }

  func append(to sink: any ItemSink) {
    let length = Int64(to - from) * 1_000_000
    for (series, amount) in amounts {
      sink.append(
        series, [length, amount], bytes: [], at: Int64(from) * 1_000_000, kind: .normal, isManual: false)
    }
  }
}
