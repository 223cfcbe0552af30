// By which moment an item belongs to a day and to a wearer: a property of its series, not of the wearable that told it.

/// Where in time an item counts. Intervals count by their middle, whatever their series.
public enum DayMoment: Sendable, Hashable {
  /// The item's own time.
  case own
  /// The end of what the item tells of: the day is that of the end, the wearer that of the middle.
  case end
  /// The local midnight that a night went over, by the wearable's own clock.
  ///
  /// That clock may show midnight some seconds early. The day is that of the noon after, which is the same day
  /// everywhere; the wearer is who has it on three hours later, and so slept with it.
  case midnightOfNight

  private static let hour: Int64 = 3_600_000_000

  /// The moment by which the day is chosen, µs.
  func day(_ time: Int64) -> Int64 { self == .midnightOfNight ? time &+ 12 * Self.hour : time }

  /// The moment by which the wearer is chosen, µs.
  /// - Parameter length: of what the item tells of, µs.
  func worn(_ time: Int64, length: Int64) -> Int64 {
    switch self {
    case .own: time
    case .end: time &- length / 2
    case .midnightOfNight: time &+ 3 * Self.hour
    }
  }
}

extension Series {
  /// As the definitions of the series say of their times.
  public var dayMoment: DayMoment {
    switch self {
    case .sleep: .end
    case .recharge, .ansStatus: .midnightOfNight
    default: .own
    }
  }
}
