// Values in columns: however many come, each column keeps its lowest and its highest, so that no peak is lost.

/// The values of a span of time, one entry for each column of a drawing. Takes them in whatever order they come; its
/// memory is that of its columns.
public struct CurveColumns: Sendable {
  public struct Column: Sendable, Equatable {
    public fileprivate(set) var low: Double
    public fileprivate(set) var high: Double
    /// The earliest and the latest value of the column with their times, microseconds since 1970.
    public fileprivate(set) var first: (time: Int64, value: Double)
    public fileprivate(set) var last: (time: Int64, value: Double)

    public static func == (a: Column, b: Column) -> Bool {
      (a.low, a.high, a.first.time, a.first.value) == (b.low, b.high, b.first.time, b.first.value)
        && a.last.time == b.last.time && a.last.value == b.last.value
    }
  }

  /// Microseconds since 1970, at least one.
  public let span: Range<Int64>
  /// nil where nothing was measured.
  public private(set) var columns: [Column?]
  /// Values that are drawn.
  public private(set) var count = 0
  /// Of all of them; nil without any.
  public private(set) var low: Double?
  public private(set) var high: Double?
  private var sum = 0.0

  /// More columns than any terminal or page has.
  public static let limit = 4096
  /// What no wearable measures would leave no number between lowest and highest.
  public static let drawable = -1e100...1e100

  public init(_ span: Range<Int64>, columns: Int) {
    let from = Swift.min(Swift.max(span.lowerBound, -1 << 61), 1 << 61)
    self.span = from..<Swift.min(Swift.max(span.upperBound, from + 1), (1 << 61) + 1)
    self.columns = Array(repeating: nil, count: Swift.min(Swift.max(columns, 1), Self.limit))
  }

  public var mean: Double? { count > 0 ? sum / Double(count) : nil }

  /// A value; one outside the span, and what is no number, is left out.
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

  /// Places of columns that a line joins: runs of columns with values, each column no later than `bridge`
  /// (microseconds) after the one before. What lies further apart is a gap, and nothing is drawn over it.
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
