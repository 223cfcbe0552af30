// Readings that cannot be distinguished from others of the same values, and may be repeated over the next link. Their
// link ended before it showed that the wearable knows of their storage.

internal import EventLoop
public import Health
internal import StateCodec

/// A reading without a time stamp, by its bytes.
public struct UnsettledReading: Sendable, Hashable {
  /// Mark of the characteristic by which it came.
  public let kind: ReadingMark
  /// Mark of the characteristic and the whole value.
  public let mark: ReadingMark

  /// Readings of one wearable, each of another characteristic: more kinds of reading than any has.
  static let limit = 4

  init(kind: ReadingMark, mark: ReadingMark) { (self.kind, self.mark) = (kind, mark) }

  /// - Parameters:
  ///   - characteristic: as it is on the wire.
  ///   - value: as it came.
  public init(characteristic: [UInt8], value: some Sequence<UInt8>) {
    self.init(kind: ReadingMark(of: characteristic), mark: ReadingMark(of: characteristic + Array(value)))
  }
}
