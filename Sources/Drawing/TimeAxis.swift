// Time axis: marks at round local times, also in days of 23 or 25 hours.

public import CivilTime

/// Marks of a period in one time zone.
public struct TimeAxis: Sendable {
  /// Mark of the axis.
  public struct Mark: Sendable, Equatable {
    /// Position of the mark, microseconds since 1970.
    public let time: Int64
    /// `14:30`, `14:30:05`, `21 Nov`: local time or date.
    public let label: String
  }

  /// Microseconds since 1970, not empty.
  public let span: Range<Int64>
  /// Microseconds of local time between two marks.
  public let step: Int64
  /// Marks within `span`, ascending by time.
  public let marks: [Mark]

  private static let second: Int64 = 1_000_000
  private static let day: Int64 = 86_400 * second
  /// Subdivisions of the clock; each divides a later one or the day.
  private static let steps: [Int64] =
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200].map { $0 * second }
    + [1, 2, 7, 14, 28, 91, 182, 365, 1826, 3652, 36_525].map { $0 * day }
  /// Maximum number of marks of an axis.
  private static let limit = 400

  /// - Parameters:
  ///   - span: an empty one counts as one second.
  ///   - room: approximate number of labels that fit, at least 1.
  public init(_ span: Range<Int64>, zone: TimeZoneRules, room: Int) {
    // Half of the 64-bit range, so that the length does not overflow.
    let from = Swift.min(Swift.max(span.lowerBound, -1 << 61), 1 << 61)
    let to = Swift.min(Swift.max(span.upperBound, from + Self.second), (1 << 61) + Self.second)
    self.span = from..<to
    let length = to - from
    let room = Int64(Swift.min(Swift.max(room, 1), Self.limit / 2))
    let step = Self.steps.first { length / $0 <= room } ?? Self.steps[Self.steps.count - 1]
    self.step = step
    var marks: [Mark] = []
    var time = from
    while marks.count < Self.limit, time < to {
      let offset = Int64(zone.offset(at: time)) * Self.second
      let next = Self.above(time + offset, step) - offset
      if let change = zone.nextChange(after: time, within: 400 * 86_400), change.time <= next {
        // From there on clocks have another offset.
        time = change.time
        continue
      }
      if next >= to { break }
      marks.append(Mark(time: next, label: Self.label(next, step, zone)))
      time = next + 1
    }
    self.marks = marks
  }

  /// The first multiple of `step` at or above a time.
  private static func above(_ time: Int64, _ step: Int64) -> Int64 {
    let rest = time % step
    if rest == 0 { return time }
    return rest > 0 ? time - rest + step : time - rest
  }

  private static func label(_ time: Int64, _ step: Int64, _ zone: TimeZoneRules) -> String {
    let shown = time + Int64(zone.offset(at: time)) * second
    let inDay = floorRemainder(shown, day) / second
    if step >= day || inDay == 0 && step >= 7200 * second {
      let date = zone.date(of: time)
      // With marks below a day, midnights are labelled 00:00.
      return step >= 365 * day ? "\(date.year)" : step >= day ? "\(date.day) \(date.monthName)" : "00:00"
    }
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let minute = "\(two(inDay / 3600)):\(two(inDay / 60 % 60))"
    return step < 60 * second ? "\(minute):\(two(inDay % 60))" : minute
  }

  /// Position from 0 at the start of the period to 1 at its end.
  public func place(_ time: Int64) -> Double {
    Double(Swift.min(Swift.max(time, span.lowerBound), span.upperBound) - span.lowerBound)
      / Double(span.upperBound - span.lowerBound)
  }
}
