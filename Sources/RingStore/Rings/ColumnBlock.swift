// A block of a column: up to 128 numbers as a predictor and bit-packed residuals. FORMAT.md, "chunks".

/// Ways in which a number is predicted from its position or from earlier numbers. The raw value is stored.
enum Predictor: UInt8 {
  /// Values all near the smallest.
  case frame = 0
  /// Each is near the one before.
  case delta = 1
  /// The differences of neighbours are nearly constant.
  case deltaOfDelta = 2
  /// Values all near a straight line.
  case line = 3
}

/// The head of a block, and the encoding and decoding of its numbers.
struct ColumnBlock {
  /// Numbers in a block; the last block of a chunk may have fewer.
  static let length = 128
  /// Residuals of up to this width are read with one load of eight bytes, at any bit position; wider ones take 64
  /// bits.
  static let packedWidthLimit = 56
  /// Head, start and slope at their longest, and 128 residuals of 64 bits.
  static let sizeLimit = 1 + 10 + 10 + 8 * length

  var predictor: Predictor
  /// Bits of a residual: 0 to 56, or 64.
  var width: Int
  var start: Int64
  var slope: Int64 = 0

  func residuals(of count: Int) -> Int {
    switch predictor {
    case .frame, .line: count
    case .delta: count - 1
    case .deltaOfDelta: max(count - 2, 0)
    }
  }

  /// Bytes of the whole block of `count` numbers that comes after the number `previous`.
  func size(of count: Int, after previous: Int64) -> Int {
    let slopeSize = predictor.rawValue >= Predictor.deltaOfDelta.rawValue ? varintSize(zigzag(slope)) : 0
    return 1 + varintSize(zigzag(start &- previous)) + slopeSize + (residuals(of: count) * width + 7) / 8
  }

  // MARK: writing

  /// The block with the fewest bytes; of equal ones, the one that is read faster. `count` is at least 1.
  static func smallest(_ numbers: UnsafePointer<Int64>, _ count: Int, after previous: Int64) -> (
    block: ColumnBlock, size: Int
  ) {
    // All but the line are measured in one pass.
    let first = numbers[0]
    var (low, high, last) = (first, first, first)
    var deltas: UInt64 = 0
    var bends: UInt64 = 0
    let slope = count > 1 ? numbers[1] &- first : 0
    var step = slope
    for index in 1..<max(count, 1) {
      let number = numbers[index]
      let delta = number &- last
      low = min(low, number)
      high = max(high, number)
      deltas |= zigzag(delta)
      bends |= zigzag(delta &- step)
      (last, step) = (number, delta)
    }
    var best = ColumnBlock(predictor: .frame, width: width(UInt64(bitPattern: high &- low)), start: low)
    var bestSize = best.size(of: count, after: previous)
    // A constant frame has the fewest possible bytes.
    if best.width == 0 { return (best, bestSize) }
    func consider(_ candidate: ColumnBlock) {
      let size = candidate.size(of: count, after: previous)
      if size < bestSize { (best, bestSize) = (candidate, size) }
    }
    consider(line(numbers, count))
    consider(ColumnBlock(predictor: .delta, width: width(deltas), start: first))
    consider(ColumnBlock(predictor: .deltaOfDelta, width: width(bends), start: first, slope: slope))
    return (best, bestSize)
  }

  /// The line from the mean of one half to the mean of the other, which single outliers hardly tilt. If the sums
  /// overflow, the line is only a bad prediction.
  private static func line(_ numbers: UnsafePointer<Int64>, _ count: Int) -> ColumnBlock {
    let half = count / 2
    var slope: Int64 = 0
    if half > 0 {
      var rise: Int64 = 0
      for index in 0..<half { rise &+= numbers[count - half + index] &- numbers[index] }
      slope = (rise &* 256) / Int64(half * (count - half))
    }
    var low = Int64.max
    var high = Int64.min
    var risen: Int64 = 0
    for index in 0..<count {
      let rest = numbers[index] &- risen >> 8
      risen = risen &+ slope
      low = min(low, rest)
      high = max(high, rest)
    }
    return ColumnBlock(predictor: .line, width: width(UInt64(bitPattern: high &- low)), start: low, slope: slope)
  }

  /// The rise of a line up to a position, rounded down.
  @inline(__always)
  private static func rise(_ slope: Int64, _ index: Int) -> Int64 { (Int64(index) &* slope) >> 8 }

  private static func width(_ bits: UInt64) -> Int {
    let width = 64 - bits.leadingZeroBitCount
    return width > packedWidthLimit ? 64 : width
  }

