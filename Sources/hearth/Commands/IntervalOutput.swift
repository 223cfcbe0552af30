// The format rr: intervals between beats, one a line.

import CivilTime
import Export
import StoreDocuments

/// Intervals of one wearable or person, in the order of time.
struct IntervalOutput: RowOutput {
  /// The ways of a series differ in it.
  let needsPlaces = true
  private var intervals: IntervalExport
  private let target: Output

  init(_ intervals: IntervalExport, to target: Output = .standard) {
    (self.intervals, self.target) = (intervals, target)
  }

  mutating func begin() {}
  mutating func take(_ row: ExportRow) throws { try intervals.take(row) }
  mutating func endPage() {}

  mutating func end() throws {
    let summary = try intervals.finish { [target] in try target.write($0) }
    try target.flush()
    Output.error.say("hearth: \(render(summary))\n")
  }
}

/// Text for standard error about gaps and intervals that a file cannot show itself.
func render(_ summary: IntervalExport.Summary) -> String {
  var parts = [counted(summary.intervals, "interval")]
  if let span = summary.span {
    parts[0] += " from \(momentText(span.lowerBound, .milliseconds)) to \(momentText(span.upperBound, .milliseconds))"
  }
  if summary.leftOut > 0 { parts.append("\(grouped(summary.leftOut)) left out as doubtful") }
  if summary.repeated > 0 { parts.append("\(grouped(summary.repeated)) left out as they came in two ways") }
  if summary.gaps > 0 {
    let seconds = Double(summary.missing / 100_000) / 10
    parts.append("\(counted(summary.gaps, "gap")) of \(seconds) s in all, between lines that are not consecutive")
  }
  return parts.joined(separator: "; ")
}
