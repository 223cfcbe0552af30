// How much one wearable may bring into the store: samples a second of each series, bytes a second of all of them, bytes
// a day. What comes beyond is dropped and counted by whoever asks.

import EventLoop
import Health

/// The budget of one wearable, over all its links. Costs a few additions a sample and allocates once.
///
/// Each pace is a bucket of time, as `FloodGuard`: a sample costs the time in which one may come, and debts up to
/// `burst` pass.
struct SampleBudget {
  enum Verdict {
    case pass
    /// More samples of the series, or bytes of all, than make sense over some time.
    case tooFast
    /// Its share of the day is used up; `isNews` for the first of the day.
    case overShare(isNews: Bool)
  }

  /// What a link may hold back and deliver at once: as long as ATT waits for an answer (Core specification, volume 3,
  /// part F, 3.3.3), after which the link ends.
  static let burst: Int64 = 30_000_000_000
  /// 16 kB a second in nanoseconds a byte: twice a Verity Sense with all its streams at their highest rates
  /// (acceleration and gyroscope 416 Hz × 6 B, four lights 176 Hz × 12 B, field 100 Hz × 6 B: 7.7 kB/s before its
  /// own compression).
  static let perByte: Int64 = 62_500
  /// A day of the running hub, which no clock on a wall makes longer or shorter.
  static let day: Int64 = 86_400_000_000_000

  /// Bytes a day; nil: any number.
  var share: Int?
  /// By series, when its bucket is empty.
  private var settled: ContiguousArray<Int64> = []
  private var bytesSettled = Int64.min
  private var dayBegan = Int64.min
  /// Bytes of the day that runs.
  private(set) var used = 0
  private var isTold = false

  /// Nanoseconds in which one item of a series may come. Of bodies: a heart rate is told once a second, four at most;
  /// a heart beats 300 times a minute at most. Of protocols: a block of a waveform in 10 ms (the highest rate that a
  /// driver allows its source), a moment of an insole 20 times a second; all others ten times, as `LiveSource` has it.
  private static let costs: ContiguousArray<Int64> = ContiguousArray(
    Series.all.map { series in
      switch series {
      case .heartRate: 250_000_000
      case .rrInterval, .ppi: 200_000_000
      case .footPressure, .orientation: 50_000_000
      default: series.shape.hasBytes ? 10_000_000 : 100_000_000
      }
    })

  /// What an item costs the card at most, about: four bytes for a number with its time, two for each more, and its
  /// bytes.
  static func size(_ valueCount: Int, _ byteCount: Int) -> Int { 2 + 2 * valueCount + byteCount }

  /// Judges one item that came at `now`.
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

  /// Takes what was fetched into account. Nothing fetched is dropped: what comes next waits on its wearable.
  ///
  /// - Returns: the share is used up by it.
  mutating func note(_ size: Int, now: Instant) -> Bool {
    turn(now.nanoseconds)
    used += size
    guard let share, used >= share, !isTold else { return false }
    isTold = true
    return true
  }

  /// Until when nothing more is taken; nil: something is.
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
