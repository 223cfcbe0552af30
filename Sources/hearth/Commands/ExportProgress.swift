// Progress of an export for a person that waits.

import EventLoop
import Glibc
import HubProtocol

/// A line on standard error, redrawn twice a second. Silent unless standard error is a terminal and the rows go
/// elsewhere.
struct ExportProgress {
  /// Milliseconds between two lines.
  private static let pace: Int64 = 500

  private let isShown: Bool
  private let began: Int64
  private var shownAt: Int64
  private var line = ProgressLine(isTerminal: true, width: (Terminal.width(2) ?? 80) - 1)
  private var rows: UInt64 = 0
  private var expected: UInt64?

  init() {
    isShown = Terminal.isCapable(2) && isatty(1) != 1
    began = monotonicMilliseconds()
    shownAt = began
  }

  /// Notes how many rows the export will have; nil: unknown. The number is determined only if it is shown.
  mutating func expect(_ rows: () throws -> UInt64?) rethrows {
    if isShown { expected = try rows() }
  }

  mutating func took(_ count: Int) {
    guard isShown else { return }
    rows += UInt64(count)
    let now = monotonicMilliseconds()
    if now - shownAt < Self.pace { return }
    shownAt = now
    draw(line.draw(Self.text(rows, of: expected, after: now - began)))
  }

  /// Clears the line.
  mutating func end() { if isShown { draw(line.end()) } }

  private func draw(_ text: String) {
    try? Output.error.write(text)
    try? Output.error.flush()
  }

  /// `4 712 000 rows   45 %   6 s left`; without an expected number of rows, and beyond it, only the rows.
  static func text(_ rows: UInt64, of expected: UInt64?, after milliseconds: Int64) -> String {
    let done = counted(rows, "row")
    guard let expected, rows > 0, rows <= expected else { return done }
    let left = Double(milliseconds) / 1000 * Double(expected - rows) / Double(rows)
    return "\(done)   \(Int(Double(rows) * 100 / Double(expected))) %   \(span(Int(left.rounded(.up)))) left"
  }
}
