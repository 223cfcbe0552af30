// Which whole local days a range of times asks for.

public import CivilTime

extension TimeZoneRules {
  /// The local days that a range of times touches, from the first one's 00:00 to the end of the last one: hours and
  /// minutes of a range of days do not matter. A range that is empty stays as it is.
  ///
  /// - Parameters:
  ///   - since: at or after, microseconds since 1970; nil: no bound.
  ///   - until: before.
  public func wholeDays(since: Int64?, until: Int64?) -> (since: Int64?, until: Int64?) {
    if let since, let until, since >= until { return (since, until) }
    let start = since.map { span(of: date(of: $0)).lowerBound }
    // The end of a day is the start of the next one, and asks for nothing of that.
    let end = until.map { $0 == .min ? $0 : span(of: date(of: $0 - 1)).upperBound }
    return (start, end)
  }
}
