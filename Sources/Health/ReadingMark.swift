// What tells one reading of a wearable from every other.

/// Of a measurement that its wearable keeps until it is confirmed, and offers again where the confirmation was lost:
/// made of its own time stamp and its values, so that the same reading has the same mark whenever and however it comes.
///
/// Two readings are taken for one where their marks are the same. That befalls one new reading in nine million beside
/// 480 others.
public struct ReadingMark: Sendable, Hashable {
  public let value: UInt32

  public init(value: UInt32) { self.value = value }

  /// FNV-1a with 64 bits, folded.
  ///
  /// - Parameter bytes: what tells its kind from others, as the number of a characteristic does; its own time stamp and
  ///   its values.
  public init(of bytes: some Sequence<UInt8>) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    value = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
