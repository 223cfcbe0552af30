// Mark that identifies one reading of a wearable.

/// Mark of a measurement that its wearable keeps until it is confirmed, and offers again if the confirmation was lost.
/// The mark is made of the reading's own time stamp and values, so that repetitions have the same mark.
///
/// Two readings with equal marks count as one. Among 480 other readings, that affects one new reading in nine million.
public struct ReadingMark: Sendable, Hashable {
  /// The 32 bits of the mark.
  public let value: UInt32

  /// A mark from the store.
  public init(value: UInt32) { self.value = value }

  /// FNV-1a with 64 bits, folded.
  ///
  /// - Parameter bytes: a prefix for the kind, such as the number of a characteristic; then the reading's time stamp
  ///   and values.
  public init(of bytes: some Sequence<UInt8>) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    value = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
  }
}
