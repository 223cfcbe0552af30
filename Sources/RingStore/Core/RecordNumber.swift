// How far numbers of records go.

/// Sequence numbers of the journal and ordinals of rings.
enum RecordNumber {
  /// What no store reaches: at ten thousand records a second 2^64 − 2^40 are 58 million years. A key from here on was
  /// damaged, and behind it too few numbers are left: the next ones would begin anew at 0.
  static let end = UInt64.max << 40

  /// The one behind it. The last one has none.
  static func after(_ number: UInt64, by count: Int = 1) -> UInt64 {
    let (sum, overflow) = number.addingReportingOverflow(UInt64(clamping: count))
    return overflow ? .max : sum
  }
}
