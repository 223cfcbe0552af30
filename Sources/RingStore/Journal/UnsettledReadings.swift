// Readings that nothing tells from others of the same values, of which a link ended before anything showed that their
// wearable knows that they are here: they may come again over the next one.

internal import EventLoop
public import Health
internal import StateCodec

/// A reading without a time stamp, by its bytes.
public struct UnsettledReading: Sendable, Hashable {
  /// Of the characteristic by which it came.
  public let kind: ReadingMark
  /// Of the characteristic and the whole value.
  public let mark: ReadingMark

  /// Of one wearable, each of another characteristic: more kinds of reading than any has.
  static let limit = 4

  init(kind: ReadingMark, mark: ReadingMark) { (self.kind, self.mark) = (kind, mark) }

  /// - Parameters:
  ///   - characteristic: as it is on the wire.
  ///   - value: as it came.
  public init(characteristic: [UInt8], value: some Sequence<UInt8>) {
    self.init(kind: ReadingMark(of: characteristic), mark: ReadingMark(of: characteristic + Array(value)))
  }
}
