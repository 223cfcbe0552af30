// Results of a run with bands, as text and numbers.

/// Results of a run with bands, besides those of every run.
struct BandOutcome: Sendable {
  /// Values of bands' memories in the store; and how many of them, and of days and nights, are as they were measured.
  var items = 0
  var matched = 0
  /// Values of a band with a wrong clock, stored at the time that it showed.
  var misdated = 0
  /// Wrong values, except nights and daily sums: missing, stored twice, never measured, or with a wrong time marked as
  /// sure.
  var wrong = 0
  /// Live values during a measurement.
  var live = 0
  /// Days with sums that cannot be distinguished.
  var unjudgedDays = 0
  /// µs.
  var worstError: Int64 = 0
  /// Number of bands of each family.
  var families: [(driver: String, count: Int)] = []
  /// Number of confirmations that were checked.
  var confirmations = 0

  var text: String {
    let names = families.map { "\($0.count) \($0.driver)" }.joined(separator: ", ")
    return """
      \n  bands: \(names.isEmpty ? "none, as the hub has no driver of theirs" : names)
        \(items) fetched, \(matched) matched, at most \(worstError / 1000) ms off, \
      \(misdated) by a clock that was wrong; \
      \(live) live; \(confirmations) confirmations, \(unjudgedDays) days of unknown sums
      """
  }

  var fields: [(String, String)] {
    [
      ("band_items", "\(items)"), ("band_matched", "\(matched)"), ("band_misdated", "\(misdated)"),
      ("band_live", "\(live)"), ("band_confirmations", "\(confirmations)"),
      ("worst_error_ms", "\(worstError / 1000)"),
    ]
  }
}
