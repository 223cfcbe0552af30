// Parts of a wearer's days that were written and served, for comparison with the truth.

public import EventLoop

/// Written parts of a day.
struct PolarDay {
  /// First minute still available: the file of the earlier ones was removed during the day.
  var firstMinute = 0
  var writtenMinutes = 0
  var isComplete = false
  var hasNight = false
  var hasTest = false
}

/// File of a day that became complete, with content that follows from `PolarLife`.
public struct PolarDayPart: Sendable, Hashable {
  /// Kind of a part.
  public enum What: Sendable, Hashable, CaseIterable {
    case activity, summary, automatic, temperature, oxygen, sleep, recharge
  }
  /// Days since 2000-01-01, local.
  public let day: Int
  /// Kind of the part.
  public let what: What
  /// First minute of the day in the file.
  public let firstMinute: Int

  /// A part of a day from a minute on.
  public init(day: Int, what: What, firstMinute: Int) {
    (self.day, self.what, self.firstMinute) = (day, what, firstMinute)
  }

  /// True for parts that are written once a night.
  public var isOfANight: Bool { what == .sleep || what == .recharge }
}

/// Values of a day's summary that was served completely.
public struct PolarSummaryServed: Sendable {
  /// Days since 2000-01-01, local.
  public let day: Int
  /// First minute of the day in the file.
  public let firstMinute: Int
  /// Time at which it was served.
  public let at: Instant
  /// Kilocalories.
  public let calories, basalCalories: UInt32
  /// Metres.
  public let distance: Float
}
