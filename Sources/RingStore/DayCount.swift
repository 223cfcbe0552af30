// Days of a series, counted chunk by chunk.

internal import EventLoop
public import Health

/// The local days of a series, ascending, and how many items they leave out: as `DayAccumulator` counts them.
public struct SeriesDays: Sendable {
  public var days: [DaySummary]
  public var overflowed = 0
  public var malformed = 0

  /// Nothing was found.
  public var isEmpty: Bool { days.isEmpty && overflowed == 0 && malformed == 0 }

  public init(_ accumulator: DayAccumulator) {
    days = accumulator.days
    overflowed = accumulator.overflowed
    malformed = accumulator.malformed
  }
}

/// Hands items of chunks to the day accumulator.
struct DayCount {
  private var accumulator: DayAccumulator
  private let isInterval: Bool
  private let since: Int64
  private let until: Int64

  init(_ series: Series, _ zone: TimeZoneRules, since: WallTime?, until: WallTime?) {
    let layout = series.layout
    accumulator = DayAccumulator(series, zone: zone)
    isInterval = layout == .interval
    self.since = since?.microseconds ?? .min
    self.until = until?.microseconds ?? .max
  }

  /// Counts what is in `columns`, which have the shape of the series. Of a vector the first component is counted; of waveforms and records,
  /// how many there are.
  mutating func count(_ columns: ItemColumns) {
    let values = columns.values[isInterval ? 1 : 0]
    for index in 0..<columns.count {
      let time = columns.times[index]
      // Of an item in several parts the last one counts.
      if time < since || time >= until || columns.flags[index] & Self.goesOn != 0 { continue }
      accumulator.add(
        time: time, flags: UInt8(truncatingIfNeeded: columns.flags[index]), value: values[index], length: isInterval ? columns.values[0][index] : 0)
    }
  }

  private static let goesOn = Int64(SampleFlags(origin: .live, goesOn: true).rawValue)

  var days: SeriesDays { SeriesDays(accumulator) }
}
