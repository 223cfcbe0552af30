// Bars and strips in a line of text: an amount, a range with its mean, and the coverage of a period.

/// Drawn with block characters, or in ASCII.
public struct Bars: Sendable {
  /// True: only ASCII characters.
  public var isASCII: Bool

  /// Bars in block characters, or in ASCII.
  public init(isASCII: Bool) { self.isASCII = isASCII }

  private static let eighths: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]

  /// Bar from the left with the length of `value` relative to `most`, at most `width` columns. Every value above 0 gets
  /// at least a trace.
  public func amount(_ value: Double, of most: Double, width: Int) -> String {
    guard value.isFinite, most.isFinite, value > 0, most > 0, width > 0 else { return "" }
    let part = min(value / most, 1)
    if isASCII { return String(repeating: "#", count: max(1, Int((part * Double(width)).rounded()))) }
    let pieces = max(1, Int((part * Double(width) * 8).rounded()))
    let rest = pieces % 8
    return String(repeating: "█", count: pieces / 8) + (rest > 0 ? String(Self.eighths[rest - 1]) : "")
  }

  /// Bar from the lowest to the highest value with a mark at the mean, on an axis: exactly `width` columns.
  public func range(_ low: Double, _ mean: Double?, _ high: Double, on axis: NumberAxis, width: Int) -> String {
    guard low.isFinite, high.isFinite, low <= high, width > 0 else { return "" }
    func column(_ value: Double) -> Int { Int((axis.place(value) * Double(width - 1)).rounded()) }
    var cells = [Character](repeating: " ", count: width)
    for place in column(low)...max(column(low), column(high)) { cells[place] = isASCII ? "-" : "━" }
    if isASCII {
      cells[column(low)] = "|"
      cells[column(high)] = "|"
    }
    if let mean, mean.isFinite { cells[column(mean)] = isASCII ? "o" : "●" }
    return String(cells)
  }

  /// Sparkline of the newest values: one column each, at most `width`, the lowest at the bottom. Values that are not
  /// finite are left blank.
  public func trail(_ values: some BidirectionalCollection<Double>, width: Int) -> String {
    let levels = Array(isASCII ? "_.-=*#" : "▁▂▃▄▅▆▇█")
    let newest = Array(values.suffix(max(0, width)))
    let numbers = newest.filter(CurveColumns.drawable.contains)
    guard let low = numbers.min(), let high = numbers.max() else { return "" }
    return String(
      newest.map { value in
        guard CurveColumns.drawable.contains(value) else { return " " }
        // A flat line is drawn in the middle: it is neither low nor high.
        if high <= low { return levels[levels.count / 2 - 1] }
        return levels[min(levels.count - 1, Int((value - low) / (high - low) * Double(levels.count)))]
      })
  }

  /// Coverage of a period in `width` columns. A column is full only if all of it is covered, and empty only if no part
  /// is. So even the shortest gap is visible.
  ///
  /// - Parameter covered: periods in microseconds, ascending, without overlap.
  public func strip(_ covered: [Range<Int64>], of span: Range<Int64>, width: Int) -> String {
    guard width > 0, span.upperBound > span.lowerBound else { return "" }
    let length = Double(span.upperBound) - Double(span.lowerBound)
    var shares = [Double](repeating: 0, count: width)
    for part in covered {
      let from = max(0, (Double(part.lowerBound) - Double(span.lowerBound)) / length * Double(width))
      let to = min(Double(width), (Double(part.upperBound) - Double(span.lowerBound)) / length * Double(width))
      guard from < to else { continue }
      for place in Int(from)...min(width - 1, Int(to)) {
        shares[place] += max(0, min(to, Double(place + 1)) - max(from, Double(place)))
      }
    }
    return String(
      shares.map { share -> Character in
        // Tolerance for rounding of the sums.
        if share > 1 - 1e-9 { return isASCII ? "#" : "█" }
        if share < 1e-9 { return isASCII ? "." : "·" }
        return isASCII ? (share > 0.5 ? "+" : "-") : share > 0.5 ? "▓" : "▒"
      })
  }
}
