// The identity of a batch: a digest of its source and of its whole content.

extension BatchDigest {
  static let size = 16

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: first)
    bytes.append(littleEndian: second)
    return bytes
  }

  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard bytes.count == Self.size, let first = reader.integer(UInt64.self), let second = reader.integer(UInt64.self)
    else { return nil }
    self.init(first: first, second: second)
  }
}

/// Makes the digest of a batch, part by part in the order of the batch. FORMAT.md describes the input; different
/// batches always have different input.
struct BatchHasher {
  /// `hearth batch key`
  private static let key: (UInt64, UInt64) = (0x6220_6874_7261_6568, 0x7965_6B20_6863_7461)

  private var hash = SipHash128(key: BatchHasher.key)

  init(source: String) {
    var source = source
    source.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Adds the items for one ring, as they will be stored. A batch may have several groups, also of the same ring.
  mutating func add(series: UInt16, way: Way, _ items: ItemColumns) {
    begin(series: series, way: way, valueCount: items.valueCount, items: items.count)
    var used = 0
    add(items, 0..<items.count, &used)
  }

  /// Part of an announced group. `used` is how much of the heap earlier items have used.
  mutating func add(_ items: ItemColumns, _ part: Range<Int>, _ used: inout Int) {
    items.heap.withUnsafeBytes { heap in
      for index in part {
        add(items.times[index])
        hash.update(UInt8(truncatingIfNeeded: items.flags[index]))
        for column in items.values { add(column[index]) }
        let length = items.hasBytes ? Int(items.lengths[index]) : 0
        add(UnsafeRawBufferPointer(rebasing: heap[used..<(used + length)]))
        used += length
      }
    }
  }

  /// Announces a group. Exactly this number of items must follow, each with this number of values.
  mutating func begin(series: UInt16, way: Way, valueCount: Int, items: Int) {
    hash.update(UInt8(truncatingIfNeeded: series))
    hash.update(UInt8(truncatingIfNeeded: series >> 8))
    hash.update(way.rawValue)
    hash.update(UInt8(truncatingIfNeeded: valueCount))
    hash.update(UInt64(items))
  }

  mutating func item(time: Int64, flags: UInt8, values: some Sequence<Int64>, bytes: UnsafeRawBufferPointer) {
    add(time)
    hash.update(flags)
    for value in values { add(value) }
    add(bytes)
  }

  consuming func finish() -> BatchDigest {
    let (first, second) = hash.finish()
    return BatchDigest(first: first, second: second)
  }

  private mutating func add(_ value: Int64) { hash.update(UInt64(bitPattern: value)) }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var length = UInt64(bytes.count)
    while length >= 0x80 {
      hash.update(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    hash.update(UInt8(truncatingIfNeeded: length))
    hash.update(bytes)
  }
}
