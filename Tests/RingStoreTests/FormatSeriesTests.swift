import Foundation
import Health
import Testing

/// The table of series in FORMAT.md, which other programs are written from.
@Suite struct FormatSeriesTests {
  /// The cells of its rows: number, name, layout, unit, factor, live times are rounded down to.
  private static func rows() throws -> [[String]] {
    let file = URL(filePath: #filePath).appending(path: "../../../Sources/RingStore/FORMAT.md").standardized
    let chapter = try #require(
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## Series\n").last)
    let table = chapter.split(separator: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
    return table.dropFirst(2).map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
  }

  /// `right0 … right7` in full.
  private static func expanded(_ layout: String) throws -> String {
    try layout.replacing(Regex<(Substring, Substring, Substring, Substring)>(#"([a-z]+)(\d+) … [a-z]+(\d+)"#)) {
      match in
      guard let first = Int(match.2), let last = Int(match.3), first <= last else { return "?" }
      return (first...last).map { "\(match.1)\($0)" }.joined(separator: ", ")
    }
  }

  private static func layout(of series: Series) -> String {
    switch series.layout {
    case .scalar: "scalar"
    case .interval: "interval"
    case .record: "record"
    case .vector(let names): "vector: " + names.joined(separator: ", ")
    case .waveform(let names): "waveform: " + names.joined(separator: ", ")
    }
  }

  @Test("names every series that there is, under its number, with its layout, unit, factor and step")
  func table() throws {
    let rows = try Self.rows()
    #expect(rows.map { $0[0] } == Series.all.map { "\($0.id)" })
    for (row, series) in zip(rows, Series.all) {
      try #require(row.count == 6, "\(row)")
      let factor = series.denominator == 1 ? "\(series.numerator)" : "\(series.numerator)/\(series.denominator)"
      let layout = try Self.expanded(row[2])
      #expect(
        [row[1], layout, row[3], row[4], row[5]] == [
          "`\(series.name)`", Self.layout(of: series), series.unit.isEmpty ? "–" : series.unit, factor,
          series.timeStep == 1 ? "1 µs" : "1 ms",
        ])
    }
  }
}
