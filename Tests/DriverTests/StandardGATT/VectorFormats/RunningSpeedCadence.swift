// RSC Measurement (2A53).

public import Bluetooth
public import Wearable

/// Running Speed and Cadence Service 1.0, section 3.1.
///
///     byte 0   flags
///                bit 0     stride length is present
///                bit 1     total distance is present
///                bit 2     running, else walking
///                bits 3-7  reserved, ignored
///     1-2      speed, 1/256 m/s
///     3        cadence, steps a minute
///     then 2   stride length, cm (flag 0)
///     then 4   total distance, 0.1 m (flag 1)
public struct RunningSpeedCadence: Sendable, Hashable {
  public let isRunning: Bool
  public let speed: UInt16
  public let cadence: UInt8
  public let strideLength: UInt16?
  public let totalDistance: UInt32?
  /// Bytes after the last field that the flags announce.
  public let trailingBytes: Int

  /// Throws `empty` without bytes and `truncated` where an announced field is missing.
  public init(_ bytes: RawBytes) throws(DecodeError) {
    var reader = ByteReader(bytes)
    guard let flags = reader.u8() else { throw .empty }
    guard let speed = reader.u16(), let cadence = reader.u8() else { throw .truncated }
    isRunning = flags & 4 != 0
    self.speed = speed
    self.cadence = cadence
    if flags & 1 != 0 {
      guard let value = reader.u16() else { throw .truncated }
      strideLength = value
    } else {
      strideLength = nil
    }
    if flags & 2 != 0 {
      guard let value = reader.u32() else { throw .truncated }
      totalDistance = value
    } else {
      totalDistance = nil
    }
    trailingBytes = reader.remaining
  }
}
