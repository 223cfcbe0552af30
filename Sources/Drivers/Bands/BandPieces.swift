// Writing of a frame to a band: in pieces, with a pause between them.

public import Bluetooth
public import EventLoop
public import Wearable

/// Writes frames to one characteristic, in pieces of 20 bytes. That is the payload of the smallest ATT MTU, and what
/// the kits of all three families write.
///
/// Pieces are never longer, because a band does not report how long a write it accepts. The MTU only bounds what the
/// link carries, and the length of its notifications is only what it sends. A band that accepts less would lose the
/// frame. Most frames of a hub have one piece. The longest, which identifies the hub, has some 70 bytes; longer pieces
/// would save 60 ms.
@LoopActor
public final class BandPieces {
  private let link: any WearableLink
  private let characteristic: GATTCharacteristic
  /// The band lost a frame of several pieces, or requires confirmed writes.
  public private(set) var isSlow: Bool

  /// Bytes of a piece.
  public nonisolated static let size = 20
  /// Pause for bands made since about 2021, which take a piece every 15 to 20 ms.
  public nonisolated static let usualPause: Duration = .milliseconds(20)
  /// Pause for bands that require confirmed writes, 60 ms: they are older and slower.
  public nonisolated static let slowPause: Duration = .milliseconds(60)

  /// - Parameter isSlow: as found over an earlier link.
  public init(_ link: any WearableLink, _ characteristic: GATTCharacteristic, isSlow: Bool = false) {
    self.link = link
    self.characteristic = characteristic
    self.isSlow = isSlow || !characteristic.properties.contains(.writeWithoutResponse)
  }

  /// Pause between two pieces of one frame: 20 ms, or 60 ms for a slow band.
  public var pause: Duration { isSlow ? Self.slowPause : Self.usualPause }

  /// Notes that a frame was lost. If it had several pieces, they may have come too fast: later ones get the slow pause.
  public func noteLost(_ frame: [UInt8]) { if frame.count > Self.size { isSlow = true } }

  /// Writes one whole frame.
  ///
  /// - Throws: the trouble of the link or of a write. The band may then have some pieces of the frame.
  public func write(_ frame: [UInt8]) async throws(VisitTrouble) {
    var begin = 0
    while begin < frame.count {
      if begin > 0 { try await link.settle(for: pause) }
      let end = min(begin + Self.size, frame.count)
      let piece = Array(frame[begin..<end])
      if characteristic.properties.contains(.writeWithoutResponse) {
        try await link.writeCommand(characteristic, piece)
      } else {
        try await link.write(characteristic, piece)
      }
      begin = end
    }
  }
}
