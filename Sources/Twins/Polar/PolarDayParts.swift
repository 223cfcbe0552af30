// What of a wearer's days was written and served, for whoever compares it with the truth.

public import EventLoop

/// What of a day was written.
struct PolarDay {
  /// Minutes of the day that are no longer there: its file was removed while the day went on.
  var firstMinute = 0
  var writtenMinutes = 0
  var isComplete = false
  var hasNight = false
  var hasTest = false
}

/// A file of a day that became whole: what it held follows from `PolarLife`.
public struct PolarDayPart: Sendable, Hashable {
  public enum What: Sendable, Hashable, CaseIterable {
    case activity, summary, automatic, temperature, oxygen, sleep, recharge
  }
  /// Counted from 2000-01-01, local.
  public let day: Int
  public let what: What
  /// Of the day's minutes the first that is in it.
  public let firstMinute: Int

  public init(day: Int, what: What, firstMinute: Int) {
    (self.day, self.what, self.firstMinute) = (day, what, firstMinute)
  }

  public var isOfANight: Bool { what == .sleep || what == .recharge }
}

/// What a day's summary said when it was served, whole.
public struct PolarSummaryServed: Sendable {
  /// Counted from 2000-01-01, local.
  public let day: Int
  /// Of the day's minutes the first that is in it.
  public let firstMinute: Int
  public let at: Instant
  /// Kilocalories.
  public let calories, basalCalories: UInt32
  /// Metres.
  public let distance: Float
}
