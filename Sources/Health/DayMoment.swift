// Moment that determines the day and the wearer of an item: a property of its series.

/// Moment at which an item counts. Intervals count by their middle in any series.
public enum DayMoment: Sendable, Hashable {
  /// The item's own time.
  case own
  /// End of the event: the end determines the day, the middle the wearer.
  case end
  /// Local midnight within a night, by the wearable's own clock.
  ///
  /// That clock may show midnight some seconds early. The day is that of the following noon, which is the same in
  /// either case. The wearer is the one of three hours later, and so the sleeper.
  case midnightOfNight

  private static let hour: Int64 = 3_600_000_000

  /// Moment that determines the day, µs.
  func day(_ time: Int64) -> Int64 { self == .midnightOfNight ? time &+ 12 * Self.hour : time }

  /// Moment that determines the wearer, µs.
  /// - Parameter length: length of the event, µs.
  func worn(_ time: Int64, length: Int64) -> Int64 {
    switch self {
    case .own: time
    case .end: time &- length / 2
    case .midnightOfNight: time &+ 3 * Self.hour
    }
  }
}

extension Series {
  /// Moment of the day, as the definitions of the series specify.
  public var dayMoment: DayMoment {
    switch self {
    case .sleep: .end
    case .recharge, .ansStatus: .midnightOfNight
    default: .own
    }
  }
}
