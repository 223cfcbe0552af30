// Limits of what one wearable may add to the store: samples a second of each series, bytes a second of all, bytes a
// day. The caller drops and counts what exceeds them.

import EventLoop
import Health

/// The budget of one wearable, over all its links. Costs a few additions a sample and allocates once.
///
/// Each rate is a bucket of time, as in `FloodGuard`. A sample costs the time in which one may come, and debts up to
/// `burst` pass.
struct SampleBudget {
  enum Verdict {
    case pass
    /// Excess: more samples of the series, or more bytes in all, than the limit over some time.
    case tooFast
    /// The share of the day is used up; `isNews` for the first time of the day.
    case overShare(isNews: Bool)
  }

  /// Time of data that a link may hold back and deliver at once, ns. ATT waits so long for an answer; then the link
  /// ends (Core specification, volume 3, part F, 3.3.3).
  static let burst: Int64 = 30_000_000_000
  /// 16 kB a second, as nanoseconds a byte. That is twice a Verity Sense with all its streams at their highest rates.
  /// Those are acceleration and gyroscope 416 Hz × 6 B, four lights 176 Hz × 12 B, field 100 Hz × 6 B. Together 7.7
  /// kB/s, before its own compression.
  static let perByte: Int64 = 62_500
  /// A day of the running hub, independent of any setting of the clock.
  static let day: Int64 = 86_400_000_000_000

  /// Bytes a day; nil: any number.
  var share: Int?
  /// Times, by series, at which its bucket is empty.
  private var settled: ContiguousArray<Int64> = []
  private var bytesSettled = Int64.min
  private var dayBegan = Int64.min
  /// Bytes of the current day.
  private(set) var used = 0
  private var isTold = false

  /// Nanoseconds in which one item of a series may come. Limits of bodies: a heart rate is sent once a second, four
  /// times at most; a heart beats at most 300 times a minute. Limits of protocols: a block of a waveform in 10 ms, the
  /// highest rate that a driver allows its source. A moment of an insole comes 20 times a second. All others ten times
  /// a second, as in `LiveSource`.
  private static let costs: ContiguousArray<Int64> = ContiguousArray(
    Series.all.map { series in
      switch series {
      case .heartRate: 250_000_000
      case .rrInterval, .ppi: 200_000_000
      case .footPressure, .orientation: 50_000_000
      default: series.shape.hasBytes ? 10_000_000 : 100_000_000
      }
    })

  /// Approximate upper bound of an item's bytes on the card: four for a number with its time, two for each further
  /// number, and its bytes.
  static func size(_ valueCount: Int, _ byteCount: Int) -> Int { 2 + 2 * valueCount + byteCount }

  /// Judges an item that came at `now`.
  mutating func admit(_ series: Series, _ size: Int, now: Instant) -> Verdict {
    let time = now.nanoseconds
    let place = Int(series.id) - 1
    if settled.isEmpty { settled = ContiguousArray(repeating: .min, count: Self.costs.count) }
    let next = max(settled[place], time) + Self.costs[place]
    let bytesNext = max(bytesSettled, time) + Int64(size) * Self.perByte
    if next - time > Self.burst || bytesNext - time > Self.burst { return .tooFast }
    turn(time)
    if let share, used + size > share {
      defer { isTold = true }
      return .overShare(isNews: !isTold)
    }
    settled[place] = next
    bytesSettled = bytesNext
    used += size
    return .pass
  }

  /// An item of this series was admitted since the hub started.
  func hasTaken(_ series: Series) -> Bool { !settled.isEmpty && settled[Int(series.id) - 1] != .min }

  /// Counts what was fetched. Fetched data is never dropped; later items wait on the wearable.
  ///
  /// - Returns: whether the share is now used up.
  mutating func note(_ size: Int, now: Instant) -> Bool {
    turn(now.nanoseconds)
    used += size
    guard let share, used >= share, !isTold else { return false }
    isTold = true
    return true
  }

  /// End of the time in which no more is taken; nil: there is room.
  func fullUntil(_ now: Instant) -> Instant? {
    guard let share, isTold || used >= share, dayBegan != .min, now.nanoseconds - dayBegan < Self.day else {
      return nil
    }
    return Instant(nanoseconds: dayBegan + Self.day)
  }

  private mutating func turn(_ time: Int64) {
    if dayBegan != .min, time - dayBegan < Self.day { return }
    dayBegan = time
    used = 0
    isTold = false
  }
}
