// How much of what clocks show beside Greenwich's is the zone, and how much daylight saving.

extension TimeZoneRules {
  /// Minutes east of Greenwich, and of daylight saving beside it: the least that clocks show in the year around a time
  /// is the zone. A quarter of a year before or after any time that has daylight saving there is one without.
  ///
  /// - Parameter time: µs since 1970.
  public func parts(at time: Int64) -> (standard: Int, daylight: Int) {
    let quarter: Int64 = 91 * 86_400_000_000
    let now = offset(at: time) / 60
    let others = [-2, -1, 1, 2].map { time.addingReportingOverflow($0 * quarter) }
      .filter { !$0.overflow }.map { offset(at: $0.partialValue) / 60 }
    let standard = others.reduce(now, min)
    return (standard, now - standard)
  }
}
