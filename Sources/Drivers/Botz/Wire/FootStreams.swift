// Both streams: pressure under both feet, and orientation of both feet in space.

public import Bluetooth
public import Wearable

extension Botz {
  /// Information `..eaf`, 36 bytes: `u32` uptime in ms, eight `u16` of the right foot, eight of the left one.
  ///
  /// Counts of a 14-bit converter less an offset found at the start of the sensor: without unit. The left half is zero
  /// until the left foot was heard once since the start, and keeps its last values when it is gone. A notification
  /// replaces an earlier one with the same uptime.
  ///
  ///     channel  right foot        left foot
  ///     0        big toe           big toe
  ///     1        forefoot lateral  forefoot medial
  ///     2        forefoot centre   forefoot centre
  ///     3        forefoot medial   forefoot lateral
  ///     4        arch lateral      arch medial
  ///     5        arch medial       arch lateral
  ///     6        heel lateral      heel medial
  ///     7        heel medial       heel lateral
  public struct FootPressure: Sendable, Hashable {
    /// Milliseconds since the insole's start; wraps after 49.7 days.
    public let uptime: UInt32
    /// Eight sensors of the right foot.
    public let right: SIMD8<UInt16>
    /// Eight sensors of the left foot.
    public let left: SIMD8<UInt16>

    /// Highest count of the converter.
    public static let highest: UInt16 = 16_383

    /// `uptime` in ms.
    public init(uptime: UInt32, right: SIMD8<UInt16>, left: SIMD8<UInt16>) {
      self.uptime = uptime
      self.right = right
      self.left = left
    }

    /// - Throws: `empty`, `truncated` below 36 bytes, `outOfRange` for a value of more than 14 bits.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      let feet = try FeetAtATime<SIMD8<UInt16>>(bytes)
      guard feet.right.max() <= Self.highest, feet.left.max() <= Self.highest else { throw .outOfRange }
      self.init(uptime: feet.uptime, right: feet.right, left: feet.left)
    }

    public func encode() -> [UInt8] { FeetAtATime(uptime: uptime, right: right, left: left).encode() }
  }

  /// Information `..eb2`, 20 bytes: `u32` uptime in ms, then x, y, z, w of the right and of the left foot as `i16` ×
  /// 10,000. About 5 a second.
  public struct Orientation: Sendable, Hashable {
    /// Milliseconds since the insole's start; wraps after 49.7 days.
    public let uptime: UInt32
    /// x, y, z, w.
    public let right: SIMD4<Int16>
    /// Four zeros until the left foot was heard.
    public let left: SIMD4<Int16>

    /// Factor of the components on the wire.
    public static let scale = 10_000

    /// `uptime` in ms; components × 10,000.
    public init(uptime: UInt32, right: SIMD4<Int16>, left: SIMD4<Int16>) {
      self.uptime = uptime
      self.right = right
      self.left = left
    }

    /// - Throws: `empty`, `truncated` below 20 bytes.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      let feet = try FeetAtATime<SIMD4<Int16>>(bytes)
      self.init(uptime: feet.uptime, right: feet.right, left: feet.left)
    }

    public func encode() -> [UInt8] { FeetAtATime(uptime: uptime, right: right, left: left).encode() }
  }
}

/// Common layout of both streams: `u32` uptime in ms, then the numbers of the right foot and those of the left one, two
/// bytes each.
private struct FeetAtATime<Numbers: SIMD> where Numbers.Scalar: FixedWidthInteger {
  let uptime: UInt32
  var right = Numbers()
  var left = Numbers()

  init(uptime: UInt32, right: Numbers, left: Numbers) {
    self.uptime = uptime
    self.right = right
    self.left = left
  }

  init(_ bytes: RawBytes) throws(DecodeError) {
    if bytes.isEmpty { throw .empty }
    var reader = ByteReader(bytes)
    guard reader.remaining >= 4 + 4 * Numbers.scalarCount, let uptime = reader.u32() else { throw .truncated }
    self.uptime = uptime
    for index in right.indices { right[index] = Numbers.Scalar(truncatingIfNeeded: reader.u16() ?? 0) }
    for index in left.indices { left[index] = Numbers.Scalar(truncatingIfNeeded: reader.u16() ?? 0) }
  }

  func encode() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: uptime)
    for foot in [right, left] {
      for index in foot.indices { bytes.append(littleEndian: foot[index]) }
    }
    return bytes
  }
}
