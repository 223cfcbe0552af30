// Equidistant samples as the wearable sent them, and their numbers.

/// Block of a waveform: `count` samples from `start` on, each with one number per component of its series.
public struct Waveform: Sendable, Hashable {
  /// Time of the first sample, microseconds since 1970.
  public let start: Int64
  /// Distance between samples, nanoseconds.
  public let period: Int64
  /// Number of samples, 0 to `countLimit`.
  public let count: Int
  /// Encoding of `bytes`: see `Encoding`; from 256 on a wearable's own, see `WaveformDecoder`.
  public let encoding: Int64
  /// Encoded samples, at most `bytesLimit` bytes.
  public let bytes: [UInt8]

  /// Signed little-endian integers, sample after sample, each with all its components.
  public enum Encoding {
    /// Integers of 16 bits.
    public static let int16: Int64 = 0
    /// Integers of 24 bits.
    public static let int24: Int64 = 1
    /// Integers of 32 bits.
    public static let int32: Int64 = 2
    /// The first number of wearables' own encodings.
    public static let firstOwn: Int64 = 256

    /// Bytes per number; nil for another encoding than these three.
    static func width(_ encoding: Int64) -> Int? { (int16...int32).contains(encoding) ? Int(encoding) + 2 : nil }
  }

  /// Maximum number of samples of one item.
  public static let countLimit = 65_536
  /// A block in one item of the store has 3,800; blocks that go on in further items reach this limit.
  public static let bytesLimit = 65_536
  /// Numbers that one block may decode to.
  public static let numberLimit = 262_144
  /// Components at most; the largest series has 25.
  public static let componentLimit = 32
  /// Periods from a nanosecond to a day, ns.
  public static let periods: ClosedRange<Int64> = 1...86_400_000_000_000

  /// nil if a limit is exceeded. `period`, `count` and `encoding` are the values of a stored item.
  public init?(start: Int64, period: Int64, count: Int64, encoding: Int64, bytes: [UInt8]) {
    guard Self.periods.contains(period), count >= 0, count <= Self.countLimit, bytes.count <= Self.bytesLimit else {
      return nil
    }
    self.start = start
    self.period = period
    self.count = Int(count)
    self.encoding = encoding
    self.bytes = bytes
  }

  /// Encodes numbers, sample after sample, in the narrowest encoding that holds all of them. Nil if they are not whole
  /// samples, or a limit is exceeded.
  public init?(start: Int64, period: Int64, components: Int, numbers: [Int32]) {
    guard (1...Self.componentLimit).contains(components), numbers.count % components == 0 else { return nil }
    let bits = numbers.reduce(0) { Swift.max($0, 33 - Swift.max($1.leadingZeroBitCount, (~$1).leadingZeroBitCount)) }
    let encoding = bits <= 16 ? Encoding.int16 : bits <= 24 ? Encoding.int24 : Encoding.int32
    guard let width = Encoding.width(encoding), numbers.count <= Self.bytesLimit / width else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(numbers.count * width)
    for number in numbers {
      for place in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> Int32(8 * place))) }
    }
    self.init(start: start, period: period, count: Int64(numbers.count / components), encoding: encoding, bytes: bytes)
  }

  /// Time of a sample, microseconds since 1970, rounded down. `index` is from 0 to `count`; the last is the end of the
  /// block.
  public func time(of index: Int) -> Int64 {
    guard (0...count).contains(index) else { fatalError("a sample that the block does not have") }
    return start &+ Int64(index) * period / 1000
  }

  /// The numbers, sample after sample, `count` × `components` of them.
  ///
  /// nil if the bytes do not match count and encoding, if the encoding is unknown, or above `numberLimit`.
  public func numbers(components: Int, _ decoders: WaveformDecoders = WaveformDecoders()) -> [Int32]? {
    guard (1...Self.componentLimit).contains(components), count <= Self.numberLimit / components else { return nil }
    let total = count * components
    if let width = Encoding.width(encoding) {
      guard bytes.count == total * width else { return nil }
      return bytes.withUnsafeBytes { Self.integers(in: $0, count: total, width: width) }
    }
    guard let numbers = decoders[encoding]?.decode(bytes, count: count, components: components), numbers.count == total
    else { return nil }
    return numbers
  }

  /// Little-endian signed integers of 2, 3 or 4 bytes each; `bytes` has `count` of them.
  private static func integers(in bytes: UnsafeRawBufferPointer, count: Int, width: Int) -> [Int32] {
    var numbers: [Int32] = []
    numbers.reserveCapacity(count)
    for index in 0..<count {
      let offset = index * width
      switch width {
      case 2: numbers.append(Int32(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))))
      case 3:
        let low = UInt32(bytes[offset])
        let middle = UInt32(bytes[offset + 1])
        let high = UInt32(bytes[offset + 2])
        // Into the upper three bytes, and down again with the sign.
        numbers.append(Int32(bitPattern: low << 8 | middle << 16 | high << 24) >> 8)
      default: numbers.append(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
      }
    }
    return numbers
  }
}

/// Decoder of one of a wearable's own encodings. Blocks are stored as received and decoded when they are read. A
/// conforming type must therefore read everything ever written under its number.
public protocol WaveformDecoder: Sendable {
  /// Stable on disk; at least `Waveform.Encoding.firstOwn`.
  var encoding: Int64 { get }
  /// The numbers in the stored scale of the series, sample after sample: `count` × `components`, at most
  /// `Waveform.numberLimit`.
  ///
  /// nil for bytes that are not such a block. Must be total: the bytes come from a disk.
  func decode(_ bytes: [UInt8], count: Int, components: Int) -> [Int32]?
}

/// Decoders of a program, collected from its drivers.
public struct WaveformDecoders: Sendable {
  private let decoders: [any WaveformDecoder]

  /// Each must have an encoding of its own, outside the common ones; anything else is a programming error.
  public init(_ decoders: [any WaveformDecoder] = []) {
    guard decoders.allSatisfy({ $0.encoding >= Waveform.Encoding.firstOwn }) else {
      fatalError("a decoder for an encoding that is not a wearable's own")
    }
    guard Set(decoders.map(\.encoding)).count == decoders.count else { fatalError("two decoders for one encoding") }
    self.decoders = decoders
  }

  /// nil if the encoding is unknown.
  public subscript(encoding: Int64) -> (any WaveformDecoder)? { decoders.first { $0.encoding == encoding } }
}
