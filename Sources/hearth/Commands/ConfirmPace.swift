// When an export confirms what was written.

/// Pace of confirmations: rare enough to spare the hub's card, frequent enough that a broken export repeats little.
struct ConfirmPace {
  static let lineLimit = 10_000
  static let milliseconds: Int64 = 10_000

  var lines = 0
  private let since: Int64

  init(now: Int64) { since = now }

  func isDue(_ now: Int64) -> Bool { lines >= Self.lineLimit || lines > 0 && now - since >= Self.milliseconds }
}
