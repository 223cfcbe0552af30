// Which values a series can have at all: what is outside is no measurement, whoever sent it. The bounds themselves are
// in `BoundsTable.swift`; here is how they are asked, for every sample of every notification.

/// What the values of one item of a series can be, in the stored scale.
public enum ValueBounds: Sendable, Hashable {
  /// One range for each value of an item: of a scalar one, of a vector one for each component, of an interval one for
  /// its length (µs) and one for its value.
  case ranges([ClosedRange<Int64>])
  /// None, for the reason that the table gives: its bytes are looked at by nobody but its reader.
  case none
}

extension Series {
  /// What its values can be.
  public var bounds: ValueBounds { boundsRow.bounds }
  /// Where its bounds are from, or why it has none.
  public var boundsSource: String { boundsRow.source }

  private var boundsRow: BoundsRow { Self.boundsTable[Int(id) - 1] }

  /// Whether a value of a scalar can be. True for series of another layout.
  @inline(__always)
  public func canBe(_ value: Int64) -> Bool {
    let place = Self.flatPlaces[Int(id) - 1]
    if place.count != 1 { return true }
    let range = Self.flatRanges[place.first]
    return range.least <= value && value <= range.greatest
  }

  /// Whether an item of these values can be: each within its range. True where the series has no bounds, and for
  /// another number of values than it has, which is refused elsewhere.
  public func canBe(_ values: UnsafeBufferPointer<Int64>) -> Bool {
    let place = Self.flatPlaces[Int(id) - 1]
    guard values.count == place.count else { return true }
    for (index, value) in values.enumerated() {
      let range = Self.flatRanges[place.first + index]
      if value < range.least || value > range.greatest { return false }
    }
    return true
  }

  /// The same, of an array.
  public func canBe(_ values: [Int64]) -> Bool { values.withUnsafeBufferPointer { canBe($0) } }

  /// All ranges behind each other: to look one up touches no counted reference but the array's own.
  private static let flatRanges: ContiguousArray<(least: Int64, greatest: Int64)> = ContiguousArray(
    boundsTable.flatMap { row -> [(least: Int64, greatest: Int64)] in
      guard case .ranges(let ranges) = row.bounds else { return [] }
      return ranges.map { ($0.lowerBound, $0.upperBound) }
    })

  private static let flatPlaces: ContiguousArray<(first: Int, count: Int)> = {
    var next = 0
    return ContiguousArray(
      boundsTable.map { row in
        guard case .ranges(let ranges) = row.bounds else { return (0, 0) }
        defer { next += ranges.count }
        return (next, ranges.count)
      })
  }()
}

/// One row of the table.
struct BoundsRow: Sendable {
  let series: Series
  let bounds: ValueBounds
  /// A publication, a specification, or what the sensor of a wearable can tell.
  let source: String

  init(_ series: Series, _ ranges: ClosedRange<Int64>..., source: String) {
    (self.series, bounds, self.source) = (series, .ranges(ranges), source)
  }

  init(_ series: Series, each range: ClosedRange<Int64>, _ count: Int, source: String) {
    (self.series, bounds, self.source) = (series, .ranges(Array(repeating: range, count: count)), source)
  }

  /// Of an interval.
  init(_ series: Series, over length: ClosedRange<Int64>, _ range: ClosedRange<Int64>, source: String) {
    (self.series, bounds, self.source) = (series, .ranges([length, range]), source)
  }

  init(_ series: Series, noneAs why: String) { (self.series, bounds, source) = (series, .none, why) }
}
