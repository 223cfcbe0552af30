// What a run of bands says of itself, in text and in numbers.

/// What a run of bands says of itself, beside what every run says.
struct BandOutcome: Sendable {
  /// Values of bands' memories in the store; those of them, and of days and nights, that are as they were measured.
  var items = 0
  var matched = 0
  /// Those whose band showed another time, and that are where it put them.
  var misdated = 0
  /// Those, but for nights and sums of days, that are missing, there twice, never measured, or sure of a wrong time.
  var wrong = 0
  /// Values that were told while somebody watched.
  var live = 0
  /// Days whose sums nobody can tell apart.
  var unjudgedDays = 0
  /// µs.
  var worstError: Int64 = 0
  /// How many bands there were of each family.
  var families: [(driver: String, count: Int)] = []
  /// Confirmations that were looked at.
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
