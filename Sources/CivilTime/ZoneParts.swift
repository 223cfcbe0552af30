// Split of the UTC offset into zone and daylight saving.

extension TimeZoneRules {
  /// Minutes east of Greenwich without daylight saving, and the daylight saving. The zone is the smallest offset in the
  /// year around a time. A quarter of a year before or after any daylight saving time there is a time without it.
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
