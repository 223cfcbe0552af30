// The range of record numbers.

/// Sequence numbers of the journal and ordinals of rings.
enum RecordNumber {
  /// A number that no store reaches: at ten thousand records a second 2^64 − 2^40 are 58 million years. A key from
  /// here on is damaged. Too few numbers remain behind such a key: the next ones would overflow to 0.
  static let end = UInt64.max << 40

  /// The number in a key of the journal; nil for a key of another length.
  static func read(_ key: [UInt8]) -> UInt64? {
    key.count == 8 ? key.reduce(0) { $0 << 8 | UInt64($1) } : nil
  }

  /// The number `count` behind this one, capped at the last number.
  static func after(_ number: UInt64, by count: Int = 1) -> UInt64 {
    let (sum, overflow) = number.addingReportingOverflow(UInt64(clamping: count))
    return overflow ? .max : sum
  }
}
