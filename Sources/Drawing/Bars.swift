// Bars and strips in a line of text: an amount, a range with its mean, what is covered and what is not.

/// Drawn in blocks, or in ASCII.
public struct Bars: Sendable {
  public var isASCII: Bool

  public init(isASCII: Bool) { self.isASCII = isASCII }

  private static let eighths: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]

  /// A bar from the left, as long as `value` is of `most`; what is above 0 is never nothing. As many columns as it
  /// needs, at most `width`.
  public func amount(_ value: Double, of most: Double, width: Int) -> String {
    guard value.isFinite, most.isFinite, value > 0, most > 0, width > 0 else { return "" }
    let part = min(value / most, 1)
    if isASCII { return String(repeating: "#", count: max(1, Int((part * Double(width)).rounded()))) }
    let pieces = max(1, Int((part * Double(width) * 8).rounded()))
    let rest = pieces % 8
    return String(repeating: "█", count: pieces / 8) + (rest > 0 ? String(Self.eighths[rest - 1]) : "")
  }

  /// From the lowest to the highest of something with a mark at its mean, on an axis: exactly `width` columns.
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

  /// The newest of some values as heights, the lowest at the bottom: one column each, at most `width`. What is no
  /// number is left blank.
  public func trail(_ values: some BidirectionalCollection<Double>, width: Int) -> String {
    let levels = Array(isASCII ? "_.-=*#" : "▁▂▃▄▅▆▇█")
    let newest = Array(values.suffix(max(0, width)))
    let numbers = newest.filter(CurveColumns.drawable.contains)
    guard let low = numbers.min(), let high = numbers.max() else { return "" }
    return String(
      newest.map { value in
        guard CurveColumns.drawable.contains(value) else { return " " }
        // A flat line stands in the middle: it is neither low nor high.
        if high <= low { return levels[levels.count / 2 - 1] }
        return levels[min(levels.count - 1, Int((value - low) / (high - low) * Double(levels.count)))]
      })
  }

  /// What of a span of time is covered, in `width` columns: a column is full only where all of it is, and empty only
  /// where nothing is, so that no gap is lost however short it is.
  ///
  /// - Parameter covered: spans in microseconds, ascending, which do not overlap.
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
        // Rounding of the sums.
        if share > 1 - 1e-9 { return isASCII ? "#" : "█" }
        if share < 1e-9 { return isASCII ? "." : "·" }
        return isASCII ? (share > 0.5 ? "+" : "-") : share > 0.5 ? "▓" : "▒"
      })
  }
}
