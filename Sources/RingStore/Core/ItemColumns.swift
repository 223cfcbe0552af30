// Items of one ring, one array a column: the form that is encoded into chunks and decoded from them.

internal import Health

/// Items of equal shape, column by column, which is the form on disk. A reader of millions of values needs no structure
/// for each.
public struct ItemColumns: Sendable {
  /// Values of each item, 0 to 16.
  public let valueCount: Int
  /// True if items have bytes.
  public let hasBytes: Bool
  /// Wall time, microseconds since 1970.
  public internal(set) var times: [Int64] = []
  /// `SampleFlags.rawValue` of each.
  public internal(set) var flags: [Int64] = []
  /// An array for each value of an item, all of the same length.
  public internal(set) var values: [[Int64]]
  /// Length of each item's bytes; empty without bytes.
  public internal(set) var lengths: [Int64] = []
  /// The bytes of all items, one after the other.
  public internal(set) var heap: [UInt8] = []

  /// Limits of one item: its values, and its bytes.
  public static let valueLimit = 16
  /// Maximum number of bytes of one item.
  public static let bytesLimit = 3800
  /// Limit in bytes of one record, which is an item of many parts.
  static let recordLimit = 1 << 20

  /// Empty columns for items with `valueCount` values, at most `valueLimit`.
  public init(valueCount: Int, hasBytes: Bool) {
    guard (0...Self.valueLimit).contains(valueCount) else { fatalError("an item of too many values") }
    self.valueCount = valueCount
    self.hasBytes = hasBytes
    values = Array(repeating: [], count: valueCount)
  }

  /// Number of items.
  public var count: Int { times.count }
  /// True without items.
  public var isEmpty: Bool { times.isEmpty }

  /// Whether the bytes of an item continue in the next one.
  func goesOn(_ index: Int) -> Bool { SampleFlags(rawValue: UInt8(truncatingIfNeeded: flags[index]))?.goesOn ?? false }

  /// Approximate bytes of memory that the columns occupy.
  var footprint: Int { count * 8 * (2 + valueCount + (hasBytes ? 1 : 0)) + heap.count }

  // MARK: columns by number, as chunks have them: time, flags, the values, length of the bytes

  var columnCount: Int { 2 + valueCount + (hasBytes ? 1 : 0) }

  func withColumn<R>(_ index: Int, _ body: (UnsafeBufferPointer<Int64>) -> R) -> R {
    switch index {
    case 0: times.withUnsafeBufferPointer(body)
    case 1: flags.withUnsafeBufferPointer(body)
    case 2 + valueCount: lengths.withUnsafeBufferPointer(body)
    default: values[index - 2].withUnsafeBufferPointer(body)
    }
  }

  /// Extends one column. The caller extends all of them, and the heap.
  mutating func append(_ numbers: some Collection<Int64>, column index: Int) {
    switch index {
    case 0: times.append(contentsOf: numbers)
    case 1: flags.append(contentsOf: numbers)
    case 2 + valueCount: lengths.append(contentsOf: numbers)
    default: values[index - 2].append(contentsOf: numbers)
    }
  }

  mutating func append(_ number: Int64, times count: Int, column index: Int) {
    append(repeatElement(number, count: count), column: index)
  }

  // MARK: filling

  mutating func reserve(_ count: Int) {
    times.reserveCapacity(count)
    flags.reserveCapacity(count)
    for index in values.indices { values[index].reserveCapacity(count) }
    if hasBytes { lengths.reserveCapacity(count) }
  }

  /// A scalar; the columns have one value and no bytes.
  mutating func append(time: Int64, flags: UInt8, value: Int64) {
    assert(valueCount == 1 && !hasBytes)
    times.append(time)
    self.flags.append(Int64(flags))
    values[0].append(value)
  }

  /// Scalars, as many as there are of each; the columns have one value and no bytes.
  mutating func append(
    times: UnsafeBufferPointer<Int64>, flags: UnsafeBufferPointer<Int64>, values: UnsafeBufferPointer<Int64>
  ) {
    assert(valueCount == 1 && !hasBytes && flags.count == times.count && values.count == times.count)
    self.times.append(contentsOf: times)
    self.flags.append(contentsOf: flags)
    self.values[0].append(contentsOf: values)
  }

  /// `values` has `valueCount` elements, `bytes` at most `bytesLimit`, or 0 if the columns have no bytes.
  mutating func append(time: Int64, flags: UInt8, values: UnsafeBufferPointer<Int64>, bytes: UnsafeRawBufferPointer) {
    guard values.count == valueCount && bytes.count <= (hasBytes ? Self.bytesLimit : 0) else {
      fatalError("an item of another shape")
    }
    times.append(time)
    self.flags.append(Int64(flags))
    for index in 0..<valueCount { self.values[index].append(values[index]) }
    if hasBytes {
      lengths.append(Int64(bytes.count))
      heap.append(contentsOf: bytes)
    }
  }

  /// Items of equal shape, behind these.
  mutating func append(contentsOf other: ItemColumns) {
    guard other.valueCount == valueCount && other.hasBytes == hasBytes else { fatalError("items of another shape") }
    times += other.times
    flags += other.flags
    for index in values.indices { values[index] += other.values[index] }
    lengths += other.lengths
    heap += other.heap
  }

  /// Moves all times, microseconds.
  mutating func shift(by distance: Int64) {
    for index in times.indices { times[index] &+= distance }
  }

  mutating func removeFirst(_ count: Int) {
    times.removeFirst(count)
    flags.removeFirst(count)
    for index in values.indices { values[index].removeFirst(count) }
    if hasBytes {
      heap.removeFirst(Int(lengths[..<count].reduce(0, +)))
      lengths.removeFirst(count)
    }
  }

  mutating func removeAll() {
    times.removeAll(keepingCapacity: true)
    flags.removeAll(keepingCapacity: true)
    for index in values.indices { values[index].removeAll(keepingCapacity: true) }
    lengths.removeAll(keepingCapacity: true)
    heap.removeAll(keepingCapacity: true)
  }
}
