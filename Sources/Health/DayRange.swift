// Whole local days within a range of times.

public import CivilTime

extension TimeZoneRules {
  /// The local days that a range of times touches, from 00:00 of the first to the end of the last. Hours and minutes of
  /// the range do not matter. An empty range is returned unchanged.
  ///
  /// - Parameters:
  ///   - since: first moment, microseconds since 1970; nil: no bound.
  ///   - until: end, exclusive.
  public func wholeDays(since: Int64?, until: Int64?) -> (since: Int64?, until: Int64?) {
    if let since, let until, since >= until { return (since, until) }
    let start = since.map { span(of: date(of: $0)).lowerBound }
    // The end of a day is the start of the next one, which is not requested.
    let end = until.map { $0 == .min ? $0 : span(of: date(of: $0 - 1)).upperBound }
    return (start, end)
  }
}
