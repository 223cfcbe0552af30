// How a frame is written to a band: in pieces, with a pause between them.

public import Bluetooth
public import EventLoop
public import Wearable

/// Writes frames to one characteristic, in pieces of 20 bytes: the payload of the smallest ATT MTU, and what the kits
/// of all three families write.
///
/// Pieces are never longer. Nothing that a band says tells how long a write it takes: its MTU bounds what the link
/// carries, and the length of its notifications is what it sends. A band that takes less loses the frame, and most
/// frames of a hub have one piece. The longest, which says who the hub is, has some 70 bytes: longer pieces would save
/// 60 ms of a link.
@LoopActor
public final class BandPieces {
  private let link: any WearableLink
  private let characteristic: GATTCharacteristic
  /// It was seen to lose a frame of several pieces, or wants its writes confirmed.
  public private(set) var isSlow: Bool

  /// Bytes of a piece.
  public nonisolated static let size = 20
  /// Bands made since about 2021 take a piece each 15 to 20 ms.
  public nonisolated static let usualPause: Duration = .milliseconds(20)
  /// Those that want their writes confirmed are older, and slower.
  public nonisolated static let slowPause: Duration = .milliseconds(60)

  /// - Parameter isSlow: as an earlier link learnt it.
  public init(_ link: any WearableLink, _ characteristic: GATTCharacteristic, isSlow: Bool = false) {
    self.link = link
    self.characteristic = characteristic
    self.isSlow = isSlow || !characteristic.properties.contains(.writeWithoutResponse)
  }

  /// Between two pieces of one frame.
  public var pause: Duration { isSlow ? Self.slowPause : Self.usualPause }

  /// A frame was lost, which may be because its pieces came too soon: from here on they come as old bands like them.
  public func noteLost(_ frame: [UInt8]) { if frame.count > Self.size { isSlow = true } }

  /// Writes one frame, all of it.
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