  /// Writes the block; returns the offset behind it. Up to eight bytes behind that are overwritten.
  func write(
    _ numbers: UnsafePointer<Int64>, _ count: Int, after previous: Int64, _ bytes: UnsafeMutableRawBufferPointer,
    _ offset: Int
  ) -> Int {
    var offset = offset
    bytes[offset] = UInt8(width == 64 ? 63 : width) | predictor.rawValue << 6
    offset = putVarint(zigzag(start &- previous), bytes, offset + 1)
    let start = start
    let slope = slope
    switch predictor {
    case .frame:
      return pack(count, bytes, offset) { UInt64(bitPattern: numbers[$0] &- start) }
    case .delta:
      return pack(count - 1, bytes, offset) { zigzag(numbers[$0 + 1] &- numbers[$0]) }
    case .deltaOfDelta:
      offset = putVarint(zigzag(slope), bytes, offset)
      return pack(count - 2, bytes, offset) {
        zigzag(numbers[$0 + 2] &- numbers[$0 + 1] &- (numbers[$0 + 1] &- numbers[$0]))
      }
    case .line:
      offset = putVarint(zigzag(slope), bytes, offset)
      return pack(count, bytes, offset) { UInt64(bitPattern: numbers[$0] &- start &- Self.rise(slope, $0)) }
    }
  }

  @inline(__always)
  private func pack(_ count: Int, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int, _ residual: (Int) -> UInt64)
    -> Int
  {
    guard count > 0, width > 0 else { return offset }
    var offset = offset
    if width == 64 {
      for index in 0..<count {
        bytes.store(residual(index), at: offset)
        offset += 8
      }
      return offset
    }
    // At most 7 bits wait for the next residual, which has at most 56.
    var waiting: UInt64 = 0
    var bits = 0
    for index in 0..<count {
      waiting |= residual(index) << UInt64(truncatingIfNeeded: bits)
      bits += width
      bytes.store(waiting, at: offset)
      offset += bits >> 3
      waiting >>= UInt64(truncatingIfNeeded: bits & ~7)
      bits &= 7
    }
    return bits > 0 ? offset + 1 : offset
  }

  // MARK: reading

  /// The head of a block behind the number `previous`; nil for invalid bytes.
  init?(_ reader: inout StoredReader, after previous: Int64) {
    guard let head = reader.u8(), let predictor = Predictor(rawValue: head >> 6), let distance = reader.zigzag() else {
      return nil
    }
    let width = Int(head & 63)
    if width > Self.packedWidthLimit, width != 63 { return nil }
    self.predictor = predictor
    self.width = width == 63 ? 64 : width
    start = previous &+ distance
    if predictor.rawValue >= Predictor.deltaOfDelta.rawValue {
      guard let slope = reader.zigzag() else { return nil }
      self.slope = slope
    }
  }

  init(predictor: Predictor, width: Int, start: Int64, slope: Int64 = 0) {
    self.predictor = predictor
    self.width = width
    self.start = start
    self.slope = slope
  }

  /// Decodes `count` numbers from the block's residuals. The caller has checked that the residuals, and eight readable
  /// bytes behind them, exist.
  func read(_ residuals: UnsafeRawPointer, _ numbers: UnsafeMutablePointer<Int64>, _ count: Int) {
    let start = start
    let slope = slope
    switch predictor {
    case .frame:
      unpack(count, residuals) { numbers[$0] = start &+ Int64(bitPattern: $1) }
    case .delta:
      var last = start
      numbers[0] = last
      unpack(count - 1, residuals) {
        last = last &+ unzigzag($1)
        numbers[$0 + 1] = last
      }
    case .deltaOfDelta:
      var last = start
      var step = slope
      numbers[0] = last
      if count == 1 { return }
      last = last &+ step
      numbers[1] = last
      unpack(count - 2, residuals) {
        step = step &+ unzigzag($1)
        last = last &+ step
        numbers[$0 + 2] = last
      }
    case .line:
      unpack(count, residuals) { numbers[$0] = start &+ Self.rise(slope, $0) &+ Int64(bitPattern: $1) }
    }
  }

  @inline(__always)
  private func unpack(_ count: Int, _ residuals: UnsafeRawPointer, _ body: (Int, UInt64) -> Void) {
    if width == 64 {
      for index in 0..<count {
        body(index, UInt64(littleEndian: residuals.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)))
      }
      return
    }
    let mask: UInt64 = 1 << UInt64(truncatingIfNeeded: width) &- 1
    var bit = 0
    for index in 0..<count {
      let word = UInt64(littleEndian: residuals.loadUnaligned(fromByteOffset: bit >> 3, as: UInt64.self))
      body(index, word >> UInt64(truncatingIfNeeded: bit & 7) & mask)
      bit += width
    }
  }
}
