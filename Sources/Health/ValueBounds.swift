// Possible values of a series: values outside are no measurements, whatever their source. `BoundsTable.swift` has the
// bounds. This file checks them, for every sample of every notification.

/// Possible values of one item of a series, in the stored scale.
public enum ValueBounds: Sendable, Hashable {
  /// Range for each value of an item. A scalar has one, a vector one per component, an interval one for its length (µs)
  /// and one for its value.
  case ranges([ClosedRange<Int64>])
  /// Value without bounds, for the reason given in the table: only the decoder of its bytes can judge them.
  case none
}

extension Series {
  /// Bounds of the values that a sensor of this series can deliver, in the stored scale.
  public var bounds: ValueBounds { boundsRow.bounds }
  /// Source of the bounds, or the reason for their absence.
  public var boundsSource: String { boundsRow.source }

  private var boundsRow: BoundsRow { Self.boundsTable[Int(id) - 1] }

  /// Whether a value of a scalar is possible. True for series of another layout.
  @inline(__always)
  public func canBe(_ value: Int64) -> Bool {
    let place = Self.flatPlaces[Int(id) - 1]
    if place.count != 1 { return true }
    let range = Self.flatRanges[place.first]
    return range.least <= value && value <= range.greatest
  }

  /// Whether an item with these values is possible: each within its range. True if the series has no bounds. A wrong
  /// number of values also yields true; it is refused elsewhere.
  public func canBe(_ values: UnsafeBufferPointer<Int64>) -> Bool {
    let place = Self.flatPlaces[Int(id) - 1]
    guard values.count == place.count else { return true }
    for (index, value) in values.enumerated() {
      let range = Self.flatRanges[place.first + index]
      if value < range.least || value > range.greatest { return false }
    }
    return true
  }

  /// The same for an array.
  public func canBe(_ values: [Int64]) -> Bool { values.withUnsafeBufferPointer { canBe($0) } }

  /// Ranges in one array, so that a look-up touches no other reference-counted object.
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

/// Row of the table.
struct BoundsRow: Sendable {
  let series: Series
  let bounds: ValueBounds
  /// A publication, a specification, or the range of a wearable's sensor.
  let source: String

  init(_ series: Series, _ ranges: ClosedRange<Int64>..., source: String) {
    (self.series, bounds, self.source) = (series, .ranges(ranges), source)
  }

  init(_ series: Series, each range: ClosedRange<Int64>, _ count: Int, source: String) {
    (self.series, bounds, self.source) = (series, .ranges(Array(repeating: range, count: count)), source)
  }

  /// Row of an interval.
  init(_ series: Series, over length: ClosedRange<Int64>, _ range: ClosedRange<Int64>, source: String) {
    (self.series, bounds, self.source) = (series, .ranges([length, range]), source)
  }

  init(_ series: Series, noneAs why: String) { (self.series, bounds, source) = (series, .none, why) }
}
