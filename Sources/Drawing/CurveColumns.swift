// Reduction of values to columns: each column keeps its lowest and its highest value, so that no peak is lost.

/// Values of a period, with one entry for each column of a drawing. Accepts them in any order; uses memory for the
/// columns only.
public struct CurveColumns: Sendable {
  /// Values that fall into one column.
  public struct Column: Sendable, Equatable {
    /// Lowest value.
    public fileprivate(set) var low: Double
    /// Highest value.
    public fileprivate(set) var high: Double
    /// The earliest and the latest value of the column with their times, microseconds since 1970.
    public fileprivate(set) var first: (time: Int64, value: Double)
    /// Latest value; time in microseconds since 1970.
    public fileprivate(set) var last: (time: Int64, value: Double)

    public static func == (a: Column, b: Column) -> Bool {
      (a.low, a.high, a.first.time, a.first.value) == (b.low, b.high, b.first.time, b.first.value)
        && a.last.time == b.last.time && a.last.value == b.last.value
    }
  }

  /// Microseconds since 1970, at least one.
  public let span: Range<Int64>
  /// nil for a column without values.
  public private(set) var columns: [Column?]
  /// Number of values added.
  public private(set) var count = 0
  /// Lowest of all values; nil without values. `high` is the highest.
  public private(set) var low: Double?
  /// Highest value of all; nil: no value.
  public private(set) var high: Double?
  private var sum = 0.0

  /// Limit: more columns than any terminal or page has.
  public static let limit = 4096
  /// Range of values; beyond it the difference of lowest and highest would overflow. No wearable measures such values.
  public static let drawable = -1e100...1e100

  /// Empty columns over a span of microseconds since 1970.
  public init(_ span: Range<Int64>, columns: Int) {
    let from = Swift.min(Swift.max(span.lowerBound, -1 << 61), 1 << 61)
    self.span = from..<Swift.min(Swift.max(span.upperBound, from + 1), (1 << 61) + 1)
    self.columns = Array(repeating: nil, count: Swift.min(Swift.max(columns, 1), Self.limit))
  }

  /// Mean of all values; nil: no value.
  public var mean: Double? { count > 0 ? sum / Double(count) : nil }

  /// Adds a value; one that is outside the period, or not finite, is left out.
  public mutating func add(_ time: Int64, _ value: Double) {
    guard span.contains(time), Self.drawable.contains(value) else { return }
    let place = Int(
      Double(time - span.lowerBound) / Double(span.upperBound - span.lowerBound) * Double(columns.count))
    let index = Swift.min(place, columns.count - 1)
    count += 1
    sum += value
    low = Swift.min(low ?? value, value)
    high = Swift.max(high ?? value, value)
    guard var column = columns[index] else {
      columns[index] = Column(low: value, high: value, first: (time, value), last: (time, value))
      return
    }
    column.low = Swift.min(column.low, value)
    column.high = Swift.max(column.high, value)
    if time < column.first.time { column.first = (time, value) }
    if time >= column.last.time { column.last = (time, value) }
    columns[index] = column
  }

  /// Runs of column indexes that a line joins: each column has values and begins at most `bridge` (microseconds) after
  /// the previous one. Longer distances are gaps, over which no line is drawn.
  public func runs(bridge: Int64) -> [[Int]] {
    var runs: [[Int]] = []
    var last: Int?
    for (index, column) in columns.enumerated() {
      guard let column else { continue }
      if let last, let before = columns[last], column.first.time - before.last.time <= bridge {
        runs[runs.count - 1].append(index)
      } else {
        runs.append([index])
      }
      last = index
    }
    return runs
  }
}
