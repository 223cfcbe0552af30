// How a frame is written to a band: in pieces, with a pause between them.

public import Bluetooth
public import EventLoop
public import Wearable

/// Writes frames to one characteristic. Pieces of 20 bytes, the payload of the smallest ATT MTU, until the band has
/// shown that it takes more; its own MTU alone does not say so.
@LoopActor
public final class BandPieces {
  private let link: any WearableLink
  private let characteristic: GATTCharacteristic
  /// It was seen to lose a frame of several pieces, or wants its writes confirmed.
  public private(set) var isSlow: Bool
  /// Bytes of a piece.
  public private(set) var size: Int

  /// Every band takes this.
  public nonisolated static let smallest = 20
  /// Bands made since about 2021 take a piece each 15 to 20 ms.
  public nonisolated static let usualPause: Duration = .milliseconds(20)
  /// Those that want their writes confirmed are older, and slower.
  public nonisolated static let slowPause: Duration = .milliseconds(60)

  /// - Parameters:
  ///   - size: as an earlier link learnt it, `smallest` where nothing is known.
  ///   - isSlow: the same.
  public init(
    _ link: any WearableLink, _ characteristic: GATTCharacteristic, size: Int = smallest, isSlow: Bool = false
  ) {
    self.link = link
    self.characteristic = characteristic
    self.size = max(Self.smallest, min(size, link.mtu - 3))
    self.isSlow = isSlow || !characteristic.properties.contains(.writeWithoutResponse)
  }

  /// Between two pieces of one frame.
  public var pause: Duration { isSlow ? Self.slowPause : Self.usualPause }

  /// A frame was lost, which may be because its pieces came too soon: from here on they come as old bands like them.
  public func noteLost(_ frame: [UInt8]) { if frame.count > size { isSlow = true } }

  /// Writes one frame, all of it.
  public func write(_ frame: [UInt8]) async throws(VisitTrouble) {
    var begin = 0
    while begin < frame.count {
      if begin > 0 { try await link.settle(for: pause) }
      let end = min(begin + size, frame.count)
      let piece = Array(frame[begin..<end])
      if characteristic.properties.contains(.writeWithoutResponse) {
        try await link.writeCommand(characteristic, piece)
      } else {
        try await link.write(characteristic, piece)
      }
      begin = end
    }
  }

  /// The band sent a notification that is longer than a piece so far: it takes as much.
  public func noteReceived(bytes: Int) {
    if bytes > size { size = min(bytes, link.mtu - 3) }
  }
}
